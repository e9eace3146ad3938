// features: object literals, shorthand, computed keys
const name = "x", key = "dyn";
const object = { name, [key + 1]: 1, method() { return this.name; }, get double() { return this.name.repeat(2); }, "quoted key": 2, 3: "three", [`t${1 + 1}`]: true };
await tick();
return [object, object.method(), Object.keys(object)];
// ---
// features: property order
const object = { b: 1, 10: 2, a: 3, 2: 4, "-1": 5, "01": 6, [Symbol("s")]: 7, 4294967295: 8, 4294967294: 9 };
object[1] = 0;
return [Object.keys(object), Reflect.ownKeys(object).length, JSON.stringify(object)];
// ---
// features: Object.entries, fromEntries, transformations
const prices = { apple: 1.5, pear: 2, fig: 0.25 };
const doubled = Object.fromEntries(Object.entries(prices).filter(([, price]) => price > 1).map(([name, price]) => [name.toUpperCase(), price * 2]));
return [doubled, Object.values(prices).reduce((a, b) => a + b), Object.entries("ab"), Object.entries([7])];
// ---
// features: property descriptors, defineProperty
const object = {};
Object.defineProperty(object, "fixed", { value: 1 });
Object.defineProperties(object, { shown: { value: 2, enumerable: true, writable: true }, computed: { get() { return this.shown * 10; }, configurable: true } });
const outcomes = [];
for (const attempt of [() => { object.fixed = 2; }, () => { delete object.fixed; }, () => { object.computed = 1; }, () => { object.shown = 5; }, () => Object.defineProperty(object, "fixed", { value: 3 })]) {
  try { attempt(); outcomes.push("fine"); } catch (error) { outcomes.push(error.name); }
}
return [outcomes, object.computed, Object.keys(object), Object.getOwnPropertyDescriptor(object, "fixed"), delete object.computed];
// ---
// features: freeze, seal, preventExtensions
"use strict";
const frozen = Object.freeze({ a: 1, deep: { b: 2 } }), sealed = Object.seal({ a: 1 }), closed = Object.preventExtensions({ a: 1 });
const outcomes = [];
for (const attempt of [() => { frozen.a = 2; }, () => { frozen.deep.b = 3; }, () => { sealed.a = 2; }, () => { delete sealed.a; }, () => { sealed.b = 1; }, () => { closed.b = 1; }, () => { delete closed.a; }, () => Object.freeze([1]).push(2)]) {
  try { attempt(); outcomes.push("fine"); } catch (error) { outcomes.push(error.name); }
}
return [outcomes, frozen, sealed, closed, Object.isFrozen("x"), Object.isFrozen(sealed), Object.isSealed(frozen), Object.isExtensible(closed)];
// ---
// features: prototypes, Object.create, hasOwn
const parent = { shared: 1 };
const child = Object.create(parent, { own: { value: 2, enumerable: true } });
const bare = Object.create(null);
bare.x = 1;
const keys = [];
for (const key in child) { await tick(); keys.push(key); }
return [keys, "shared" in child, Object.hasOwn(child, "shared"), child.hasOwnProperty("own"), "toString" in bare, Object.getPrototypeOf(bare), parent.isPrototypeOf(child), Object.keys(child)];
// ---
// features: for in, inherited and deleted keys
const object = Object.create({ inherited: 1, shadowed: 2 });
Object.assign(object, { a: 1, shadowed: 3, b: 2, c: 3 });
const seen = [];
for (const key in object) { seen.push(key); if (key === "a") { delete object.b; object.added = 1; } }
const ofList = [];
for (const key in ["x", "y"]) ofList.push(typeof key + key);
for (const key in null) ofList.push(key);
return [seen.filter((each) => each !== "added"), ofList];
// ---
// features: optional chaining, nullish coalescing
const data = { a: { list: [{ n: 0 }], f() { return this.list.length; } }, empty: "", zero: 0, none: null };
let evaluated = 0;
return [data?.a?.list?.[0]?.n, data.b?.c.d.e ?? "stopped", data.a.f?.(), data.a.g?.(evaluated++) ?? "no call", data.empty ?? "x", data.zero || "or", data.none ?? "nullish", data?.["a"]?.["list"].length, evaluated, delete data?.zero, delete data.q?.r];
// ---
// features: logical assignment
const object = { a: null, b: 0, c: "set", get ro() { return 1; } };
const log = [];
const value = (v) => (log.push(v), v);
object.a ??= value("filled");
object.b ||= value("or");
object.c &&= value("and");
object.c ??= value("never");
object.ro ||= value("never set");
object.d ??= (object.e ||= 5);
return [object, log];
// ---
// features: comparing and cloning deeply
const equal = (a, b) => Object.is(a, b) || (typeof a === "object" && typeof b === "object" && a !== null && b !== null && Array.isArray(a) === Array.isArray(b) && Object.keys(a).length === Object.keys(b).length && Object.keys(a).every((key) => Object.hasOwn(b, key) && equal(a[key], b[key])));
const clone = (value) => Array.isArray(value) ? value.map(clone) : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clone(each)])) : value;
const original = { a: [1, { b: null }], c: "x" };
const copy = clone(original);
await tick();
const same = equal(original, copy);
copy.a[1].b = 1;
return [same, equal(original, copy), original, equal([], {}), equal(NaN, NaN)];
// ---
// features: merging deeply, diffing objects
const isObject = (value) => value?.constructor === Object;
const merge = (a, b) => Object.entries(b).reduce((all, [key, value]) => ({ ...all, [key]: isObject(value) && isObject(all[key]) ? merge(all[key], value) : value }), a);
const diff = (a, b) => [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((key) => JSON.stringify(a[key]) !== JSON.stringify(b[key])).sort();
return [merge({ a: { x: 1, y: [1] }, b: 1 }, { a: { y: [2], z: 3 }, c: null }), diff({ a: 1, b: [1], c: 3 }, { a: 1, b: [2], d: 4 })];
// ---
// features: Object.assign, getters run, symbols copied
const symbol = Symbol("s");
const log = [];
const target = { set total(value) { log.push("set " + value); }, get total() { return "got"; } };
const result = Object.assign(target, { total: 5 }, null, "ab", [9], { get made() { log.push("get"); return 1; }, [symbol]: 2 });
return [result === target, log, target, target[symbol]];
// ---
// features: toString, valueOf, conversion order
const log = [];
const object = { toString() { log.push("toString"); return "7"; }, valueOf() { log.push("valueOf"); return 8; } };
const odd = { toString: () => ({}), valueOf: () => ({}) };
const outcomes = [object + 1, `${object}`, object * 2, object > 7, object == 8, [object] + "", { [object]: 1 }];
try { odd + 1; } catch (error) { outcomes.push(error.name); }
return [outcomes, log];
// ---
// features: __proto__ in literals and as a key
const viaLiteral = { __proto__: { inherited: 1 } };
const viaComputed = { ["__proto__"]: 1 };
const parsed = JSON.parse('{"__proto__": {"x": 1}}');
const shorthand = (() => { const __proto__ = 5; return { __proto__ }; })();
return [viaLiteral.inherited, Object.keys(viaLiteral), Object.keys(viaComputed), parsed.x ?? "safe", Object.keys(parsed), Object.hasOwn(shorthand, "__proto__"), ({ "__proto__": null }) instanceof Object];
// ---
// features: flattening paths, reading by path
const flatten = (value, path = "") => value !== null && typeof value === "object" ? Object.entries(value).flatMap(([key, each]) => flatten(each, path ? `${path}.${key}` : key)) : [[path, value]];
const read = (object, path) => path.split(".").reduce((at, key) => at?.[key], object);
const data = { a: { b: [1, { c: null }] }, d: "x" };
const paths = flatten(data);
await tick();
return [paths, paths.map(([path]) => read(data, path)), read(data, "a.q.z") ?? "absent"];
// ---
// features: legacy accessors, propertyIsEnumerable
const object = {};
object.__defineGetter__("x", () => 42);
object.__defineSetter__("y", function (value) { this.seen = value; });
object.y = 3;
return [object.x, object.seen, typeof object.__lookupGetter__("x"), object.propertyIsEnumerable("x"), [1].propertyIsEnumerable("length"), object.__proto__ === Object.prototype, Object.getOwnPropertyNames("ab")];
