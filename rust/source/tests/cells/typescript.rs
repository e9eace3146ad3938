//! Types are erased in place; enums, namespaces and parameter properties become code around the model's text.

use crate::common::{typescript, typescript_body};
use toolcell_protocol::Location;

/// Prepares cells in which `·` stands for a blank that was a type.
fn assert_erased(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let body = typescript_body(source);

        assert_eq!(body, expected.replace('·', " "), "{source}");
        assert_eq!(body.len(), source.len(), "{source}");
    }
}

fn assert_emitted(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let squeezed = typescript_body(source).split_whitespace().collect::<Vec<_>>().join(" ");

        assert_eq!(squeezed, *expected, "{source}");
    }
}

#[test]
fn types_become_blanks_of_the_same_length() {
    assert_erased(&[
        ("let a: number = 1; return a", "let a········ = 1; return a"),
        ("let a!: A; return a", "let a····; return a"),
        ("return (a: A, b?: B, ...c: C[]): D => a", "return (a···, b····, ...c·····)··· => a"),
        (
            "return function f<T>(this: A, b: T): b is C { }",
            "return function f···(·········b···)········ { }",
        ),
        ("return function f(this) { }", "return function f(····) { }"),
        ("return a as B as unknown", "return a················"),
        ("return a satisfies B", "return a············"),
        ("return a!.b!(c!)![d!]!", "return a·.b·(c·)·[d·]·"),
        ("return a != b !== !c!", "return a != b !== !c·"),
        ("return <A>a", "return ···a"),
        ("return f<A, B<C>>(1)", "return f·········(1)"),
        ("return new A<B>(c), new D<E>", "return new A···(c), new D···"),
        ("return f<A>`a${b as C}`", "return f···`a${b·····}`"),
        ("const f = g<A>; return f", "const f = g···; return f"),
        ("return <T,>(a: T) => a", "return ····(a···) => a"),
        ("try { f() } catch (e: unknown) { return e }", "try { f() } catch (e·········) { return e }"),
        ("const { a, b: [c] }: A = d; return c", "const { a, b: [c] }··· = d; return c"),
        ("for (const a of b as C[]) { return a }", "for (const a of b·······) { return a }"),
        ("(a as B).c = 1; return 1", "(a·····).c = 1; return 1"),
        ("[a as B, ...(c!)] = d; return 1", "[a·····, ...(c·)] = d; return 1"),
        ("return { m<T>(a?: T): T { return a! } }", "return { m···(a····)··· { return a· } }"),
        ("return async <T,>(a: T): Promise<T> => a", "return async ····(a···)············ => a"),
        ("return a ? (b): c => d : e", "return a ? (b)··· => d : e"),
        ("let a: 'é' | \"😀\" = b; return a", "let a··············· = b; return a"),
    ]);
}

#[test]
fn statements_of_types_leave_a_semicolon() {
    assert_erased(&[
        ("type A = B; return 1", ";·········· return 1"),
        ("const a = b\ntype A = B\n(c)\nreturn 1", "const a = b\n;·········\n(c)\nreturn 1"),
        (
            "let a = b\ninterface A {\n  b: C\n}\n[1].map(f)\nreturn 1",
            "let a = b\n;············\n······\n·\n[1].map(f)\nreturn 1",
        ),
        ("declare const a: B, c: D\nreturn 1", ";·······················\nreturn 1"),
        ("declare function f(): void; return 1", ";·························· return 1"),
        ("declare class A { b: C }\nreturn 1", ";·······················\nreturn 1"),
        ("declare enum A { B }\nreturn 1", ";···················\nreturn 1"),
        ("declare module 'a' { const b: C }\nreturn 1", ";································\nreturn 1"),
        ("declare global { var a: B }\nreturn 1", ";··························\nreturn 1"),
        (
            "function f(a: B): C;\nfunction f(a) {}\nreturn 1",
            ";···················\nfunction f(a) {}\nreturn 1",
        ),
        ("namespace A { export type B = C }\nreturn 1", ";································\nreturn 1"),
        ("export type A = B\nexport {}\nreturn 1", ";················\n;········\nreturn 1"),
    ]);
}

#[test]
fn a_statement_that_a_type_ended_still_ends() {
    assert_erased(&[
        ("let a = b as C\n(d)\nreturn 1", "let a = b;····\n(d)\nreturn 1"),
        ("a = b as C // e\n[0].f()\nreturn 1", "a = b;···· // e\n[0].f()\nreturn 1"),
        ("f() satisfies C\n`d`\nreturn 1", "f();···········\n`d`\nreturn 1"),
        ("let a = b as C\n+ d\nreturn 1", "let a = b·····\n+ d\nreturn 1"),
        ("a = (b as C\n)\nreturn 1", "a = (b·····\n)\nreturn 1"),
        ("a = b!\n(c)\nreturn 1", "a = b·\n(c)\nreturn 1"),
    ]);
}

