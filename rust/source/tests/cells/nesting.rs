//! Deep nesting is an answer, not a crash, on the stack that the engine has.

use std::thread;

use crate::common::{javascript, typescript};
use toolcell_protocol::Location;
use toolcell_source::{Complaint, Fault, Prepared, ToolOrigin, advise, words_at};

const STACK_BYTES: usize = 8 << 20;

fn on_engine_stack(source: String) -> [Result<Prepared, Fault>; 2] {
    let run = move || {
        for column in [Some(1), Some(source.len() as u32 / 2)] {
            let _ = words_at(&source, Location { line: 1, column }, Complaint::NotAFunction);
        }
        let _ = advise(&source, &|_| Some(ToolOrigin::Host));
        [javascript(&source), typescript(&source)]
    };
    thread::Builder::new().stack_size(STACK_BYTES).spawn(run).unwrap().join().unwrap()
}

fn enclosed(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_megabyte_of_brackets_is_refused_with_its_place() {
    for source in ["[".repeat(1 << 20), "`${".repeat(100_000), "(".repeat(1 << 20), "{a:".repeat(300_000)] {
        for answer in on_engine_stack(source) {
            let fault = answer.unwrap_err();
            assert_eq!(fault.message, "Nested too deeply: more than 1000 levels");
            assert!(fault.location.is_some());
        }
    }
}

#[test]
fn what_is_just_not_too_deep_fits_the_stack() {
    let sources = [
        enclosed("(", "1", ")", 990),
        enclosed("({a:", "1", "})", 320),
        enclosed("(function () { return ", "1", "})", 320),
        enclosed("(x => ", "1", ")", 480),
        enclosed("class A { m() { ", "", "}}", 480),
        enclosed("if (a) { ", "b", "}", 480),
        enclosed("if (a) b; else ", "c", "", 990),
        enclosed("`${", "1", "}`", 990),
        enclosed("f(", "1", ")", 990),
        enclosed("!", "1", "", 990),
        enclosed("x => ", "1", "", 990),
        enclosed("a = ", "1", "", 990),
        enclosed("a + ", "1", "", 15_900),
        enclosed("", "a", ".b", 15_900),
        enclosed("", "a", "()", 15_900),
        enclosed("", "a", "``", 15_900),
        enclosed("", "a()", ".then()", 7_900),
    ];

    for source in sources {
        let [answer, _] = on_engine_stack(source.clone());
        assert!(answer.is_ok(), "{source:.40} {:?}", answer.unwrap_err());
    }
}

#[test]
fn types_that_are_just_not_too_deep_fit_the_stack() {
    let sources = [
        format!("type A = {}", enclosed("(", "B", ")", 980)),
        format!("type A = {}", enclosed("{ a: ", "B", "}", 480)),
        format!("type A = {}", enclosed("B<", "C", ">", 480)),
        format!("type A = {}", enclosed("B extends C ? D : ", "E", "", 320)),
        format!("type A = {}", enclosed("keyof ", "B", "", 980)),
        format!("type A = B{}", "[]".repeat(15_000)),
        format!("a{}", " as B".repeat(15_000)),
        format!("a{}", "!".repeat(15_900)),
        enclosed("<A>", "a", "", 480),
        enclosed("namespace A { ", "let a", "}", 950),
    ];

    for source in sources {
        let [_, answer] = on_engine_stack(source.clone());
        assert!(answer.is_ok(), "{source:.40} {:?}", answer.unwrap_err());
    }
}
