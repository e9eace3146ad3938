//! What a model is told about a cell that can't run.

use crate::common::{body, javascript, refused, refused_at, typescript};
use toolcell_protocol::{Language, Location};
use toolcell_source::{Fault, FaultKind, Options, code_frame, prepare};

#[test]
fn brace_injection_is_a_syntax_error() {
    let cases = [
        ("return 1 });\n(async () => { await 0", 1, 10),
        ("} {", 1, 1),
        ("1 }) ; ({", 1, 3),
        ("`${1}` }", 1, 8),
        ("return 1; /* open", 1, 11),
        ("return 1 // }\n}", 2, 1),
    ];

    for (source, line, column) in cases {
        assert_eq!(refused_at(source), (FaultKind::SyntaxError, line, column), "{source}");
    }
}

#[test]
fn a_fault_names_the_first_mistake_and_its_place() {
    let cases = [
        ("const x = {a: 1;\nreturn x;", "Expected `,` or `}` but found `;`", (1, 16)),
        ("const a = 1\nconst b = ", "Unexpected the end of the cell", (2, 11)),
        ("f(a b)", "Expected `,` or `)` but found `b`", (1, 5)),
        ("let x = 1; let x = 2", "Identifier `x` has already been declared", (1, 5)),
        ("const a", "Missing initializer in const declaration", (1, 7)),
        ("é = 😀", "Invalid Character `😀`", (1, 5)),
        ("```js\n\nlet y = = 1\n```", "Unexpected `=`", (3, 9)),
        ("\u{feff}let = ;", "Unexpected `;`", (1, 8)),
        ("a = 1  b = 2", "Expected a new statement or `;` before `b`", (1, 8)),
        ("break", "Illegal break statement", (1, 1)),
        ("with (a) {}", "'with' statements are not allowed", (1, 1)),
        ("if (a) {\n  f()", "Expected `}` but found the end of the cell", (2, 6)),
    ];

    for (source, message, (line, column)) in cases {
        let fault = refused(source);

        let location = Some(Location { line, column: Some(column) });
        assert_eq!(
            (fault.kind, &*fault.message, fault.location),
            (FaultKind::SyntaxError, message, location)
        );
    }
}

#[test]
fn a_known_cause_brings_advice() {
    let cases = [
        ("xs.forEach(x => { await f(x) })", "`await` in a function that is not async", "`await Promise.all("),
        ("const s = “a”", "Typographic quotation mark “", "Write strings with"),
        ("const s = `abc", "Template without its closing backtick", "backtick"),
        ("const s = 'abc\n'", "String without its closing quotation mark", "use backticks"),
        ("f(", "Expected `)` but found the end of the cell", "may be open"),
        ("if (a and b) {}", "Expected `)` but found `and`", "`&&`"),
        ("const x = not a", "Expected a new statement or `;` before `a`", "is `!`"),
        ("let x = 1\nlet x = 2", "Identifier `x` has already been declared", "without declaring it again"),
        ("const a = <div>{b}</div>", "JSX is not supported", "plain objects"),
        (
            "Here is the code:\n```js\nreturn 1\n```\nDone.",
            "Expected a new statement or `;` before `is`",
            "Markdown",
        ),
        ("export default 1\nf()", "`export default` must be the last statement of a cell", ""),
        ("@a class B {}", "A cell can't have decorators", ""),
    ];

    for (source, message, hint) in cases {
        let fault = refused(source);

        assert_eq!(fault.message, message, "{source}");
        assert!(fault.hint.clone().unwrap_or_default().contains(hint), "{source}: {fault:?}");
    }
}

#[test]
fn shell_text_is_refused_with_the_catalogued_tool() {
    let options =
        Options { language: Language::JavaScript, typescript_enabled: true, shell_tool: Some("run_shell") };

    assert_eq!(
        prepare("# list\nls -la", &options),
        Err(Fault {
            kind: FaultKind::ShellCommand,
            message: "This is a shell command, not a program: `ls -la`".into(),
            location: Some(Location { line: 2, column: Some(1) }),
            hint: Some(
                "Write a JavaScript program. To run a command, call the tool `run_shell` from it; \
                 `await tools.describe(\"run_shell\")` shows its input."
                    .into()
            ),
        })
    );
}

