//! Tokens as far as a bound on nesting needs them.

/// One token. Comments and white space are skipped, a literal is one token, a template one for each part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) offset: usize,
    /// Empty for a string or a regular expression; `` ` `` for a part of a template that ends it.
    pub(super) text: &'a str,
    /// A name, a keyword or a number.
    pub(super) word: bool,
    /// No operand stands before it, so it begins one.
    pub(super) prefix: bool,
    pub(super) after_line_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// `(` or `[`.
    List,
    /// `(` after `if`, `while`, `for` or `with`: a statement follows its `)`.
    Header,
    /// `{` of an object, after which an operator may follow.
    Object,
    /// `{` of a block.
    Block,
    /// `${`.
    Substitution,
}

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about the previous token")]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    open: Vec<Open>,
    /// The previous token ends an operand.
    operand_before: bool,
    header_keyword: bool,
    member_name: bool,
    block_may_follow: bool,
    in_template: bool,
}

/// Words that an operand follows.
const PREFIX_WORDS: [&str; 23] = [
    "asserts",
    "await",
    "case",
    "delete",
    "do",
    "else",
    "extends",
    "for",
    "if",
    "in",
    "infer",
    "instanceof",
    "keyof",
    "new",
    "readonly",
    "return",
    "throw",
    "typeof",
    "unique",
    "void",
    "while",
    "with",
    "yield",
];

const OPERATORS: [&str; 27] = [
    "===", "!==", "**=", "<<=", "&&=", "||=", "??=", "...", "=>", "==", "!=", "<=", "&&", "||", "??", "?.",
    "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "**",
];

