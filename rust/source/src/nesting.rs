//! A bound on nesting, checked before the parser recurses.
//!
//! The parser uses native stack for each level of nesting, and so do the passes after it. This scan reads tokens,
//! not syntax: it counts what *could* nest, cheaply and without recursion, and is right about strings, templates,
//! comments and (but for rare text after `}`) regular expressions.

mod token;

use token::{Scanner, Token, is_prefix_word};

/// Levels of brackets, prefix operators, arrows and the like that a cell may nest.
pub(crate) const MAX_LEVELS: u32 = 1000;

/// Weight of a level. A link of a chain such as `a.b()` or `a + b` costs the passes far less stack: weight 1.
///
/// Measured: at most 1.6 KiB of stack for a level and 100 bytes for a link, so 16,000 use about 1.6 MiB.
const LEVEL: u32 = 16;

/// Texts up to this length can't exhaust the stack: at most 1.6 KiB for each byte.
const HARMLESS_BYTES: usize = 2048;

/// Byte offset at which `text` nests more than [`MAX_LEVELS`] levels, if it does.
pub(crate) fn too_deep_at(text: &str) -> Option<usize> {
    if text.len() <= HARMLESS_BYTES {
        return None;
    }
    let mut depth = Depth::default();
    let mut scanner = Scanner::new(text);
    while let Some(token) = scanner.next_token() {
        depth.add(&token);
        if depth.total() > MAX_LEVELS * LEVEL {
            return Some(token.offset);
        }
    }
    None
}

/// What may nest between two brackets.
#[derive(Debug, Default)]
struct Bracket {
    /// Since the last place where a statement or list item may have begun.
    item: u32,
    /// `else` branches, which nest over whole statements.
    branches: u32,
    /// Open `<`, over list items.
    angles: u32,
}

#[derive(Debug, Default)]
struct Depth {
    outer: Vec<Bracket>,
    outer_total: u32,
    here: Bracket,
    /// A statement may have ended before this token.
    may_begin: bool,
}

impl Bracket {
    fn total(&self) -> u32 {
        self.item.saturating_add(self.branches).saturating_add(self.angles)
    }
}

impl Depth {
    fn total(&self) -> u32 {
        self.outer_total.saturating_add(self.here.total())
    }

    fn add(&mut self, token: &Token<'_>) {
        if self.may_begin || (token.after_line_end && !token.prefix) {
            self.begin_statement(token);
        }
        self.may_begin = false;
        match token.text {
            "(" | "[" | "{" | "${" => self.open(),
            ")" | "]" => self.close(),
            "}" => {
                self.close();
                self.may_begin = true;
            }
            ";" => {
                self.here.item = 0;
                self.here.angles = 0;
                self.may_begin = true;
            }
            "," => self.here.item = 0,
            "else" => self.here.branches += LEVEL,
            "<" => {
                self.here.angles += LEVEL;
                self.here.item += if token.prefix { LEVEL } else { 1 };
            }
            ">" => self.here.angles = self.here.angles.saturating_sub(LEVEL),
            _ => self.here.item += token_weight(token),
        }
    }

    /// Forgets what came before, if `token` can only be the first of a statement.
    fn begin_statement(&mut self, token: &Token<'_>) {
        if token.word && token.text != "extends" && !is_infix_word(token.text) {
            self.here.item = 0;
            if token.text != "else" {
                self.here.branches = 0;
                self.here.angles = 0;
            }
        }
    }

    fn open(&mut self) {
        self.here.item += LEVEL;
        self.outer_total = self.outer_total.saturating_add(self.here.total());
        self.outer.push(std::mem::take(&mut self.here));
    }

    fn close(&mut self) {
        if let Some(outer) = self.outer.pop() {
            self.outer_total = self.outer_total.saturating_sub(outer.total());
            self.here = outer;
            // A closed bracket is at most a link of a chain, `a()()`.
            self.here.item = self.here.item.saturating_sub(LEVEL) + 1;
        }
    }
}

fn token_weight(token: &Token<'_>) -> u32 {
    let assigns = token.text.ends_with('=') && !matches!(token.text, "==" | "===" | "!=" | "!==" | "<=");
    match token.text {
        "" => 0,
        "`" => u32::from(!token.prefix),
        "?" | ":" | "=>" | "**" => LEVEL,
        text if is_infix_word(text) => 1,
        text if token.word => u32::from(is_prefix_word(text)) * LEVEL,
        _ if assigns || token.prefix => LEVEL,
        _ => 1,
    }
}

