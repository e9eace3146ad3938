// features: closures, counters
function counter() { let n = 0; return { up: () => ++n, down: () => --n, get value() { return n; } }; }
const one = counter(), two = counter();
one.up(); one.up(); two.down();
await tick();
return [one.value, two.value, one.up()];
// ---
// features: currying, composition
const curry = (f) => function next(...args) { return args.length >= f.length ? f(...args) : (...more) => next(...args, ...more); };
const compose = (...fs) => (x) => fs.reduceRight((value, f) => f(value), x);
const add3 = curry((a, b, c) => a + b + c);
return [add3(1)(2)(3), add3(1, 2)(3), compose((x) => x + 1, (x) => x * 10)(5)];
// ---
// features: hoisting, function declarations in blocks
const before = typeof declared;
function declared() { return "declared"; }
let inner;
{
  inner = block();
  function block() { return "block"; }
}
return [before, inner, typeof block];
// ---
// features: call, apply, bind
function show(greeting, mark) { return `${greeting} ${this.name}${mark}`; }
const bound = show.bind({ name: "Ana" }, "hi");
const again = bound.bind({ name: "Bo" }, "?");
return [show.call({ name: "X" }, "yo", "."), show.apply({ name: "Y" }, ["hey", "!"]), bound("!"), again(), bound.name, bound.length];
// ---
// features: bound constructors, new with bind
function Pair(a, b) { this.a = a; this.b = b; }
const Half = Pair.bind(null, 1);
const made = new Half(2);
return [made, made instanceof Half, made instanceof Pair, Half.prototype === undefined, Reflect.construct(Half, [5])];
// ---
// features: strict mode, this
function bare() { return this === undefined; }
const object = { method() { return this === object; }, arrow: () => this === undefined };
const taken = object.method;
return [bare(), object.method(), taken(), (0, object.method)(), (object.method)(), typeof (function () { return this; }).call(5)];
// ---
// features: arguments object
function collect() { const list = Array.from(arguments); arguments[0] = "changed"; return [list, arguments.length, arguments[0]]; }
function unmapped(a) { arguments[0] = "x"; return a; }
return [collect(1, 2), unmapped("kept"), (function () { return [...arguments].reverse(); })(1, 2, 3), Object.prototype.toString.call((function () { return arguments; })())];
// ---
// features: default parameters, scope of defaults
let outer = "outer";
function f(a = outer, b = () => a, c = b()) { let outer = "inner"; return [a, b(), c, outer]; }
const calls = [];
const g = (x = calls.push("evaluated")) => x;
g(1); g(); g(undefined);
return [f(), f("given"), calls.length];
// ---
// features: recursion, mutual recursion
const isEven = (n) => n === 0 || isOdd(n - 1);
const isOdd = (n) => n !== 0 && isEven(n - 1);
const ackermann = (m, n) => m === 0 ? n + 1 : n === 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
const hanoi = (n, from, to, via) => n === 0 ? 0 : hanoi(n - 1, from, via, to) + 1 + hanoi(n - 1, via, to, from);
return [isEven(100), isOdd(7), ackermann(2, 3), hanoi(6, "a", "b", "c")];
// ---
// features: immediately invoked functions, module pattern
const api = ((state) => {
  const history = [];
  return { set(value) { history.push(state); state = value; return this; }, undo() { state = history.pop(); return this; }, read: () => state };
})("initial");
const seen = [api.set("a").set("b").read()];
await tick();
seen.push(api.undo().read(), api.undo().read());
return seen;
// ---
// features: memoisation, higher-order functions
const memo = (f, cache = new Map()) => (n) => cache.has(n) ? cache.get(n) : (cache.set(n, f(n)), cache.get(n));
let calls = 0;
const fib = memo((n) => (calls++, n < 2 ? n : fib(n - 1) + fib(n - 2)));
return [fib(40), calls];
// ---
// features: function properties, names, lengths
const functions = { plain: function () {}, arrow: (a, b) => {}, method(a, b = 1, c) {}, async later() {}, *gen() {}, ["com" + "puted"]: () => {} };
const symbol = Symbol("desc");
functions[symbol] = () => {};
const withSymbol = { [symbol]: () => {} };
return [Object.values(functions).map((f) => [f.name, f.length]), withSymbol[symbol].name, (() => {}).name, new Function("a", "b", "return a").name];
// ---
// features: Function constructor, indirect eval
globalThis.shared = 5;
const local = 1;
const made = new Function("a", "b", "return a * b + shared");
const indirect = (0, eval)("typeof local + shared");
return [made(2, 3), indirect, eval("local + 1"), new Function("...xs", "return xs.length")(1, 2, 3)];
// ---
// features: named function expressions, self reference
const factorial = function self(n) { return n < 2 ? 1 : n * self(n - 1); };
const copy = factorial;
let attempt;
try { (function fixed() { fixed = 1; })(); } catch (error) { attempt = error.name; }
return [copy(6), typeof self, attempt];
// ---
// features: var scope, closures in loops
var functions = [];
for (var i = 0; i < 3; i++) functions.push(() => i);
for (let j = 0; j < 3; j++) functions.push(() => j++);
await tick();
var i;
return [functions.map((f) => f()), functions.slice(3).map((f) => f()), i];
// ---
// features: debounce-like state machines, event emitters
class Emitter {
  #handlers = new Map();
  on(name, handler) { (this.#handlers.get(name) ?? this.#handlers.set(name, new Set()).get(name)).add(handler); return () => this.#handlers.get(name).delete(handler); }
  emit(name, ...values) { return [...(this.#handlers.get(name) ?? [])].map((handler) => handler(...values)); }
}
const emitter = new Emitter();
const off = emitter.on("x", (a) => a + 1);
emitter.on("x", (a, b) => a * b);
const first = emitter.emit("x", 3, 4);
off();
await tick();
return [first, emitter.emit("x", 3, 4), emitter.emit("none")];
// ---
// features: trampolines, deep tail calls
const trampoline = (f) => (...args) => { let result = f(...args); while (typeof result === "function") result = result(); return result; };
const sum = trampoline(function step(n, total = 0) { return n === 0 ? total : () => step(n - 1, total + n); });
return sum(10000);
