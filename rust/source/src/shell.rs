//! Shell commands that models send where a program is wanted.

use std::borrow::Cow;

use oxc_semantic::Scoping;

use crate::{Fault, FaultKind, cell_text::CellText};

/// Command words. Text is only looked up here when it is not a program, or is `word -flag`.
const COMMANDS: &str = "\
    apt apt-get awk aws base64 bash brew bun bunx bzip2 cargo cat cd chmod chown cmake cp curl cut \
    date dd deno df diff dig dir docker du echo env export fd file find gcc gcloud gh git go grep gzip \
    head helm hostname id java jq kill kubectl less ln ls lsof make man mkdir mv nc netstat node npm \
    npx openssl ping pip pip3 pnpm ps psql pwd python python3 rg rm rmdir rsync ruby scp sed seq set \
    sh sleep sort source sqlite3 ssh stat sudo tail tar tee terraform touch tree uv wc wget which yarn \
    zsh";

/// The command word of a program that is `word -flag…` or `word <<HERE` and does not bind that word.
///
/// As programs, `ls -la` would subtract two names, and `cat <<EOF` shift one by another.
pub(crate) fn flagged_command(text: &str, scoping: &Scoping) -> Option<usize> {
    let line = first_line(text)?;
    let (word, rest) = split_word(line.text);
    let argument = rest.trim_start_matches([' ', '\t']);
    let is_flag = argument.len() < rest.len()
        && ["-", "<<"].iter().any(|start| {
            argument
                .strip_prefix(start)
                .is_some_and(|flag| flag.starts_with(|c: char| c.is_ascii_alphabetic()))
        });
    let bound = || !scoping.root_unresolved_references().contains_key(word);
    (is_flag && is_command(word) && !bound()).then_some(line.offset)
}

/// Offset of the first command of a text that is not a program, if it looks like shell.
pub(crate) fn command(text: &str) -> Option<usize> {
    let line = first_line(text)?;
    let prompted =
        line.text.strip_prefix("$ ").or_else(|| line.text.strip_prefix("PS> ")).unwrap_or(line.text);
    let (word, rest) = split_word(prompted);
    let is_shell = prompted.len() < line.text.len()
        || (is_command(word) && has_arguments(rest))
        || ((word.starts_with("./") || word.starts_with("~/")) && word.len() > 2)
        || is_cmdlet(word)
        || (prompted.starts_with("$env:") || prompted.starts_with("if [ ") || prompted.starts_with("if [[ "))
        || (word == "for" && prompted.contains("; do"));
    is_shell.then_some(line.offset)
}

/// Offset past the first line, if it names an interpreter of JavaScript.
pub(crate) fn javascript_shebang(text: &str) -> Option<usize> {
    let line = text.split(['\n', '\r']).next()?.strip_prefix("#!")?;
    let interpreter =
        line.split([' ', '/', '\t']).any(|part| matches!(part, "node" | "bun" | "deno" | "tsx" | "ts-node"));
    interpreter.then_some(line.len() + 2)
}

/// The refusal of shell text at `offset`, with advice.
pub(crate) fn refuse(cell: &CellText<'_>, offset: usize, tool: Option<&str>) -> Fault {
    let line = cell
        .text
        .get(offset..)
        .and_then(|rest| rest.split(['\n', '\r']).next())
        .unwrap_or_default()
        .trim_end();
    let hint: Cow<'static, str> = match tool {
        Some(tool) => format!(
            "Write a JavaScript program. To run a command, call the tool `{tool}` from it; \
             `await tools.describe(\"{tool}\")` shows its input."
        )
        .into(),
        None => {
            "Write a JavaScript program. There is no shell here; find tools with `await tools.search(\"…\")`."
                .into()
        }
    };
    Fault {
        kind: FaultKind::ShellCommand,
        message: format!("This is a shell command, not a program: `{}`", shortened(line)),
        location: Some(cell.locate(offset)),
        hint: Some(hint.into_owned()),
    }
}

struct Line<'a> {
    offset: usize,
    text: &'a str,
}

/// The first line that is neither empty nor a comment of the shell or of JavaScript.
fn first_line(text: &str) -> Option<Line<'_>> {
    let mut offset = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let code = line.trim();
        if !code.is_empty() && !code.starts_with('#') && !code.starts_with("//") {
            return Some(Line { offset: offset + (line.len() - line.trim_start().len()), text: code });
        }
        offset += line.len();
    }
    None
}

fn split_word(line: &str) -> (&str, &str) {
    let end = line.find([' ', '\t']).unwrap_or(line.len());
    line.split_at_checked(end).unwrap_or((line, ""))
}

fn is_command(word: &str) -> bool {
    !word.is_empty() && COMMANDS.split_ascii_whitespace().any(|command| command == word)
}

/// Whether what follows a command word can't continue an expression of JavaScript.
fn has_arguments(rest: &str) -> bool {
    let rest = rest.trim_start();
    let operators =
        ["&&", "||", "<<", ">>", "2>", "./", "../", "..", "~/", "-", "/", "\"", "'", "$", "*.", ". "];
    rest == "."
        || rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        || operators.iter().any(|start| rest.starts_with(start))
        || (rest.starts_with(['|', '>', ';']) && rest.len() > 1)
}

/// `Verb-Noun` of `PowerShell`.
fn is_cmdlet(word: &str) -> bool {
    const VERBS: [&str; 12] =
        ["Get", "Set", "New", "Remove", "Copy", "Move", "Write", "Select", "Test", "Invoke", "Start", "Stop"];
    word.split_once('-').is_some_and(|(verb, noun)| {
        VERBS.contains(&verb) && noun.starts_with(|c: char| c.is_ascii_uppercase())
    })
}

fn shortened(line: &str) -> Cow<'_, str> {
    const MAX: usize = 60;
    match line.char_indices().nth(MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()).into(),
        None => line.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_text_is_told_from_broken_programs() {
        let shell = [
            "git status",
            "git status && git log",
            "cat <<EOF\nx\nEOF",
            "# list\nls -l *.py | wc -l",
            "cd /tmp && ls",
            "rm -rf /tmp/x",
            "find . -name '*.py'",
            "grep -rn \"x\" src",
            "$ ls",
            "./run.sh --all",
            "Get-ChildItem -Path .",
            "for f in *.txt; do cat $f; done",
            "export FOO=bar",
            "sudo apt-get install jq",
            "curl https://example.com",
        ];
        let programs = [
            "const x = ;",
            "find(x => {",
            "test(a",
            "sort = (a, b) => {",
            "date.getTime(",
            "id: 5 }",
            "find (x => {",
            "if (a {",
            "for (const f of x { }",
            "set + 1 +",
            "cut, paste +",
            "git",
        ];

        assert_eq!(
            shell.iter().filter(|text| command(text).is_none()).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
        assert_eq!(
            programs.iter().filter(|text| command(text).is_some()).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
    }

    #[test]
    fn a_shebang_of_a_javascript_runtime_is_no_shell() {
        assert_eq!(javascript_shebang("#!/usr/bin/env node\nreturn 1"), Some(19));
        assert_eq!(javascript_shebang("#!/bin/bash\nls"), None);
        assert_eq!(javascript_shebang("return 1"), None);
    }
}