fn is_infix_word(word: &str) -> bool {
    matches!(word, "in" | "instanceof" | "as" | "satisfies" | "of" | "is")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each nests more than it may, in its own way.
    fn too_deep() -> Vec<String> {
        let n = 1100;
        let enclosed = |open: &str, inner: &str, close: &str| open.repeat(n) + inner + &close.repeat(n);
        vec![
            "[".repeat(1 << 20),
            "`${".repeat(100_000),
            enclosed("(", "1", ")"),
            enclosed("{", "", "}"),
            enclosed("({a:", "1", "})"),
            enclosed("(function () { return ", "1", "})"),
            enclosed("class A { m() {\n", "", "}}"),
            enclosed("let [", "a", "] = 1"),
            "x => ".repeat(n) + "1",
            "async x =>\n".repeat(n) + "1",
            "! ".repeat(n * 2) + "1",
            "- - ".repeat(n) + "1",
            "typeof\n".repeat(n) + "a",
            "await ".repeat(n) + "a",
            "a = ".repeat(n) + "1",
            "a ??= ".repeat(n) + "1",
            "a ? b : ".repeat(n) + "1",
            "a ** ".repeat(n) + "1",
            "if (a)\n".repeat(n) + "b",
            "if (a) b; else ".repeat(n) + "c",
            "if (a) { b }\nelse ".repeat(n) + "c",
            "while (a)\n".repeat(n) + "b",
            "for await (const a of b)\n".repeat(n) + "c",
            "do ".repeat(n) + "a",
            "a:\n".repeat(n) + "b",
            "new\n".repeat(n) + "a",
            "class extends ".repeat(n) + "a {}",
            "a + ".repeat(20_000) + "b",
            "a in\n".repeat(20_000) + "b",
            format!("a{}", ".b".repeat(20_000)),
            format!("1.{}", ".b".repeat(20_000)),
            format!("a{}", "()".repeat(20_000)),
            format!("a{}", "[0]\n".repeat(20_000)),
            format!("a{}", "``".repeat(20_000)),
            format!("a = {{}}{}", "+ {}".repeat(20_000)),
            format!("a{}", "!".repeat(20_000)),
            format!("a{}", " as b".repeat(20_000)),
            "<A>".repeat(n) + "a",
            format!("type A = {}C", "B<C, ".repeat(n)),
            format!("type A = {}B", "keyof\n".repeat(n)),
            format!("type A = B{}", "[]".repeat(20_000)),
            format!("type A = {}E", "B extends C ? D : ".repeat(n)),
            format!("type A = {}B", "() => ".repeat(n)),
        ]
    }

    /// Long, but flat.
    fn flat() -> Vec<String> {
        let n = 30_000;
        vec![
            "const a = f(b)\n".repeat(n),
            "x.push(1)\n".repeat(n),
            "if (a) b = c ? d : e; else f()\n".repeat(n),
            "if (a) { b() } else { c() }\n".repeat(n),
            format!("[{}]", "{ a: 1, b: -2, c: !d, e: x => x },".repeat(n)),
            format!("f({})", "a < b,".repeat(500)),
            format!("const s = '{}'", "((((".repeat(n)),
            format!("const s = `{}`", "((((".repeat(n)),
            format!("const s = /{}/", "\\(".repeat(n)),
            format!("// {}\nreturn 1", "(".repeat(n)),
            format!("const s = {} 'end'", "'part' +\n".repeat(10_000)),
            format!("switch (a) {{ {} }}", "case 1: b(); break;".repeat(n)),
            "type A = { a: string; b?: Array<Map<string, number>> }\n".repeat(n),
            "const a: A<B> = c as D;\n".repeat(n),
            format!("class A {{ {} }}", "a = 1\nm() { return this.a }\n".repeat(n)),
        ]
    }

    #[test]
    fn whatever_nests_too_deep_is_found() {
        for text in too_deep() {
            assert!(too_deep_at(&text).is_some(), "{text:.60}");
        }
    }

    #[test]
    fn a_long_flat_program_is_not_deep() {
        for text in flat() {
            assert_eq!(too_deep_at(&text), None, "{text:.60}");
        }
    }

    #[test]
    fn the_place_is_that_of_the_first_level_too_many() {
        let text = "(".repeat(5000);

        assert_eq!(too_deep_at(&text), Some(1000));
    }
}
