// features: JSON.stringify of special values
await tick();
return [JSON.stringify({ a: undefined, b: () => 1, c: Symbol(), d: NaN, e: -0, f: [undefined, () => 1, Symbol()], g: new Date(0), h: null }), JSON.stringify(undefined) ?? "undefined", JSON.stringify(() => 1) ?? "undefined", JSON.stringify(new Boolean(false)), JSON.stringify(new Map([[1, 2]])), JSON.stringify(/x/), JSON.stringify(Infinity), JSON.stringify(Object.create({ a: 1 }))];
// ---
// features: JSON.stringify indentation and replacers
const data = { b: [1, { c: 2 }], a: "x", empty: [], none: {} };
return [JSON.stringify(data, null, 2), JSON.stringify(data, ["a", "c", "b"], "--"), JSON.stringify(data, (key, value) => key === "a" ? undefined : typeof value === "number" ? value + 1 : value), JSON.stringify([1], null, 20).length, JSON.stringify([1], null, "abcdefghijklmno").length];
// ---
// features: toJSON, this of replacers
const log = [];
const text = JSON.stringify({ when: { toJSON(key) { log.push(key); return "when!"; } }, list: [{ toJSON: (key) => typeof key + key }] }, function (key, value) { log.push([key, Array.isArray(this)]); return value; });
return [text, log];
// ---
// features: JSON.parse, revivers
const order = [];
const result = JSON.parse('{"a":[1,{"b":2}],"drop":3,"date":"2024-01-01"}', function (key, value) { order.push(key); return key === "drop" ? undefined : key === "date" ? new Date(value).getTime() : typeof value === "number" ? value * 10 : value; });
return [result, order];
// ---
// features: JSON.parse errors
return ["", "{", "[1,]", "{'a':1}", "01", "1.", ".5", "+1", "nul", '"\t"', '"\\x41"', "[1] x", "\u00a01", '{"a":1,}', "NaN", '"\\u12"', "-", "1e", " 1 ", '"\u2028"', "undefined", "[", "//"].map((text) => { try { return JSON.parse(text); } catch (error) { return error.name; } });
// ---
// features: JSON text escapes
return [JSON.stringify("\u2028\u0000\u001f\"\\/\u007f\b\f\n\r\t"), JSON.stringify("😀\ud83d"), JSON.stringify({ "key\n\"": 1 }), JSON.parse('"\\u00e9\\ud83d\\ude00\\/"'), JSON.parse('"\\"\\\\\\b"').length];
// ---
// features: JSON round trips, cycles
const cyclic = { a: [] };
cyclic.a.push(cyclic);
const outcomes = [];
try { JSON.stringify(cyclic); } catch (error) { outcomes.push(error.name); }
const shared = { x: 1 };
outcomes.push(JSON.stringify([shared, shared]));
const seen = new WeakSet();
outcomes.push(JSON.stringify(cyclic, (_, value) => typeof value === "object" && value !== null ? seen.has(value) ? "[cycle]" : (seen.add(value), value) : value));
await tick();
return outcomes;
// ---
// features: JSON numbers, duplicates, deep nesting
const depth = 300;
const deep = JSON.parse("[".repeat(depth) + "1" + "]".repeat(depth));
let levels = 0;
for (let at = deep; Array.isArray(at); at = at[0]) levels++;
return [JSON.parse('{"a":1,"a":2,"b":1e3,"c":-0.0,"d":123456789012345678901234567890}'), Object.is(JSON.parse("-0"), -0), levels, JSON.stringify(deep).length, Object.keys(JSON.parse('{"2":1,"1":2,"b":0,"a":0}'))];
// ---
// features: canonical JSON, sorted keys
const canonical = (value) => Array.isArray(value) ? `[${value.map(canonical)}]` : value && typeof value === "object" ? `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)}}` : JSON.stringify(value);
const query = (object) => Object.entries(object).flatMap(([key, value]) => [value].flat().map((each) => `${encodeURIComponent(key)}=${encodeURIComponent(each)}`)).join("&");
await tick();
return [canonical({ b: [3, { d: 1, c: null }], a: "é" }), query({ q: "a b", tags: ["x", "&"] })];
// ---
// features: parsers by hand, recursive descent
function parse(text) {
  let at = 0;
  const skip = () => { while (" \n".includes(text[at]) && at < text.length) at++; };
  const value = () => { skip(); if (text[at] === "(") { at++; const list = []; for (skip(); text[at] !== ")"; skip()) list.push(value()); at++; return list; } const [word] = /^[^\s()]+/.exec(text.slice(at)); at += word.length; return isNaN(word) ? word : Number(word); };
  return value();
}
const evaluate = (node) => Array.isArray(node) ? node.slice(1).map(evaluate).reduce({ "+": (a, b) => a + b, "*": (a, b) => a * b, "-": (a, b) => a - b }[node[0]]) : node;
const tree = parse("(+ 1 (* 2 3 4) (- 10 (+ 2 3)))");
await tick();
return [tree, evaluate(tree)];
