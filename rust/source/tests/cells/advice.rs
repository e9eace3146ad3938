//! What looks like a mistake, and what doesn't.

use toolcell_protocol::Location;
use toolcell_source::{AdviceKind, Complaint, ToolOrigin, advise, words_at};

use AdviceKind::{
    AsyncCallback, AsyncTest, McpPayload, NotAwaited, Positional, PromiseKept, PromiseUsed, ResultOfValue,
};

fn origin_of(name: &str) -> Option<ToolOrigin> {
    match name {
        "list" | "get" | "host:core:get" => Some(ToolOrigin::Host),
        "git_log" => Some(ToolOrigin::Mcp),
        _ => None,
    }
}

fn kinds(source: &str) -> Vec<AdviceKind> {
    advise(source, &origin_of).into_iter().map(|advice| advice.kind).collect()
}

fn only_text(source: &str) -> String {
    match &advise(source, &origin_of)[..] {
        [advice] => advice.text.clone(),
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn a_promise_used_as_its_value_is_found() {
    let cells = [
        "return tools.list().items",
        "return list()[0]",
        "return tools.list()?.items",
        "return tools['list']().items",
        "const r = tools.list();\nreturn r.items",
        "const r = list(); const {items} = r; return items",
        "const [first] = list(); return first",
        "for (const x of tools.list()) text(x)",
        "for await (const x of list()) text(x)",
        "return [...list()]",
        "return {...list()}",
        "return `${list()}`",
        "text(list())",
        "return JSON.stringify(tools.get({id: 1}))",
        "return Object.keys(get({id: 1}))",
        "return list() + 1",
        "await get({id: list()}).then(x => x); await get(list())",
        "async function load() { return 1 }\nconst n = load(); return n.x",
        "const load = async () => 1; return load().x",
        "return (async () => 1)().x",
        "const all = Promise.all([list(), list()]); return all.length",
        "return tools.search('a').length",
        "return list().then(x => x).length",
        "const rs = [1].map(async (x) => get({id: x})); return rs.join()",
        "const r: any = (tools.list() as any).items; return r",
    ];

    for source in cells {
        assert!(kinds(source).contains(&PromiseUsed), "{source}: {:?}", kinds(source));
    }
}

#[test]
fn correct_use_of_promises_is_no_mistake() {
    let cells = [
        "const r = await tools.list(); return r.items",
        "return (await list()).items",
        "const p = list(); const q = get({id: 1}); return [await p, await q]",
        "return await Promise.all([list(), get({id: 1})])",
        "const ps = [1].map(async (x) => get({id: x})); return (await Promise.all(ps)).join()",
        "return list().then(r => r.items)",
        "return list()",
        "let r = list(); r = await r; return r.items",
        "const [a, b] = await Promise.all([list(), list()]); return a.length",
        "const tools = {list() { return {items: 1} }}; return tools.list().items",
        "function get() { return {x: 1} } return get().x",
        "const same = list() === list(); return same",
        "for (const x of await list()) text(x)",
        "await get({id: 1}); return 1",
        "return unknown().x",
    ];

    for source in cells {
        assert_eq!(kinds(source), [], "{source}");
    }
}

#[test]
fn the_other_mistakes_are_found_by_kind() {
    let cases = [
        ("return await get(7)", Positional),
        ("return await get(7, 8)", Positional),
        ("return await Promise.all([7].map(get))", Positional),
        ("return await Promise.all([7].map(tools.list))", Positional),
        ("return await tools.get('a')", Positional),
        ("return await tools.get({id: 1}, 2)", Positional),
        ("return await tools.callValue('get', 7)", Positional),
        ("return await tools.call('get', `a`)", Positional),
        ("const r = await get({id: 1}); return r.result", ResultOfValue),
        ("return (await tools.callValue('get', {})).result.x", ResultOfValue),
        ("const {result} = await tools.get({}); return result", ResultOfValue),
        ("const r = await git_log({}); return r.map(x => x)", McpPayload),
        ("return (await MCP.git.gitLog({})).commits", McpPayload),
        ("const {commits} = await git_log({}); return commits", McpPayload),
        ("[1].forEach(async (x) => { await get({id: x}) })", AsyncCallback),
        ("const f = async (x) => x; [1].forEach(f)", AsyncCallback),
        ("return [1].filter(async (x) => get({id: x}))", AsyncTest),
        ("get({id: 1}); return 1", NotAwaited),
        ("return {a: get({id: 1})}", PromiseKept),
        ("return [1, get({id: 1})]", PromiseKept),
        ("return [1].map(async (x) => x)", PromiseKept),
    ];

    for (source, kind) in cases {
        assert_eq!(kinds(source), [kind], "{source}");
    }
}

#[test]
fn the_other_forms_have_their_correct_use() {
    let cells = [
        "return await get()",
        "return await get({id: 7})",
        "return await get(input)",
        "return await tools.callValue('get', {id: 7})",
        "return (await tools.call('get', {})).result",
        "return (await git_log({})).structuredContent",
        "const {content, isError} = await MCP.git.gitLog({}); return content",
        "return MCP.git.$api('x').header",
        "[1].forEach((x) => text(x))",
        "return parseInt('7', 10)",
        "class Rows { async filter(f) { return f(1) } } return await new Rows().filter(async (x) => x)",
        "const rows = {forEach: async (f) => f(1)}; return await rows.forEach(async (x) => x)",
        "const ps = [1].map(async (x) => x); return await ps.reduce((a, p) => a.then(() => p))",
        "return await tools.search('a', {limit: 2})",
    ];

    for source in cells {
        assert_eq!(kinds(source), [], "{source}");
    }
}

#[test]
fn advice_speaks_the_models_own_words() {
    let cases = [
        (
            "const r = tools.list({a: 1});\n\nreturn r.items",
            "Line 3: `r` is a promise here; write `await tools.list(…)` in line 1.",
        ),
        ("return list().items", "Line 1: `list()` gives a promise; write `(await list()).items`."),
        ("return `${get({id: 1})}`", "Line 1: `get(…)` gives a promise; write `await get(…)`."),
        (
            "const rows = xs.map(async (x) => x);\nreturn rows",
            "Line 2: `rows` is a list of promises; write `await Promise.all(rows)`.",
        ),
        (
            "return await tools.callValue(\"get\", 7)",
            "Line 1: a tool takes one object of named values; write `tools.callValue(\"get\", {name: value})`.",
        ),
        (
            "```js\nreturn await get(7)\n```",
            "Line 2: a tool takes one object of named values; write `get({name: value})`.",
        ),
    ];

    for (source, text) in cases {
        assert_eq!(only_text(source), text);
    }
}

#[test]
fn advice_knows_the_lines_of_its_expression() {
    let advice = advise("\n[1].forEach(\n  async (x) => x\n)", &origin_of);

    assert_eq!(advice.first().map(|advice| advice.lines.clone()), Some(2..=4));
}

#[test]
fn a_bare_complaint_gets_its_words() {
    let cases = [
        ("return xs.map(x => x)", 11, Complaint::NotAFunction, Some("xs.map")),
        ("return xs['map'](x => x)", 10, Complaint::NotAFunction, Some("xs['map']")),
        ("return f(1)", 8, Complaint::NotAFunction, Some("f")),
        ("for (const x of data.a) {}", 17, Complaint::NotIterable, Some("data.a")),
        ("return a.b.c.d", 8, Complaint::PropertyOfNothing("d"), Some("a.b.c")),
        ("return a.b.c.d", 8, Complaint::PropertyOfNothing("c"), Some("a.b")),
        ("return r[5].id", 12, Complaint::PropertyOfNothing("id"), Some("r[5]")),
        ("return r[0].id", 8, Complaint::PropertyOfNothing("id"), Some("r[0]")),
        ("return r[0][1]", 8, Complaint::PropertyOfNothing("1"), Some("r[0]")),
        ("x = 5", 1, Complaint::Assignment, Some("x")),
        ("x + 5", 1, Complaint::Assignment, None),
        ("return f(1)", 5, Complaint::NotAFunction, None),
        ("return xs.map((x) => x)", 15, Complaint::NotAFunction, Some("xs.map")),
        ("return text(xs.map((x) => x.y()))", 20, Complaint::NotAFunction, Some("xs.map")),
        ("return xs.map((x) => x.y(z))", 24, Complaint::NotAFunction, Some("x.y")),
        ("return xs.map((x) => x + 1)", 24, Complaint::NotAFunction, None),
        ("return JSON.stringify(xs.map())", 26, Complaint::NotAFunction, Some("xs.map")),
        ("const f = 1; f(xs.map())", 19, Complaint::NotAFunction, None),
        ("return xs.map((x) => x).y.z", 15, Complaint::PropertyOfNothing("z"), Some("xs.map((x) => x).y")),
        ("return a.x.x.x", 8, Complaint::PropertyOfNothing("x"), None),
        ("const n: number = q.map()", 21, Complaint::NotAFunction, Some("q.map")),
    ];

    for (source, column, complaint, words) in cases {
        let location = Location { line: 1, column: Some(column) };

        assert_eq!(words_at(source, location, complaint).as_deref(), words, "{source}");
    }
}

#[test]
fn text_that_is_no_cell_has_neither() {
    assert_eq!(advise("const = ", &origin_of), []);
    assert_eq!(advise(&"[".repeat(100_000), &origin_of), []);
    assert_eq!(words_at("const = ", Location { line: 1, column: Some(1) }, Complaint::NotAFunction), None);
}
