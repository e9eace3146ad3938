//! The guest API beside calls: each function as a guest sees it.

mod common;

use common::run;

#[test]
fn structured_clone_keeps_shape_identity_and_cycles() {
    let code = "
        const shared = {n: 1};
        const o = {d: new Date(5), r: /x/gi, m: new Map([[shared, 'm']]), s: new Set([1, 2]), a: [1, , 3], shared, e: new TypeError('t')};
        o.self = o;
        const c = structuredClone(o);
        shared.n = 2;
        return [c !== o, c.self === c, [...c.m.keys()][0] === c.shared, c.shared.n, c.d.getTime(), String(c.r), [...c.s],
            1 in c.a, c.a.length, c.e instanceof TypeError, c.e.message, structuredClone(Object(5n)) == 5n];";

    assert_eq!(run(code).value(), r#"[true,true,true,1,5,"/x/gi",[1,2],false,3,true,"t",true]"#);
    let bytes = "
        const b = new ArrayBuffer(8), u = new Uint8Array(b, 2, 3), f = new Float32Array([1.5]);
        u[0] = 7;
        const [c, d, g] = structuredClone([b, u, f]);
        u[0] = 8;
        return [c !== b, d.buffer === c, d[0], d.length, d.byteOffset, g[0], g.constructor.name]";
    assert_eq!(run(bytes).value(), r#"[true,true,7,3,2,1.5,"Float32Array"]"#);
    let refused = "const names = [];
        for (const v of [() => 1, Symbol('s'), Promise.resolve(1), new WeakMap(), new Proxy({}, {})])
            try { structuredClone(v); names.push('cloned') } catch (e) { names.push(e.name) }
        return names";
    assert_eq!(
        run(refused).value(),
        r#"["DataCloneError","DataCloneError","DataCloneError","DataCloneError","DataCloneError"]"#
    );
}

#[test]
fn structured_clone_takes_a_value() {
    let ended = run("structuredClone()");

    assert_eq!(ended.failure().message, "TypeError: structuredClone(value) takes a value");
}

#[test]
fn text_is_encoded_and_decoded_as_utf8() {
    let code = r"
        const bytes = new TextEncoder().encode('é€\u{1F600}\ud800');
        const decoder = new TextDecoder();
        let fatal; try { new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([0xff])) } catch (e) { fatal = e.name }
        let label; try { new TextDecoder('latin1') } catch (e) { label = e.name }
        return [[...bytes].join(), decoder.decode(bytes), decoder.decode(bytes.buffer.slice(0, 2)), decoder.decode(),
            decoder.decode(new Uint8Array([0xEF, 0xBB, 0xBF, 65])), decoder.decode(new Uint8Array([0xff])), fatal, label];";

    assert_eq!(
        run(code).value(),
        "[\"195,169,226,130,172,240,159,152,128,239,191,189\",\"é€\u{1F600}\u{FFFD}\",\"é\",\"\",\"A\",\"\u{FFFD}\",\"TypeError\",\"RangeError\"]"
    );
    assert_eq!(run("return [btoa('abc'), atob('YWJj')]").value(), r#"["YWJj","abc"]"#);
}

#[test]
fn handles_call_their_tool_and_show_no_id() {
    let code = "
        const [h] = catalog.all();
        return [await h({a: 1}), h.callableName, h.toolName, 'id' in h, Object.isFrozen(h), catalog.all().length,
            JSON.stringify(Object.keys(h))]";

    assert_eq!(
        run(code).value(),
        r#"[{"a":1},"echo","echo",false,true,3,"[\"callableName\",\"toolName\",\"describe\"]"]"#
    );
}

#[test]
fn the_api_can_not_be_replaced() {
    let code = "
        const kept = [];
        for (const name of ['tools', 'text', 'json', 'console', 'catalog', 'API', 'MCP', 'namespaces', 'setTimeout', 'clearTimeout',
            'yield_control', 'structuredClone', 'TextEncoder', 'TextDecoder']) {
            const before = globalThis[name];
            try { globalThis[name] = 1 } catch {}
            try { delete globalThis[name] } catch {}
            try { Object.defineProperty(globalThis, name, {value: 2}) } catch {}
            if (globalThis[name] !== before) kept.push(name);
            if ((typeof before === 'object' || typeof before === 'function') && !Object.isFrozen(before)) kept.push('thaw ' + name);
        }
        return [kept, namespaces.MCP === MCP, API.list(), typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly,
            Object.getOwnPropertyNames(Error).sort()]";

    // Bare functions lie behind the global object: a guest can hide one from itself, not change it.
    let bare =
        "try { globalThis.echo = 1 } catch {} try { delete globalThis.echo } catch {} return await echo(5)";
    assert_eq!(run(bare).value(), "5");
    assert_eq!(
        run(code).value(),
        r#"[[],true,[],"undefined","undefined","undefined",["captureStackTrace","isError","length","name","prototype"]]"#
    );
}