#[test]
fn a_line_end_in_a_type_does_not_part_an_arrow_function() {
    assert_erased(&[
        ("return (a): {\n  b: C\n} => a", "return (a····\n······\n) => a"),
        ("return (a\n): A => a", "return (a\n)··· => a"),
        ("return <\nT>(a) => a", "return (\n···a) => a"),
        ("return async <T\n>(a) => a", "return async (·\n··a) => a"),
    ]);
    assert_emitted(&[("return <\nA>a", "return ( a)"), ("return <A>{ b: 1 }", "return ( { b: 1 })")]);
}

#[test]
fn an_assertion_in_front_of_a_brace_or_function_keeps_it_an_expression() {
    assert_emitted(&[
        ("return () => <A>{ b: 1 }", "return () => ( { b: 1 })"),
        ("<A>function () {}; return 1", "( function () {}); return 1"),
    ]);
}

#[test]
fn classes_lose_what_only_types_need() {
    assert_erased(&[
        (
            "class A<T> extends B<T> implements C, D<E> { } return 1",
            "class A··· extends B···                    { } return 1",
        ),
        (
            "class A { a: B; b?: C; c!: D; declare e: F; } return 1",
            "class A { a···; b····; c····; ;············ } return 1",
        ),
        (
            "class A { public a = 1; private static readonly b = 2 } return 1",
            "class A { ······ a = 1; ······· static ········ b = 2 } return 1",
        ),
        (
            "class A { override m(): B { } protected get c(): D { } } return 1",
            "class A { ········ m()··· { } ········· get c()··· { } } return 1",
        ),
        (
            "abstract class A { abstract b(): C; abstract d: E; f() {} } return 1",
            "········ class A { ;··············· ;············· f() {} } return 1",
        ),
        ("class A { [a: string]: B; c() {} } return 1", "class A { ;·············· c() {} } return 1"),
        (
            "class A { m(a: B): C; m(a) {} constructor(); constructor(a?) {} } return 1",
            "class A { ;·········· m(a) {} ;············· constructor(a·) {} } return 1",
        ),
        (
            "class A { a = 1\n  public ['b'] = 2\n  private *c() {} } return 1",
            "class A { a = 1\n  ;····· ['b'] = 2\n  ;······ *c() {} } return 1",
        ),
        ("class A { m?(): B; ['c' as D]?: E } return 1", "class A { ;······· ['c'·····]···· } return 1"),
        (
            "class A { readonly = 1; static public = 2; async declare() {} } return 1",
            "class A { readonly = 1; static public = 2; async declare() {} } return 1",
        ),
        ("class A<in out T, const U> { } return 1", "class A··················· { } return 1"),
    ]);
}

#[test]
fn names_that_are_words_of_typescript_stay() {
    let source = "const type = 1, as = 2, declare = 3, namespace = 4\ntype\ndeclare\nreturn { type, as, satisfies: as, enum: 5 }";

    assert_eq!(typescript_body(source), source);
}

#[test]
fn parameter_properties_become_fields_and_assignments() {
    assert_emitted(&[
        (
            "class A { constructor(private a: B, public readonly c = 1, d) { f() } } return 1",
            "class A {a;c; constructor( a , c = 1, d) {this.a=a;this.c=c; f() } } return 1",
        ),
        (
            "class A extends B { constructor(readonly a) { const b = 1; super(b); f() } } return 1",
            "class A extends B {a; constructor( a) { const b = 1; super(b);;this.a=a; f() } } return 1",
        ),
    ]);
    let fault = typescript("class A extends B { constructor(public a) { if (a) { super() } } }").unwrap_err();
    assert_eq!(fault.message, "With parameter properties, `super(…)` must be a statement of the constructor");
}

