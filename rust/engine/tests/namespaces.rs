//! `MCP`, `namespaces` and `API` as a guest sees them.

mod common;

use common::{Ended, Mode, catalog, run, run_catalog, start};
use toolcell_protocol::{ApiFile, CallForm, Catalog, Method, Namespace, NamespaceFunction, NamespaceKind};

fn function(group: Option<&str>, name: &str, alias: Option<&str>, id: &str) -> NamespaceFunction {
    NamespaceFunction {
        group: group.map(Into::into),
        name: name.into(),
        alias: alias.map(Into::into),
        id: id.into(),
    }
}

fn two_servers() -> Catalog {
    let git = Namespace {
        kind: NamespaceKind::Mcp,
        member: "myGit".into(),
        name: "my-git".into(),
        listed: true,
        functions: vec![
            function(None, "gitLog", Some("git-log"), "mcp:my-git:git-log"),
            function(None, "fail", None, "mcp:my-git:fail"),
            function(Some("resources"), "list", None, "mcp:my-git:resources/list"),
            function(Some("resources"), "read", None, "mcp:my-git:resources/read"),
        ],
    };
    let down = Namespace {
        kind: NamespaceKind::Mcp,
        member: "down".into(),
        name: "down".into(),
        listed: false,
        functions: vec![],
    };
    let billing = Namespace {
        kind: NamespaceKind::Host,
        member: "billing".into(),
        name: "billing".into(),
        listed: true,
        functions: vec![function(None, "send", None, "host:core:echo")],
    };
    let file = |path: &str, text: &str| ApiFile {
        path: path.into(),
        description: format!("about {path}"),
        text: text.into(),
    };
    Catalog {
        namespaces: vec![git, down, billing],
        files: vec![file("mcp/index.d.ts", "// all"), file("mcp/myGit.d.ts", "// git é")],
        ..catalog(&["echo"])
    }
}

fn run_answering(catalog: &Catalog, code: &str, found: &'static [u8]) -> Ended {
    let direct = run_catalog(catalog.clone(), start(code), Mode::Direct, found);
    let suspended = run_catalog(catalog.clone(), start(code), Mode::Suspended, found);
    assert_eq!(direct.result, suspended.result, "suspending changed the result of\n{code}");
    direct
}

fn run_in(catalog: &Catalog, code: &str) -> Ended {
    run_answering(catalog, code, b"null")
}

fn tool(target: &str, input: Option<&str>, form: CallForm) -> Method {
    Method::Tool { target: target.into(), input: input.map(Into::into), form }
}

