//! A cell without `return` gives its completion value.

use crate::common::{body, javascript};
use toolcell_protocol::Location;

fn assert_bodies(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(body(source), *expected, "{source}");
    }
}

#[test]
fn a_last_expression_is_returned() {
    assert_bodies(&[
        ("1 + 1", "return 1 + 1"),
        ("f();;", "return f();;"),
        ("a, b", "return a, b"),
        ("({ a: 1 })", "return ({ a: 1 })"),
        ("a = b", "return a = b"),
        ("await f()", "return await f()"),
        ("'text'", "return 'text'"),
        ("'use strict'", "return 'use strict'"),
        ("/* a */ 1 // b", "/* a */ return 1 // b"),
        ("a\n[0]", "return a\n[0]"),
        ("main()\nasync function main() { return 1 }", "return main()\nasync function main() { return 1 }"),
        ("`a`", "return `a`"),
    ]);
}

#[test]
fn the_last_expressions_of_branches_are_returned() {
    assert_bodies(&[
        ("if (a) b; else c", "if (a) return b; else return c"),
        ("if (a) { f(); b } else if (d) e", "if (a) { f(); return b } else if (d) return e"),
        ("{ a; { b } }", "{ a; { return b } }"),
        ("try { a } catch { b } finally { c }", "try { return a } catch { return b } finally { c }"),
        ("if (a) { throw b } else { c }", "if (a) { throw b } else { return c }"),
        ("f(); if (a) {}", "f(); if (a) {}"),
    ]);
}

#[test]
fn without_a_value_nothing_is_returned() {
    assert_bodies(&[
        ("const a = f()", "const a = f()"),
        ("function f() {}\nclass A {}", "function f() {}\nclass A {}"),
        ("throw a", "throw a"),
        ("f(); throw a", "f(); throw a"),
    ]);
}

#[test]
fn where_more_runs_after_the_value_a_variable_keeps_it() {
    assert_bodies(&[
        ("f(); const a = 1", "let $value;$value=f(); const a = 1;return $value;"),
        ("for (const x of y) x // c", "let $value;for (const x of y) $value=x;return $value; // c"),
        (
            "while (a) { b, c; if (d) break }",
            "let $value;while (a) { $value=(b, c); {$value=void 0;if (d) break} };return $value;",
        ),
        (
            "switch (a) { case 1: b; break; default: c }",
            "let $value;switch (a) { case 1: $value=b; break; default: $value=c };return $value;",
        ),
        (
            "l: { try { a } catch { b } finally { c } }",
            "let $value;l: { {$value=void 0;try { $value=a } catch {$value=void 0; $value=b } finally { c }} };return $value;",
        ),
        ("for (;;) l: for (;;) a", "let $value;for (;;) {$value=void 0;l: for (;;) $value=a};return $value;"),
    ]);
}

#[test]
fn the_variable_has_a_name_of_its_own() {
    assert_bodies(&[(
        "const $value = 1; for (;;) $value",
        "let $value$;const $value = 1; for (;;) $value$=$value;return $value$;",
    )]);
}

#[test]
fn a_return_inside_of_a_function_is_not_the_cells() {
    assert_bodies(&[
        ("const f = () => { return 1 }; f()", "const f = () => { return 1 }; return f()"),
        ("[1].map(function (x) { return x })", "return [1].map(function (x) { return x })"),
        ("'return 1'", "return 'return 1'"),
    ]);
}

#[test]
fn locations_are_those_of_the_source() {
    let prepared = javascript("for (const x of y) {\n  f(x); g(x)\n}").unwrap();

    assert_eq!(
        prepared.body,
        "let $value;for (const x of y) {\n  $value=f(x); $value=g(x)\n};return $value;"
    );
    let columns = [(1, 12, 1), (2, 3, 3), (2, 10, 3), (2, 16, 9), (2, 23, 9), (2, 26, 12)];
    for (line, column, expected) in columns {
        let location = Location { line, column: Some(expected) };
        assert_eq!(prepared.positions.locate(line, column), Some(location));
    }
}
