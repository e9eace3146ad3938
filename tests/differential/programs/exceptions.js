// features: try, catch, finally, optional catch binding
const log = [];
try { log.push("try"); null.x; log.push("never"); } catch { log.push("catch"); } finally { await tick(); log.push("finally"); }
try { log.push("fine"); } finally { log.push("again"); }
return log;
// ---
// features: error types, names of built-in errors
const attempts = [() => null.x, () => undefinedName, () => new Array(-1), () => decodeURI("%"), () => (1).toFixed(200), () => "x".repeat(-1), () => [].reduce(() => 1), () => Symbol() + "", () => 1n + 1, () => JSON.parse("{"), () => new (class { #x; static t(o) { o.#x; } }).constructor.t({}), () => null[Symbol.iterator], () => eval("("), () => ({}).x.y, () => (void 0)(), () => new 5, () => [...1], () => "abc".normalize("x"), () => new Proxy({}, null), () => Object.defineProperty(1, "x", {}), () => ({}) instanceof 5, () => "x" in "y", () => BigInt(1.5), () => new Intl2()];
return attempts.map((attempt) => { try { attempt(); return "fine"; } catch (error) { return error.name; } });
// ---
// features: throwing any value, rethrowing
const thrown = [];
for (const value of [1, "text", null, undefined, { code: 5 }, [1], true]) {
  try { try { await tick(); throw value; } catch (error) { thrown.push(error ?? String(error)); throw error; } } catch (again) { thrown.push(again === value); }
}
return thrown;
// ---
// features: error causes, AggregateError
const root = new TypeError("root");
const error = new Error("outer", { cause: root });
const many = new AggregateError([error, 1], "many", { cause: "c" });
return [error.cause === root, Object.keys(error), "cause" in new Error("x"), new Error("y", { cause: undefined }).hasOwnProperty("cause"), many.errors.length, many.message, many.cause, many instanceof Error, String(many)];
// ---
// features: error properties, toString
const error = new Error("m");
const odd = new Error();
odd.name = "";
odd.message = "only message";
const empty = Object.create(Error.prototype);
return [String(error), String(odd), String(empty), Object.getOwnPropertyDescriptor(error, "message").enumerable, Error("no new") instanceof Error, Error.prototype.toString.call({ name: "N", message: "M" }), Error.prototype.toString.call({}), new Error(undefined).hasOwnProperty("message"), new Error(null).message, typeof error.stack, Error.length, RangeError.prototype.name, Object.getPrototypeOf(RangeError) === Error];
// ---
// features: nested finally, exceptions in finally and catch
const log = [];
const run = (f) => { try { log.push(["ok", f()]); } catch (error) { log.push(["bad", error.message]); } };
run(() => { try { throw new Error("a"); } finally { throw new Error("b"); } });
run(() => { try { throw new Error("c"); } catch (error) { throw new Error(error.message + "d"); } finally { log.push("f"); } });
run(() => { try { return "value"; } finally { log.push("before return"); } });
run(() => { for (;;) { try { throw new Error("e"); } finally { break; } } return "swallowed"; });
return log;
// ---
// features: stack overflow is catchable
let depth = 0;
const dive = () => { depth++; return dive() + 1; };
let caught;
try { dive(); } catch (error) { caught = error instanceof RangeError; }
await tick();
return [caught, depth > 1000, [1, 2, 3].map((x) => x + 1)];
// ---
// features: results instead of exceptions, custom error hierarchies
class ValidationError extends Error { constructor(field, problem) { super(`${field}: ${problem}`); this.name = new.target.name; this.field = field; } toJSON() { return { field: this.field, message: this.message }; } }
class MissingField extends ValidationError { constructor(field) { super(field, "is missing"); } }
const validate = (data, ...fields) => { const errors = fields.flatMap((field) => field in data ? data[field] ? [] : [new ValidationError(field, "is empty")] : [new MissingField(field)]); return errors.length ? { ok: false, errors } : { ok: true, data }; };
const { errors } = validate({ a: 1, b: "" }, "a", "b", "c");
await tick();
return [JSON.stringify(errors), errors.map((each) => each.name), errors[1] instanceof ValidationError, validate({ a: 1 }, "a")];
// ---
// features: errors in callbacks, getters, constructors and coercions
const attempts = { map: () => [1].map(() => { throw "map"; }), sort: () => [2, 1].sort(() => { throw "sort"; }), getter: () => ({ get x() { throw "getter"; } }).x, coercion: () => `${{ toString() { throw "coercion"; } }}`, constructor: () => new (class { constructor() { throw "constructor"; } })(), field: () => new (class { x = (() => { throw "field"; })(); })(), iterator: () => { for (const each of { get [Symbol.iterator]() { throw "iterator"; } }) ; }, replace: () => "a".replace(/a/, () => { throw "replace"; }), json: () => JSON.stringify({ toJSON() { throw "json"; } }), reviver: () => JSON.parse("[1]", () => { throw "reviver"; }), defaults: () => ((x = (() => { throw "defaults"; })()) => x)(), computed: () => ({ [{ toString() { throw "computed"; } }]: 1 }), tag: () => (() => { throw "tag"; })`x`, spread: () => Math.max(...(function* () { yield 1; throw "spread"; })()) };
return Object.entries(attempts).map(([name, attempt]) => { try { attempt(); return name + " is fine"; } catch (error) { return error === name; } });
// ---
// features: syntax errors at run time
return ["let a; let a;", "1 +", "const x;", "return 1", "await 1", "yield = 1; 'use strict'; with (a) {}", "({a:1, a:2})", "'use strict'; 010", "for (let x of [1], [2]) ;", "a => { 'use strict'; arguments = 1 }", "class A { constructor() {} constructor() {} }", "break;", "new.target", "super.x", "`${`", "/(/", "x?.y = 1", "({ a = 1 })", "async () => { for await (x in y); }", "if (1) class C {}"].map((text) => { try { new Function(text); return "fine"; } catch (error) { return error.name; } });
// ---
// features: cleaning up resources in order
const log = [];
const open = (name) => ({ name, close: async () => { await tick(); log.push("close " + name); } });
async function using(names, body) {
  const opened = [];
  try { for (const name of names) { if (name === "bad") throw new Error("cannot open"); opened.push(open(name)); } return await body(opened.map((each) => each.name)); }
  finally { for (const each of opened.reverse()) await each.close(); }
}
log.push(await using(["a", "b"], async (names) => names.join("+")));
await using(["c", "bad", "d"], () => "never").catch((error) => log.push(error.message));
return log;
