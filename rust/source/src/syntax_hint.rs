//! What a parser found, in words for the model, and advice where the cause is known.

use crate::parse::ParseError;

/// A message and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Explanation {
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

/// Words of Python that stand between operands.
const PYTHON_OPERATORS: [(&str, &str); 6] = [
    ("and", "JavaScript's `and` is `&&`."),
    ("or", "JavaScript's `or` is `||`."),
    ("not", "JavaScript's `not` is `!`."),
    ("is", "JavaScript's `is` is `===`."),
    ("elif", "JavaScript's `elif` is `else if`."),
    ("if", "A conditional value is `test ? a : b`."),
];

/// Explains why `text` does not parse.
pub(crate) fn explain(error: &ParseError, text: &str) -> Explanation {
    let rest = text.get(error.offset..).unwrap_or_default();
    let found = token_at(rest.trim_start());
    let message = error.message.as_str();
    if message.starts_with("`await` is only allowed") || message.starts_with("`for await` loops are only") {
        return explained(
            "`await` in a function that is not async",
            "Mark the function `async`. In `map`, write `await Promise.all(xs.map(async (x) => …))`; instead of \
             `forEach`, write `for (const x of xs) { … }`.",
        );
    }
    if message.starts_with("Invalid Character") && rest.starts_with(['“', '”', '‘', '’', '„']) {
        let quote: String = rest.chars().take(1).collect();
        return explained(
            format!("Typographic quotation mark {quote}"),
            "Write strings with `\"`, `'` or backticks.",
        );
    }
    if message == "Unterminated string" {
        return if rest.starts_with('`') {
            explained(
                "Template without its closing backtick",
                "Inside of a template, write a backtick as `` \\` ``.",
            )
        } else {
            explained(
                "String without its closing quotation mark",
                "A string ends in its line: write a line end as `\\n`, or use backticks.",
            )
        };
    }
    Explanation { message: plain(message, found), hint: hint(message, found, text, error.offset) }
}

fn explained(message: impl Into<String>, hint: &'static str) -> Explanation {
    Explanation { message: message.into(), hint: Some(hint) }
}

/// The parser's message with the token itself instead of its kind.
fn plain(message: &str, found: &str) -> String {
    let token = if found.is_empty() { "the end of the cell".to_owned() } else { format!("`{found}`") };
    if message == "Unexpected token" {
        return format!("Unexpected {token}");
    }
    if message.starts_with("Expected a semicolon") {
        return format!("Expected a new statement or `;` before {token}");
    }
    match message.split_once(" but found `") {
        Some((expected, _)) => format!("{expected} but found {token}"),
        None => message.trim_end_matches('.').to_owned(),
    }
}

fn hint(message: &str, found: &str, text: &str, offset: usize) -> Option<&'static str> {
    if text.lines().any(|line| line.trim_start().starts_with("```")) {
        return Some("Send only the code, without Markdown around it.");
    }
    if message.starts_with("Unterminated multiline comment") {
        return Some("Close the comment with `*/`.");
    }
    if message.starts_with("Identifier `") {
        return Some("Assign to the variable without declaring it again, or take another name.");
    }
    if found.is_empty() {
        return Some("A bracket, brace or parenthesis may be open; the code may also have been cut off.");
    }
    if found.starts_with('#') {
        return Some("Comments begin with `//`.");
    }
    let before = text.get(..offset).unwrap_or_default().trim_end();
    let previous = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    PYTHON_OPERATORS
        .iter()
        .find(|(word, _)| *word == found || (*word == previous && *word != "if"))
        .map(|(_, hint)| *hint)
}

/// The word or the one character that `text` begins with.
fn token_at(text: &str) -> &str {
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(text.len());
    let length = if word > 0 { word.min(40) } else { text.chars().next().map_or(0, char::len_utf8) };
    text.get(..length).unwrap_or_default()
}
