// features: object destructuring, renaming, defaults, rest
const { a, b: renamed, c = "default", ...others } = { a: 1, b: 2, d: 4, e: 5 };
await tick();
return { a, renamed, c, others };
// ---
// features: array destructuring, holes, swapping
let [first, , third = "t", ...tail] = ["x", "y", undefined, 4, 5];
[first, third] = [third, first];
return [first, third, tail];
// ---
// features: nested destructuring, computed keys
const key = "dynamic";
const { user: { name, tags: [main, ...more] }, [key]: { deep = [1] } = {} } = { user: { name: "Ana", tags: ["a", "b", "c"] } };
return [name, main, more, deep];
// ---
// features: destructuring parameters, defaults that refer to others
function box({ width = 1, height = width * 2, label: { text } = { text: `${width}x${height}` } } = {}, [x = height] = []) {
  return [width, height, text, x];
}
return [box(), box({ width: 3 }), box({ height: 1, label: { text: "t" } }, [9])];
// ---
// features: order of evaluation in destructuring
const log = [];
const note = (name, value) => (log.push(name), value);
const source = { get x() { log.push("get x"); }, get y() { log.push("get y"); return 2; } };
const target = {};
({ [note("key x", "x")]: note("target x", target).x = note("default x", 1), [note("key y", "y")]: target.y = note("default y", 3) } = source);
return [log, target];
// ---
// features: destructuring assignment to properties
const object = { list: [] };
[object.a, object["b"], object.list[0], ...object.rest] = "abcdef";
for ({ x: object.each } of [{ x: 1 }, { x: 2 }]) await tick();
return object;
// ---
// features: destructuring of strings, numbers and booleans
const { length, 0: head } = "héllo";
const { toFixed } = 1;
const { constructor: { name } } = true;
const [...points] = "a😀b";
return [length, head, typeof toFixed, name, points];
// ---
// features: destructuring errors
const outcomes = [];
for (const attempt of [
  () => { const { a } = null; }, () => { const [a] = {}; }, () => { const { a: { b } } = {}; },
  () => { (({ a }) => a)(); }, () => { const [a] = { [Symbol.iterator]: () => 1 }; },
]) {
  try { attempt(); outcomes.push("fine"); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: destructuring in catch and for
const seen = [];
try { throw { code: 7, info: { at: [1, 2] } }; } catch ({ code, info: { at: [, second] } }) { seen.push(code, second); }
for (const [key, { n = 0 } = {}] of Object.entries({ a: { n: 1 }, b: {}, c: undefined })) { await tick(); seen.push(key + n); }
for (let { length } = "abc"; length > 0; length--) seen.push(length);
return seen;
// ---
// features: spread of iterables, spread of objects
const merged = { ...{ a: 1, b: 2 }, b: 3, ...null, ...undefined, ...[7, 8] };
const list = [...new Set([1, 1, 2]), ..."xy", ...new Map([["k", "v"]])];
return [merged, list, Math.max(...list.filter((each) => typeof each === "number"), -1)];
// ---
// features: spread and getters, own enumerable properties
class Base { inherited = 1; get hidden() { return 2; } }
const source = Object.create({ proto: 1 }, { shown: { enumerable: true, get: () => "got" }, not: { value: 1 } });
source[Symbol.for("s")] = "symbol";
const copy = { ...source, ...new Base() };
return [copy, Object.getOwnPropertyDescriptor(copy, "shown").value, copy[Symbol.for("s")]];
// ---
// features: default values, only undefined counts
const { a = 1, b = 2, c = 3, d = 4, e = 5 } = { a: null, b: undefined, c: 0, d: "", e: NaN };
const [f = "f", g = "g"] = [null];
return [a, b, c, d, Number.isNaN(e), f, g];
// ---
// features: function names from destructuring defaults
const { arrow = () => {}, named = function own() {}, klass = class {} } = {};
const [inArray = () => {}] = [];
return [arrow.name, named.name, klass.name, inArray.name];
// ---
// features: rest parameters, argument count
function gather(first, ...[second, ...others]) { return [first, second, others, arguments.length]; }
return [gather(1), gather(1, 2, 3, 4), ((...all) => all.length)(), (({ a }, b = 1, c) => 0).length];
// ---
// features: destructured async results
const load = async (id) => { await tick(); return { id, parts: [id * 2, { unit: "kg" }] }; };
const [{ id, parts: [weight, { unit }] }, { parts: { length } }] = await Promise.all([load(1), load(2)]);
return { id, weight, unit, length };