pub(super) fn is_prefix_word(word: &str) -> bool {
    PREFIX_WORDS.binary_search(&word).is_ok()
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            open: Vec::new(),
            operand_before: false,
            header_keyword: false,
            member_name: false,
            block_may_follow: true,
            in_template: false,
        }
    }

    pub(super) fn next_token(&mut self) -> Option<Token<'a>> {
        if std::mem::take(&mut self.in_template) {
            return Some(self.template_part(self.at, false));
        }
        let after_line_end = self.skip_trivia();
        let offset = self.at;
        let prefix = !self.operand_before;
        let first = self.byte(0)?;
        let mut token = Token { offset, text: "", word: false, prefix, after_line_end };
        match first {
            b'`' => {
                self.at += 1;
                return Some(Token { after_line_end, ..self.template_part(offset, prefix) });
            }
            b'"' | b'\'' => {
                self.skip_string(first);
                self.after_operand();
            }
            b'/' if prefix && self.skip_regular_expression() => self.after_operand(),
            _ if is_word_byte(first) => {
                self.skip_word(first);
                token.text = self.text.get(offset..self.at)?;
                token.word = true;
                self.after_word(token.text);
            }
            _ => {
                token.text = self.operator();
                self.at += token.text.len();
                self.after_operator(token.text);
            }
        }
        Some(token)
    }

    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// Skips white space and comments. Whether a line ended.
    fn skip_trivia(&mut self) -> bool {
        let mut line_end = false;
        while let Some(byte) = self.byte(0) {
            match (byte, self.byte(1)) {
                (b'\n' | b'\r', _) => line_end = true,
                (b' ' | b'\t' | 0x0b | 0x0c, _) => {}
                (b'/', Some(b'/')) => {
                    self.at += memchr::memchr2(b'\n', b'\r', self.rest()).unwrap_or(self.rest().len());
                    continue;
                }
                (b'/', Some(b'*')) => {
                    let length =
                        memchr::memmem::find(self.rest(), b"*/").map_or(self.rest().len(), |end| end + 2);
                    let comment = self.rest().get(..length).unwrap_or_default();
                    line_end |= memchr::memchr2(b'\n', b'\r', comment).is_some();
                    self.at += length;
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        line_end
    }

    /// Skips a string; an unterminated one ends with its line.
    fn skip_string(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.byte(0) {
            match byte {
                b'\\' => self.at += 2,
                b'\n' | b'\r' => return,
                _ => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
    }

    /// Skips a regular expression, if one that ends in this line stands here.
    fn skip_regular_expression(&mut self) -> bool {
        let mut length = 1;
        let mut in_class = false;
        while let Some(byte) = self.byte(length) {
            match byte {
                b'\n' | b'\r' => return false,
                b'\\' => length += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => {
                    self.at += length + 1;
                    return true;
                }
                _ => {}
            }
            length += 1;
        }
        false
    }

    fn skip_word(&mut self, first: u8) {
        let number = first.is_ascii_digit();
        while let Some(byte) = self.byte(0) {
            let fraction = number && byte == b'.' && self.byte(1).is_some_and(|next| next.is_ascii_digit());
            if byte == b'\\' && self.byte(1) == Some(b'u') && self.byte(2) == Some(b'{') {
                self.at += memchr::memchr(b'}', self.rest()).unwrap_or(2);
            } else if !is_word_byte(byte) && !fraction {
                return;
            }
            self.at += 1;
        }
    }

    /// The rest of a template up to its end or to its next substitution.
    fn template_part(&mut self, offset: usize, prefix: bool) -> Token<'a> {
        let mut text = "`";
        while let Some(byte) = self.byte(0) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'`' => break,
                b'$' if self.byte(0) == Some(b'{') => {
                    self.at += 1;
                    text = "${";
                    self.open.push(Open::Substitution);
                    break;
                }
                _ => {}
            }
        }
        self.after_operand();
        self.operand_before = text == "`";
        Token { offset, text, word: false, prefix, after_line_end: false }
    }

    fn operator(&self) -> &'a str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length =
            OPERATORS.iter().find(|operator| rest.starts_with(**operator)).map_or(1, |found| found.len());
        rest.get(..length).unwrap_or_default()
    }

    fn after_operand(&mut self) {
        self.operand_before = true;
        self.header_keyword = false;
        self.member_name = false;
        self.block_may_follow = false;
    }

    fn after_word(&mut self, word: &str) {
        let keyword = !self.member_name && is_prefix_word(word);
        let awaited = self.header_keyword && word == "await"; // `for await (`
        self.after_operand();
        self.operand_before = !keyword;
        self.header_keyword = awaited || (keyword && matches!(word, "if" | "while" | "for" | "with"));
        self.block_may_follow = !keyword || matches!(word, "else" | "do");
    }

    fn after_operator(&mut self, operator: &str) {
        let header = std::mem::take(&mut self.header_keyword);
        let block = std::mem::replace(&mut self.block_may_follow, false);
        self.member_name = matches!(operator, "." | "?.");
        let operand_before = std::mem::replace(&mut self.operand_before, false);
        match operator {
            "(" => self.open.push(if header { Open::Header } else { Open::List }),
            "[" => self.open.push(Open::List),
            "{" => {
                self.open.push(if block { Open::Block } else { Open::Object });
                self.block_may_follow = block;
            }
            ")" | "]" | "}" => self.close(),
            ";" | "=>" => self.block_may_follow = true,
            "++" | "--" | "!" => self.operand_before = operand_before,
            _ => {}
        }
    }

    fn close(&mut self) {
        match self.open.pop() {
            Some(Open::Substitution) => self.in_template = true,
            Some(Open::Block | Open::Header) => self.block_may_follow = true,
            Some(Open::List) => {
                self.operand_before = true;
                self.block_may_follow = true;
            }
            Some(Open::Object) | None => self.operand_before = true,
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'\\') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        let mut scanner = Scanner::new(text);
        std::iter::from_fn(|| scanner.next_token()).map(|token| token.text).collect()
    }

    #[test]
    fn word_tables_are_sorted_for_their_search() {
        assert!(PREFIX_WORDS.is_sorted());
    }

    #[test]
    fn brackets_in_literals_and_comments_are_no_tokens() {
        assert_eq!(texts("'(\\'(' \"{\" // [\n/* { */ a"), ["", "", "a"]);
        assert_eq!(texts("x = /[(/]{/g; y"), ["x", "=", "", "g", ";", "y"]);
        assert_eq!(texts("if (a) /(/.test(b)"), ["if", "(", "a", ")", "", ".", "test", "(", "b", ")"]);
    }

    #[test]
    fn a_slash_after_an_operand_divides() {
        assert_eq!(texts("a / ( / b"), ["a", "/", "(", "/", "b"]);
        assert_eq!(texts("f(a) / ("), ["f", "(", "a", ")", "/", "("]);
        assert_eq!(texts("({}) / ("), ["(", "{", "}", ")", "/", "("]);
    }

    #[test]
    fn templates_nest() {
        assert_eq!(texts("`a${ `(${b}` }c` + d"), ["${", "${", "b", "}", "`", "}", "`", "+", "d"]);
        assert_eq!(texts("`\\`(\\${`"), ["`"]);
    }

    #[test]
    fn an_unterminated_literal_ends_the_scan_in_order() {
        assert_eq!(texts("'abc\n("), ["", "("]);
        assert_eq!(texts("`abc"), ["`"]);
        assert_eq!(texts("a = /b\n("), ["a", "=", "/", "b", "("]);
        assert_eq!(texts("'\\"), [""]);
    }
}
