//! What holds for any text.

use crate::common::{javascript, typescript};
use proptest::prelude::*;
use toolcell_protocol::Location;
use toolcell_source::{Fault, Prepared, ToolOrigin, advise, code_frame};

const PROGRAMS: [&str; 8] = [
    include_str!("../../benches/cells/join.js"),
    include_str!("../../benches/cells/join.ts"),
    "enum A { X = 1, Y } namespace B { export let c: A = A.X; export function d() { return c } }\nB.d()",
    "abstract class A<T> implements B { private a?: T; constructor(public b: T) { super() } abstract c(): T }",
    "for (const x of y) { switch (x) { case 1: try { z } catch (e) { w } break; default: l: { v } } }",
    "```ts\nexport default async <T,>(a: T): Promise<\nT> => `a ${`b ${a as any}`} c`!\n```",
    "const a = <any>{ b: 1 }, c = a satisfies D\n(e)\n/re[/]/g.test(f) && g?.h!.i",
    "import type { A } from 'a'\nconst é = '😀' as string; require('b'); import('c'); é<!--d",
];

fn mutation() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(""),
        Just("("),
        Just("}"),
        Just("`"),
        Just("${"),
        Just("\n"),
        Just(" as "),
        Just(": "),
        Just("é"),
        Just("<"),
        Just("/"),
        Just("export default "),
        Just("async "),
    ];
    (0..PROGRAMS.len(), any::<prop::sample::Index>(), 0..12_usize, piece).prop_map(
        |(program, at, cut, piece)| {
            let characters: Vec<char> = PROGRAMS[program].chars().collect();
            let at = at.index(characters.len());
            let after = (at + cut).min(characters.len());
            characters[..at]
                .iter()
                .copied()
                .chain(piece.chars())
                .chain(characters[after..].iter().copied())
                .collect()
        },
    )
}

/// Whatever the answer is, it is about this source.
fn assert_sound(source: &str, answer: &Result<Prepared, Fault>) {
    match answer {
        Ok(prepared) => {
            for advice in advise(source, &|_| Some(ToolOrigin::Host)) {
                assert!(*advice.lines.end() as usize <= unified(source).split('\n').count(), "{advice:?}");
            }
            for (number, line) in (1..).zip(unified(&prepared.body).split('\n')) {
                for column in 1..=line.len() as u32 + 1 {
                    let place = prepared.positions.locate(number, column).unwrap();
                    assert!(exists(source, place), "{source:?} {number}:{column} {place:?}");
                }
            }
        }
        Err(fault) => {
            let place = fault.location.unwrap();
            assert!(exists(source, place), "{source:?} {place:?}");
            assert!(code_frame(source, place).lines().count() <= 6);
            assert!(!fault.message.is_empty());
        }
    }
}

/// The text with LF for every line end.
fn unified(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

fn exists(source: &str, place: Location) -> bool {
    let unified = unified(source);
    let line = unified.split('\n').nth(place.line as usize - 1);
    line.is_some_and(|line| (1..=line.chars().count() as u32 + 1).contains(&place.column.unwrap()))
}

proptest! {
    #[test]
    fn any_text_gets_an_answer_about_it(source in any::<String>()) {
        assert_sound(&source, &javascript(&source));
        assert_sound(&source, &typescript(&source));
    }

    #[test]
    fn any_text_of_syntax_gets_an_answer_about_it(
        source in "([a-z ]|[0-9]|[(){}\\[\\];,.:?!<>=+*/&|'\"`#@$\\\\-]|\n|\r\n|=>|as |let |if|é|```|\u{feff}){0,60}"
    ) {
        assert_sound(&source, &javascript(&source));
        assert_sound(&source, &typescript(&source));
    }

    #[test]
    fn a_mutated_program_gets_an_answer_about_it(source in mutation()) {
        assert_sound(&source, &javascript(&source));
        assert_sound(&source, &typescript(&source));
    }

    #[test]
    fn a_javascript_program_that_returns_is_left_as_it_is(
        statements in prop::collection::vec(
            prop_oneof![
                Just("const a0 = f(1)".to_owned()),
                Just("for (const x of y) { z(x) }".to_owned()),
                Just("if (a) { b() } else c\n".to_owned()),
                Just("/* é */ let \u{e9} = `😀 ${a}`".to_owned()),
                Just("function g() { return /[/]/ }".to_owned()),
                Just("await f();\r".to_owned()),
            ]
            .prop_map(|statement| format!("{{ {statement} }}\n")),
            0..8,
        ),
    ) {
        let source = format!("{}return 1", statements.concat());

        let prepared = javascript(&source).unwrap();

        prop_assert_eq!(&prepared.body, &source);
        assert_sound(&source, &Ok(prepared));
    }

    #[test]
    fn erasing_types_keeps_every_byte_column(types in prop::collection::vec("[A-Za-z]{1,5}(\\[\\]|<[A-Z]>)?", 1..6)) {
        let declared: Vec<_> =
            types.iter().enumerate().map(|(n, name)| format!("let v{n}: {name} = f() as {name};\n")).collect();
        let source = format!("{}return v0!", declared.concat());

        let prepared = typescript(&source).unwrap();

        prop_assert_eq!(prepared.body.len(), source.len());
        prop_assert!(
            prepared.body.bytes().zip(source.bytes()).all(|(new, old)| new == old || new == b' ')
        );
        assert_sound(&source, &Ok(prepared));
    }
}
