//! What models put around their code.

use crate::common::{body, javascript, typescript_body};
use toolcell_protocol::Location;

#[test]
fn a_program_that_returns_is_left_alone() {
    let sources = [
        "return 1",
        "return 1;\r\n",
        "  \n\treturn await f() // é",
        "if (a) { return 1 }\nb()",
        "for (const x of xs) { if (x) return x }\nnull",
        "try { f() } finally { return 2 }",
        "switch (a) { case 1: return 2 }\n3",
        "label: for (;;) { return 1 }",
        "#!",
    ];

    for source in &sources[..sources.len() - 1] {
        assert_eq!(body(source), *source);
    }
}

#[test]
fn a_fence_or_a_byte_order_mark_around_everything_is_taken_off() {
    assert_eq!(body("```js\nreturn 1\n```"), "return 1\n");
    assert_eq!(body("\u{feff}```\n1 + 1\n```\n"), "return 1 + 1\n");
    assert_eq!(body("\u{feff}return 1"), "return 1");
    assert_eq!(typescript_body("```typescript\nreturn 1 as number\n```"), "return 1          \n");
}

#[test]
fn a_fence_does_not_shift_locations() {
    let prepared = javascript("```js\nconst a = 1\n  a.b.c\n```").unwrap();

    assert_eq!(prepared.body, "const a = 1\n  return a.b.c\n");
    assert_eq!(prepared.positions.locate(2, 10), Some(Location { line: 3, column: Some(3) }));
    assert_eq!(prepared.positions.locate(2, 14), Some(Location { line: 3, column: Some(7) }));
}

#[test]
fn one_function_as_the_whole_cell_is_called() {
    let cases = [
        ("async () => { return 1 }", "return (async () => { return 1 })()"),
        ("() => 1", "return (() => 1)()"),
        ("(async () => 1);", "return ((async () => 1))();"),
        (
            "// c\nasync function () { return 1 }\n// d",
            "// c\nreturn (async function () { return 1 })()\n// d",
        ),
        ("function () { return 1 };", "return (function () { return 1 })();"),
        ("async function main() { return 1 }\n", "return (async function main() { return 1 })()\n"),
        ("export default async () => 1", "               return (async () => 1)()"),
        ("export default function () { return 1 }", "               return (function () { return 1 })()"),
    ];

    for (source, expected) in cases {
        assert_eq!(body(source), expected, "{source}");
    }
}

#[test]
fn a_function_that_is_not_all_or_takes_part_is_not_called() {
    let cases = [
        ("function f(a) { return a }", "function f(a) { return a }"),
        ("function* f() { yield 1 }", "function* f() { yield 1 }"),
        ("(function* () { yield 1 })", "return (function* () { yield 1 })"),
        ("(async () => 1)()", "return (async () => 1)()"),
        ("async function f() {}\nf()", "async function f() {}\nreturn f()"),
        ("const f = () => 1", "const f = () => 1"),
    ];

    for (source, expected) in cases {
        assert_eq!(body(source), expected, "{source}");
    }
}

#[test]
fn a_default_export_is_the_value() {
    let cases = [
        ("export default 42", "               return (42)"),
        ("const a = 1\nexport default { a };", "const a = 1\n               return ({ a });"),
        ("export default f()\nfunction f() {}", "               return (f())\nfunction f() {}"),
        ("export default class A {}", "               return (class A {})"),
    ];

    for (source, expected) in cases {
        assert_eq!(body(source), expected, "{source}");
    }
}

#[test]
fn an_object_as_the_whole_cell_is_its_value() {
    let cases = [
        ("{ a: 1, b: f() }", "return ({ a: 1, b: f() })"),
        ("{ total: xs.length }", "return ({ total: xs.length })"),
        ("{ ...a, b }", "return ({ ...a, b })"),
        ("// c\n{\n  \"a\": 1\n}\n", "// c\nreturn ({\n  \"a\": 1\n})\n"),
        ("{ a: 1; }", "{ a: 1; }"),
    ];

    for (source, expected) in &cases[..cases.len() - 1] {
        assert_eq!(body(source), *expected, "{source}");
    }
}

#[test]
fn the_interpreter_line_of_a_javascript_runtime_is_blanked() {
    assert_eq!(body("#!/usr/bin/env node\nreturn 1"), "                   \nreturn 1");
}

#[test]
fn a_blank_cell_is_a_program() {
    for source in ["", "   \n\t", "// nothing\n", ";"] {
        assert_eq!(body(source), source);
    }
}

#[test]
fn an_empty_export_is_blanked() {
    assert_eq!(body("export {};\nreturn 1"), ";         \nreturn 1");
}

#[test]
fn typescript_in_a_javascript_cell_is_erased() {
    assert_eq!(body("const a: number = 1;\nreturn a;"), "const a         = 1;\nreturn a;");
    assert_eq!(body("import type { A } from 'a'\nreturn 1"), ";                         \nreturn 1");
}

#[test]
fn what_reads_as_javascript_is_not_read_as_typescript() {
    assert_eq!(body("return f(a < b, c > (d))"), "return f(a < b, c > (d))");
}

#[test]
fn what_the_engine_would_read_as_a_comment_is_kept_apart() {
    assert_eq!(body("return a<!--b"), "return a< !--b");
    assert_eq!(body("return '<!--' + `<!--` /* <!-- */"), "return '<!--' + `<!--` /* <!-- */");
}