#[test]
fn functions_of_a_server_have_two_names_and_one_dispatcher() {
    let code = r#"
        const log = MCP.myGit.gitLog;
        const a = await log({n: 1});
        const b = await MCP["my-git"]["git-log"]({n: 2}, {raw: true});
        const c = await MCP.myGit.resources.read({uri: "x"}, {raw: false});
        const d = await namespaces.billing.send({n: 3});
        return [a, b, c, d, MCP.myGit === MCP["my-git"], MCP.myGit.gitLog === log, log.name, MCP.myGit.$serverName]"#;
    let ended = run_in(&two_servers(), code);

    assert_eq!(ended.value(), r#"[{"n":1},{"n":2},{"uri":"x"},{"n":3},true,true,"gitLog","my-git"]"#);
    assert_eq!(
        ended.calls,
        [
            tool("mcp:my-git:git-log", Some(r#"{"n":1}"#), CallForm::Mcp),
            tool("mcp:my-git:git-log", Some(r#"{"n":2}"#), CallForm::McpRaw),
            tool("mcp:my-git:resources/read", Some(r#"{"uri":"x"}"#), CallForm::Mcp),
            tool("host:core:echo", Some(r#"{"n":3}"#), CallForm::Value),
        ]
    );
}

#[test]
fn what_servers_offer_can_be_listed_and_not_changed() {
    let code = r#"
        "use strict";
        const refused = [];
        for (const change of [() => { MCP.myGit.gitLog = 1 }, () => { MCP.other = 1 }, () => { delete MCP.myGit },
                              () => { MCP.myGit.resources.read = 1 }, () => { namespaces.MCP = 1 }])
            try { change(); refused.push(false) } catch (error) { refused.push(error.name) }
        return [Object.keys(MCP), Object.keys(MCP.myGit), Object.keys(MCP.myGit.resources), Object.keys(namespaces),
            namespaces.MCP === MCP, MCP.nope, MCP.myGit.nope, typeof MCP.myGit.then, refused]"#;

    assert_eq!(
        run_in(&two_servers(), code).value(),
        r#"[["myGit","down"],["gitLog","fail","resources"],["list","read"],["MCP","billing"],true,null,null,"undefined",["TypeError","TypeError","TypeError","TypeError","TypeError"]]"#
    );
}

#[test]
fn any_name_of_a_server_that_is_not_known_yet_can_be_called() {
    let ended = run_in(&two_servers(), "await MCP.down.fail({})");

    assert_eq!(ended.failure().message, "ToolError: disk full");
    assert_eq!(ended.calls, [tool("mcp:down:fail", Some("{}"), CallForm::Mcp)]);
    assert_eq!(run_in(&two_servers(), "return (await MCP.down) === MCP.down").value(), "true");
}

#[test]
fn a_function_that_is_not_there_is_named() {
    let ended = run_in(&two_servers(), "return await MCP.myGit.gitLogg({})");

    assert_eq!(ended.failure().missing, ["MCP.myGit.gitLogg"]);
    assert_eq!(ended.calls, []);
    assert_eq!(run_in(&two_servers(), "MCP.git.log()").failure().missing, ["MCP.git"]);
}

#[test]
fn questions_about_an_api_carry_the_server_and_the_arguments() {
    let code = "await MCP.myGit.$api('git-log', {schema: true}); await MCP.$api(); return 1";
    let ended = run_in(&two_servers(), code);

    assert_eq!(ended.value(), "1");
    assert_eq!(
        ended.calls,
        [
            Method::Api {
                server: Some("my-git".into()),
                arguments: br#"["git-log",{"schema":true}]"#.to_vec()
            },
            Method::Api { server: None, arguments: b"[null,null]".to_vec() },
        ]
    );
}

#[test]
fn files_are_read_without_a_call() {
    let code = r#"
        const refused = [];
        for (const path of ["mcp/none.d.ts", "../mcp/index.d.ts", "mcp/./index.d.ts", "", 7, undefined])
            try { API.read(path); refused.push(false) } catch (error) { refused.push(error.name) }
        return [API.list(), API.list("mcp/my").length, API.list("x"), API.read("mcp/myGit.d.ts"), refused]"#;
    let ended = run_in(&two_servers(), code);

    assert_eq!(
        ended.value(),
        r#"[[{"path":"mcp/index.d.ts","description":"about mcp/index.d.ts","bytes":6},{"path":"mcp/myGit.d.ts","description":"about mcp/myGit.d.ts","bytes":9}],1,[],"// git é",["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]]"#
    );
    assert_eq!(ended.calls, []);
}

#[test]
fn unwrap_gives_the_data_of_a_result() {
    let code = r#"
        const text = (...texts) => ({content: texts.map((text) => ({type: "text", text}))});
        let wrong = [];
        for (const value of [undefined, null, "x", 7, {}, {content: 1}, Promise.resolve({})])
            try { unwrap(value); wrong.push(false) } catch (error) { wrong.push(error.name) }
        return [unwrap({...text("no"), structuredContent: {a: 1}}), unwrap(text(' {"a": [1]} ')), unwrap(text("[1]")), unwrap(text("7")),
            unwrap(text("{broken")), unwrap(text("a", "b")), unwrap({content: [{type: "image"}, {type: "text", text: "t"}]}),
            unwrap({content: []}), String(unwrap(text('{"n": 12345678901234567890}')).n), wrong]"#;

    assert_eq!(
        run(code).value(),
        r#"[{"a":1},{"a":[1]},[1],"7","{broken","a\nb","t","","12345678901234567890",["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]]"#
    );
}

#[test]
fn a_handle_of_an_mcp_tool_calls_as_its_server_does() {
    let catalog = two_servers();
    let code = r#"
        const [handle] = await catalog.search("log");
        return [handle.callableName, handle.toolName, handle.source, await handle({n: 1}, {raw: true})]"#;
    let found = br#"[{"id":"mcp:my-git:git-log","name":"git-log","source":"mcp"}]"#;
    let ended = run_answering(&catalog, code, found);

    assert_eq!(ended.value(), r#"["MCP.myGit.gitLog","git-log","mcp",{"n":1}]"#);
    assert_eq!(ended.calls.last(), Some(&tool("mcp:my-git:git-log", Some(r#"{"n":1}"#), CallForm::McpRaw)));
}

#[test]
fn the_host_is_told_once_that_the_guest_sees_words_of_servers() {
    let seen = [
        "return Object.keys(MCP.myGit)",
        "await 0; return JSON.stringify(Object.entries(namespaces.MCP.down).concat(Object.entries(MCP['my-git'])))",
        "for (const name in MCP.myGit) text(name)",
        "const read = API.read; return read('mcp/myGit.d.ts') + read('mcp/index.d.ts')",
        "return globalThis['M' + 'CP'].myGit",
    ];
    let not_seen = [
        "return Object.keys(MCP)",
        "return [API.list(), typeof MCP.myGit.gitLog, MCP.myGit.$serverName, Object.keys(namespaces.billing)]",
    ];

    for code in seen {
        assert!(run_in(&two_servers(), code).foreign_words, "{code}");
    }
    for code in not_seen {
        assert!(!run_in(&two_servers(), code).foreign_words, "{code}");
    }
}
