//! Python that models send where JavaScript is wanted. Only asked about text that is not a program.

/// What in a text is Python: where, and what to write instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PythonText {
    pub(crate) offset: usize,
    pub(crate) hint: &'static str,
}

/// The first line of `text` that is Python and can't be JavaScript.
pub(crate) fn find(text: &str) -> Option<PythonText> {
    let mut offset = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let code = line.trim();
        if let Some(hint) = hint_for(code) {
            return Some(PythonText { offset: offset + (line.len() - line.trim_start().len()), hint });
        }
        offset += line.len();
    }
    None
}

fn hint_for(line: &str) -> Option<&'static str> {
    let block = line.ends_with(':') && !line.contains(['{', '?']);
    let first = line.split([' ', '(', ':', '\t']).next().unwrap_or_default();
    let rest = line.get(first.len()..).unwrap_or_default().trim_start();
    let unbraced = |word: &str| first == word && !rest.starts_with('(');
    match first {
        "def" if line.contains('(') => Some("Functions are `function name(a) { … }` or `(a) => …`."),
        "async" if rest.starts_with("def ") => Some("Functions are `async function name(a) { … }`."),
        "import" if is_dotted_names(rest) => Some(
            "Modules can't be loaded. Python's libraries are not here; what the tools can do is in `ALL_TOOLS`.",
        ),
        "from" if rest.contains(" import ") => Some(
            "Modules can't be loaded. Python's libraries are not here; what the tools can do is in `ALL_TOOLS`.",
        ),
        "for" if block && unbraced("for") => Some("Loops are `for (const x of xs) { … }`."),
        "if" | "while" if block => Some("Conditions are in parentheses, blocks in braces: `if (a) { … }`."),
        "elif" => Some("Write `else if (a) { … }`."),
        "else" | "try" | "finally" if block => {
            Some("Blocks are in braces: `else { … }`, `try { … } catch (e) { … }`.")
        }
        "except" if block => Some("Write `try { … } catch (e) { … }`."),
        "with" if block && unbraced("with") => Some("There is no `with`; use the value directly."),
        "class" if block => Some("Classes are `class Name { … }`."),
        "print" if rest.starts_with(['"', '\'']) => Some("Use `console.log(…)` or `text(…)`."),
        "raise" if !rest.is_empty() => Some("Write `throw new Error(\"…\")`."),
        _ => literal_hint(line),
    }
}

/// `json`, `os.path as p, sys`, but not `x from 'y'`.
fn is_dotted_names(rest: &str) -> bool {
    let names = rest.trim_end_matches(';');
    !names.is_empty()
        && !names.contains(" from ")
        && names.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | ' '))
}

fn literal_hint(line: &str) -> Option<&'static str> {
    let prefixed = |prefix: &str| {
        [" ", "(", "=", ",", "["]
            .iter()
            .any(|before| ["\"", "'"].iter().any(|quote| line.contains(&format!("{before}{prefix}{quote}"))))
    };
    if line.contains(" for ") && line.contains(" in ") && line.contains('[') && !line.contains('{') {
        Some("Use `xs.map(x => …)` or `xs.filter(x => …)` instead of a comprehension.")
    } else if prefixed("f") {
        Some("Templates are `` `Hello ${name}` ``.")
    } else if prefixed("r") || prefixed("b") {
        Some("Strings have no prefixes; use `String.raw` for raw text.")
    } else if line.contains("lambda ") && line.contains(':') {
        Some("Functions are `(a) => …`.")
    } else if line.contains("\"\"\"") || line.contains("'''") {
        Some("Strings over several lines are in backticks.")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_is_found_by_line() {
        let python = [
            "import json",
            "import os.path as p, sys",
            "from collections import Counter",
            "def f(x):\n    return x",
            "async def main():\n    pass",
            "for x in xs:\n    print(x)",
            "if a and b:\n    pass",
            "elif a:",
            "try:\n    f()",
            "except ValueError as e:",
            "with open('x') as f:\n    pass",
            "class A:\n    pass",
            "class A(B):\n    pass",
            "x = [a for a in xs]",
            "x = f\"{a}\"",
            "print 'a'",
            "f = lambda x: x + 1",
        ];

        assert_eq!(
            python.iter().filter(|text| find(text).is_none()).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
        assert_eq!(find("x = 1\n  def f():\n").map(|found| found.offset), Some(8));
    }

    #[test]
    fn broken_javascript_is_not_python() {
        let javascript = [
            "import fs from 'fs'",
            "const x = {a: 1;",
            "for (const x of xs {",
            "if (a {",
            "switch (a) {\n  case 1:\n  default:\n",
            "try {",
            "class A {",
            "const t = a ?\n b :",
            "f('x'",
            "for await (const x of y) {",
            "print('a'",
        ];

        assert_eq!(
            javascript.iter().filter(|text| find(text).is_some()).collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
    }
}
