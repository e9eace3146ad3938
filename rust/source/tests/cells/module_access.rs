//! Reaching for modules is refused on the syntax tree; the words alone are not.

use crate::common::{body, javascript, refused_at, typescript, typescript_body};
use toolcell_source::FaultKind::{self, ModuleAccessDenied};

#[test]
fn reaching_for_a_module_is_refused_where_it_happens() {
    let cases = [
        ("import fs from 'fs'", 1, 1),
        ("import 'fs'", 1, 1),
        ("import * as fs from 'fs'", 1, 1),
        ("import { a as b } from 'fs'\nreturn 1", 1, 1),
        ("export * from 'fs'", 1, 1),
        ("export * as fs from 'fs'", 1, 1),
        ("export { a } from 'fs'", 1, 1),
        ("function f() { import fs from 'fs' }", 1, 16),
        ("const fs = await import('fs')", 1, 18),
        ("await import/* x */\n// y\n('os')", 1, 7),
        ("return import.meta.url", 1, 8),
        ("return `x ${await import('fs')} y`", 1, 19),
        ("const f = (a = import('fs')) => a", 1, 16),
        ("class A { static x = import('fs') }", 1, 22),
        ("class A { [import.meta.x]() {} }", 1, 12),
        ("return require('fs')", 1, 8),
        ("return require?.('fs')", 1, 8),
        ("return (require)('fs')", 1, 8),
        ("return (0, require)('fs')", 1, 8),
        ("return (0, (1, require))('fs').a", 1, 8),
        ("return r\\u0065quire('fs')", 1, 8),
        ("return r\\u{65}quire('fs')", 1, 8),
        ("require('a').b.c('d')", 1, 1),
        ("{ const require = 1 } require('fs')", 1, 23),
        ("function f(require) {} require('fs')", 1, 24),
        ("const o = { require() { return require('fs') } }", 1, 32),
        ("é();\n  import('fs')", 2, 3),
        ("return [import('a'), require('b')]", 1, 9),
    ];

    for (source, line, column) in cases {
        assert_eq!(refused_at(source), (ModuleAccessDenied, line, column), "{source}");
    }
}

#[test]
fn the_words_are_allowed_where_they_load_nothing() {
    let sources = [
        "return ['import x from \"y\"', `import('z')`, \"require('fs')\"]",
        "// import fs from 'fs'\n/* require('x'); import('y') */\nreturn 1",
        "return /import\\s*\\(|require\\(/.test('import(')",
        "return { import: 1, require(x) { return x }, export: 3, 'import': 4 }",
        "class K { import() {} static require = 1; get export() { return 1 } }\nreturn new K().import()",
        "return o.require('x') + o.import('y') + o?.import?.(9) + o['require']('z')",
        "const importFrom = 1, required = 2, $import = 3, requireAll = () => 4\nreturn requireAll()",
        "return [typeof require, typeof module, require === undefined]",
        "const require = (x) => x\nreturn require('fs')",
        "function require() {}\nreturn require('fs')",
        "return require('fs')\nfunction require() {}",
        "return ((require) => require('fs'))(1)",
        "const { require } = o\nreturn require('fs')",
        "try { f() } catch (require) { require('x') }\nreturn 1",
        "for (const require of fs) require('x')\nreturn 1",
        "const r = require\nreturn r",
        "return Function(\"return import('x')\")()",
    ];

    for source in sources {
        assert_eq!(body(source), source);
    }
}

#[test]
fn only_whole_type_imports_are_erased() {
    assert_eq!(typescript_body("import type A from 'a'\nreturn 1"), ";                     \nreturn 1");
    assert_eq!(
        typescript_body("type S = import('fs').Stats\nreturn 1"),
        ";                          \nreturn 1"
    );

    for source in [
        "import { type A } from 'a'",
        "import A, { type B } from 'a'",
        "export { type A } from 'a'",
        "function f() { import a from 'b' }",
        "return (require as any)('fs')",
        "return require!('fs')",
        "return require<string>('fs')",
    ] {
        assert_eq!(typescript(source).unwrap_err().kind, ModuleAccessDenied, "{source}");
    }
}

#[test]
fn an_export_without_a_module_is_a_plain_fault() {
    for source in
        ["export const a = 1", "export function f() {}", "const a = 1\nexport { a }", "export class A {}"]
    {
        assert_eq!(javascript(source).unwrap_err().kind, FaultKind::SyntaxError, "{source}");
    }
}