#[test]
fn enums_become_objects() {
    assert_emitted(&[
        (
            "enum A { X, Y = 5, Z, } return A",
            "var A;(function(A) {[ A[A[\"X\"]=0]=\"X\" , A[A[\"Y\"]= 5]=\"Y\", A[A[\"Z\"]=6]=\"Z\" , ]})(A||(A={})); return A",
        ),
        (
            "enum A { X = 'x', 'y-z' = `y` } return A",
            "var A;(function(A) {[ A[\"X\"]= 'x', A[\"y-z\"]= `y` ]})(A||(A={})); return A",
        ),
        (
            "const enum A { X = 1 << 2, Y, Z = X | Y } return A",
            "var A;(function(A) {[ A[A[\"X\"]= 1 << 2]=\"X\", A[A[\"Y\"]=A[\"X\"]+1]=\"Y\" , A[A[\"Z\"]= A.X | A.Y]=\"Z\" ]})(A||(A={})); return A",
        ),
        (
            "enum A { X = -1, Y } enum A { Z = 3 } return A",
            "var A;(function(A) {[ A[A[\"X\"]= -1]=\"X\", A[A[\"Y\"]=0]=\"Y\" ]})(A||(A={})); ; A;(function(A) {[ A[A[\"Z\"]= 3]=\"Z\" ]})(A||(A={})); return A",
        ),
        ("{ enum A {} } return 1", "{ let A;(function(A) {[]})(A||(A={})); } return 1"),
    ]);
}

#[test]
fn namespaces_become_objects() {
    assert_emitted(&[
        (
            "namespace A { export const b = 1; const c = b } return A",
            "var A;(function(A) { ; const b = 1;;A.b=b; const c = b })(A||(A={})); return A",
        ),
        (
            "namespace A { export let b = 0; export function f() { b++; return { b } } } return A",
            "var A;(function(A) { ; A.b = 0; ; function f() { A.b++; return { b:A.b } };A.f=f; })(A||(A={})); return A",
        ),
        (
            "namespace A.B { export class C {} } return A",
            "var A;(function(A){var B;(function(B) { ; class C {};B.C=C; })(B=A.B||(A.B={}));})(A||(A={})); return A",
        ),
        (
            "namespace A { export enum B { C } } return A",
            "var A;(function(A) { ; var B;(function(B) {[ B[B[\"C\"]=0]=\"C\" ]})(B=A.B||(A.B={})); })(A||(A={})); return A",
        ),
        (
            "function f() {} namespace f { export const a = 1 } return f",
            "function f() {} ; f;(function(f) { ; const a = 1;f.a=a; })(f||(f={})); return f",
        ),
    ]);
}

#[test]
fn a_later_block_sees_what_an_earlier_one_exports() {
    let cases = [
        ("namespace A { export const x = 1 } namespace A { export const y = x + 1 }", "y = A.x + 1"),
        (
            "namespace A { export const x = 1 } namespace A { const x = 2; export const y = x + 1 }",
            "y = x + 1",
        ),
        ("enum P { A = 1, B = 2 } enum P { C = A | B }", " P.A | P.B]"),
        ("namespace O.M { export const a = 1 } namespace O { export const c = M.a }", "c = O.M.a"),
        ("const x = 0; namespace A { export const x = 1 } namespace B { export const y = x }", "y = x;"),
    ];

    for (source, expected) in cases {
        let body = typescript(source).unwrap().body;
        assert!(body.contains(expected), "{source}\n{body}");
    }
}

#[test]
fn lines_stay_and_columns_map_through_emitted_code() {
    let source =
        "enum A {\n  X = f(),\n  Y = g(), Z = h()\n}\nclass B { constructor(public c: number) { i() } }\nA.X";

    let prepared = typescript(source).unwrap();

    assert_eq!(prepared.body.lines().count(), source.lines().count());
    for (token, line, column) in [("f()", 2, 7), ("g()", 3, 7), ("h()", 3, 16), ("i()", 5, 43), ("A.X", 6, 1)]
    {
        let at = prepared.body.lines().nth(line as usize - 1).and_then(|text| text.rfind(token)).unwrap();
        let location = Location { line, column: Some(column) };
        assert_eq!(prepared.positions.locate(line, at as u32 + 1), Some(location), "{token}");
    }
}

#[test]
fn the_value_of_a_cell_with_types_is_found() {
    assert_erased(&[("const a: B = 1\ntype B = number", "const a··· = 1\n;··············")]);
    assert_emitted(&[
        ("interface A {}\nf() as A\ntype B = 1", "; return f() ;"),
        ("if (a as B) { c! } else { d as E }", "if (a ) { return c } else { return d }"),
        ("for (const a of b as C) a!", "let $value;for (const a of b ) $value=a ;return $value;"),
        ("export default async (a?: B): Promise<C> => a", "return (async (a ) => a)()"),
        ("enum A { X }\nA.X", "var A;(function(A) {[ A[A[\"X\"]=0]=\"X\" ]})(A||(A={})); return A.X"),
    ]);
}