#[test]
fn shell_text_is_told_from_programs() {
    let shell = [
        "ls -la",
        "ls -l -a",
        "rm -rf /tmp/x",
        "git status",
        "git status && git diff",
        "cat <<EOF\nhello\nEOF",
        "#!/bin/bash\nls",
        "#!/bin/sh",
        "cd ..\nls",
        "Get-ChildItem -Path .",
        "$ npm install",
        "curl -s https://example.com | jq .",
        "```bash\ngit log -5\n```",
    ];
    let programs = [
        "true",
        "test",
        "pwd",
        "find(x)",
        "a || b",
        "ls - la",
        "ls-la",
        "ls\n-la",
        "const ls = 5, la = 3; ls -la",
        "function ls() {}\nls -la",
        "let sort = 3, r = 1\nsort -r",
        "total -tax",
        "sort -1",
        "cat && dog",
        "id -(a)",
    ];

    for source in shell {
        assert_eq!(refused(source).kind, FaultKind::ShellCommand, "{source}");
    }
    for source in programs {
        assert!(javascript(source).is_ok(), "{source}: {:?}", javascript(source));
    }
}

#[test]
fn python_gets_its_own_advice() {
    let cases = [
        ("import json\nprint(json.dumps({}))", (1, 1)),
        ("x = 1\ndef f(a):\n    return a", (2, 1)),
        ("for x in xs:\n    print(x)", (1, 1)),
        ("#!/usr/bin/env python3\nprint(1)", (1, 1)),
        ("result = f\"{a}\"", (1, 1)),
        ("if a:\n    b()", (1, 1)),
    ];

    for (source, (line, column)) in cases {
        let fault = refused(source);

        assert_eq!(fault.message, "This is Python, not JavaScript", "{source}");
        assert_eq!(fault.kind, FaultKind::SyntaxError);
        assert_eq!(fault.location, Some(Location { line, column: Some(column) }), "{source}");
        assert!(fault.hint.is_some());
    }
    assert_eq!(body("print(x)"), "return print(x)");
}

#[test]
fn the_label_of_the_cell_decides_the_kind() {
    let fault = typescript("const x: number = ;").unwrap_err();

    assert_eq!(
        (fault.kind, fault.location),
        (FaultKind::TypescriptTransformFailed, Some(Location { line: 1, column: Some(19) }))
    );
    assert_eq!(refused("const x: number = ;").kind, FaultKind::SyntaxError);
}

#[test]
fn what_typescript_has_beyond_types_is_refused_by_name() {
    let cases = [
        ("@a class B {}", "A cell can't have decorators"),
        ("class B { @a m() {} }", "A cell can't have decorators"),
        ("class B { m(@a x) {} }", "A cell can't have decorators"),
        ("class B { accessor x = 1 }", "A cell can't have `accessor` fields"),
        ("import a = require('b')", "`import … =` is not supported in a cell"),
        ("namespace A { export const x = 1 }\nimport y = A.x", "`import … =` is not supported in a cell"),
        ("if (a) { export const b = 1 }", "A cell can't have exports inside of something"),
        ("for (;;) export default a", "A cell can't have exports inside of something"),
        ("export = 1", "`export =` is not supported in a cell"),
        ("const a = <div className=\"b\">{1}</div>", "JSX is not supported"),
        ("enum A { X = 'x', Y }", "Enum member must have initializer"),
    ];

    for (source, message) in cases {
        let fault = typescript(source).unwrap_err();

        assert_eq!(
            (fault.kind, &*fault.message),
            (FaultKind::TypescriptTransformFailed, message),
            "{source}"
        );
    }
}

#[test]
fn types_are_a_mistake_where_typescript_is_not_enabled() {
    let options = Options { language: Language::JavaScript, typescript_enabled: false, shell_tool: None };

    let fault = prepare("const a: number = 1", &options).unwrap_err();

    assert_eq!(fault.kind, FaultKind::SyntaxError);
    assert_eq!(
        fault.hint.as_deref(),
        Some("Types are TypeScript, which is not enabled here: leave them out.")
    );
}

#[test]
fn functions_may_be_declared_twice_as_in_any_function() {
    let source = "function f() {}\nfunction f() {}\nvar f\nreturn arguments.length + new.target";

    assert!(javascript("function f() {}\nfunction f() {}\nvar f\nreturn arguments.length").is_ok());
    assert_eq!(refused_at(source).1, 4);
}

#[test]
fn a_frame_shows_the_models_own_text() {
    let source = "```js\nconst a = 1\nconst b = {a: 1;\nreturn b\n```";

    let location = refused(source).location.unwrap();

    assert_eq!(
        code_frame(source, location),
        "  1 | ```js\n  2 | const a = 1\n> 3 | const b = {a: 1;\n    |                ^\n  4 | return b\n  5 | ```"
    );
}
