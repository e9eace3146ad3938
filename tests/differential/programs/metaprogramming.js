// features: Proxy get and set traps
const log = [];
const proxy = new Proxy({ a: 1 }, {
  get(target, key, receiver) { log.push("get " + String(key)); return Reflect.get(target, key, receiver) ?? `no ${String(key)}`; },
  set(target, key, value) { log.push(`set ${key}`); target[key] = value * 2; return true; },
});
proxy.b = 5;
await tick();
return [proxy.a, proxy.b, proxy.c, log];
// ---
// features: Proxy has, deleteProperty, ownKeys traps
const hidden = new Proxy({ _secret: 1, shown: 2, other: 3 }, {
  has: (target, key) => !String(key).startsWith("_") && key in target,
  deleteProperty: (target, key) => key !== "shown" && delete target[key],
  ownKeys: (target) => Reflect.ownKeys(target).filter((key) => !key.startsWith("_")),
});
const outcomes = ["_secret" in hidden, "shown" in hidden, Object.keys(hidden), JSON.stringify(hidden), { ...hidden }];
try { delete hidden.shown; } catch (error) { outcomes.push(error.name); }
return [...outcomes, delete hidden.other, Object.keys(hidden)];
// ---
// features: Proxy apply and construct traps
function sum(a, b) { return a + b; }
const traced = new Proxy(sum, { apply: (target, self, args) => `${target.name}(${args}) = ${Reflect.apply(target, self, args)}`, construct: (target, args) => ({ made: args.length }) });
return [traced(1, 2), traced.call(null, 3, 4), new traced(1, 2, 3), typeof traced, traced.length, traced.name];
// ---
// features: Proxy invariants
const target = Object.freeze({ fixed: 1 });
const liar = new Proxy(target, { get: () => 2, has: () => false, ownKeys: () => [], set: () => true, getOwnPropertyDescriptor: () => undefined, getPrototypeOf: () => null, isExtensible: () => true });
const outcomes = [];
for (const attempt of [() => liar.fixed, () => "fixed" in liar, () => Object.keys(liar), () => { liar.fixed = 3; }, () => Object.getOwnPropertyDescriptor(liar, "fixed"), () => Object.getPrototypeOf(liar), () => Object.isExtensible(liar), () => liar.other]) {
  try { outcomes.push(attempt() ?? "undefined"); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: revocable proxies
const { proxy, revoke } = Proxy.revocable({ x: 1 }, {});
const before = proxy.x;
await tick();
revoke();
const outcomes = [];
for (const attempt of [() => proxy.x, () => "x" in proxy, () => typeof proxy, () => Object.keys(proxy), () => Array.isArray(proxy)]) {
  try { outcomes.push(attempt()); } catch (error) { outcomes.push(error.name); }
}
return [before, outcomes];
// ---
// features: Reflect methods
class Point { constructor(x) { this.x = x; this.target = new.target.name; } }
class Other {}
const made = Reflect.construct(Point, [1], Other);
const object = { a: 1 };
return [made, made instanceof Other, Reflect.has(object, "a"), Reflect.ownKeys({ b: 1, 1: 2, [Symbol.iterator]: 3 }).map(String), Reflect.defineProperty(Object.freeze({}), "x", { value: 1 }), Reflect.set(Object.freeze([1]), 0, 2), Reflect.deleteProperty(object, "a"), Reflect.getPrototypeOf([]) === Array.prototype, Reflect.apply(Math.max, null, [1, 3, 2]), Reflect.isExtensible(object), Reflect.setPrototypeOf(Object.preventExtensions({}), {})];
// ---
// features: Reflect.get and set with receivers
const object = { get full() { return this.first + " " + this.last; }, set full(value) { [this.first, this.last] = value.split(" "); }, first: "A", last: "B" };
const receiver = { first: "X", last: "Y" };
const got = Reflect.get(object, "full", receiver);
Reflect.set(object, "full", "New Name", receiver);
return [got, receiver, object.full];
// ---
// features: negative indices, proxies over arrays
const list = new Proxy([1, 2, 3], { get: (target, key, receiver) => Reflect.get(target, typeof key === "string" && /^-\d+$/.test(key) ? target.length + +key : key, receiver) });
const seen = [];
for (const each of list) { await tick(); seen.push(each); }
return [list[-1], list[0], list.length, Array.isArray(list), list.map((x) => x + 1), seen, JSON.stringify(list), [].concat(list)];
// ---
// features: observable objects, nested proxies
const changes = [];
const observe = (object, path = []) => new Proxy(object, {
  get: (target, key) => { const value = target[key]; return value && typeof value === "object" ? observe(value, [...path, key]) : value; },
  set: (target, key, value) => { changes.push([[...path, key].join("."), target[key] ?? null, value]); target[key] = value; return true; },
});
const state = observe({ user: { name: "Ana", tags: ["a"] } });
state.user.name = "Bo";
await tick();
state.user.tags[1] = "b";
state.count = 1;
return [changes, state.user.tags.length];
// ---
// features: order of trap calls
const log = [];
const handler = new Proxy({}, { get: (_, trap) => (...args) => { log.push(trap); return Reflect[trap](...args); } });
const proxy = new Proxy({ a: 1 }, handler);
({ ...proxy });
Object.assign(proxy, { b: 2 });
Object.entries(proxy);
"a" in proxy;
Object.freeze(proxy);
return log;
// ---
// features: method missing, fluent proxies
const path = (parts = []) => new Proxy(() => {}, { get: (_, key) => path([...parts, key]), apply: (_, __, args) => parts.join("/") + (args.length ? "?" + args.join("&") : "") });
const api = path();
return [api.users.list(), api.users["42"].posts("page=1", "size=2"), path(["root"])()];
// ---
// features: proxies as prototypes
const fallback = Object.create(new Proxy({}, { get: (_, key, receiver) => typeof key === "symbol" ? undefined : `${key} of ${Object.keys(receiver)}`, has: (_, key) => key === "virtual" }));
fallback.own = 1;
return [fallback.own, fallback.missing, "virtual" in fallback, "nope" in fallback, Object.hasOwn(fallback, "virtual")];
// ---
// features: getters on prototypes and caching, lazy properties
let computed = 0;
class Report { get total() { computed++; const value = 42; Object.defineProperty(this, "total", { value }); return value; } }
const report = new Report();
const first = report.total;
await tick();
return [first, report.total, computed, Object.keys(report), new Report().total, computed];
// ---
// features: instanceof through proxies, toStringTag through proxies
const error = new Proxy(new TypeError("x"), {});
const list = new Proxy([], {});
const tagged = new Proxy({ [Symbol.toStringTag]: "Own" }, {});
return [error instanceof TypeError, Object.prototype.toString.call(error), Object.prototype.toString.call(list), Object.prototype.toString.call(tagged), Object.prototype.toString.call(new Proxy(() => {}, {})), Object.prototype.toString.call(new Proxy(new Map(), {})), new Proxy(class A {}, {}).name];
