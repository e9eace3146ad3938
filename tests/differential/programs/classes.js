// features: classes, inheritance, super calls
class Animal {
  constructor(name) { this.name = name; }
  speak() { return `${this.name} makes a sound`; }
}
class Dog extends Animal {
  speak() { return super.speak() + ", woof"; }
}
const dog = new Dog("Rex");
await tick();
return [dog.speak(), dog instanceof Animal, Object.getPrototypeOf(Dog) === Animal, Dog.name, Dog.length];
// ---
// features: private fields, private methods
class Counter {
  #count = 0;
  #step;
  constructor(step) { this.#step = step; }
  #advance() { this.#count += this.#step; return this; }
  next() { return this.#advance().#count; }
  static owns(value) { return #count in value; }
}
const counter = new Counter(3);
counter.next();
await tick();
return [counter.next(), Counter.owns(counter), Counter.owns({}), Object.keys(counter)];
// ---
// features: private accessors, private static members
class Temperature {
  static #made = 0;
  #celsius;
  constructor(celsius) { this.#celsius = celsius; Temperature.#made++; }
  get #kelvin() { return this.#celsius + 273.15; }
  set #kelvin(value) { this.#celsius = value - 273.15; }
  warm(by) { this.#kelvin += by; return Math.round(this.#kelvin * 100) / 100; }
  static get made() { return Temperature.#made; }
}
const hot = new Temperature(20);
new Temperature(1);
return [hot.warm(5), hot.warm(5), Temperature.made];
// ---
// features: static blocks, static fields
class Registry {
  static entries = new Map();
  static first;
  static {
    for (const name of ["a", "b", "c"]) this.entries.set(name, name.toUpperCase());
    this.first = [...this.entries.values()][0];
  }
  static { this.entries.delete("b"); }
}
return [[...Registry.entries], Registry.first];
// ---
// features: getters and setters, accessor inheritance
class Base {
  get label() { return "base:" + this._label; }
  set label(value) { this._label = value.trim(); }
}
class Derived extends Base {
  set label(value) { super.label = value + "!"; }
  get label() { return super.label + "?"; }
}
const derived = new Derived();
derived.label = "  x ";
return [derived.label, Object.keys(derived), "label" in derived, Object.hasOwn(derived, "label")];
// ---
// features: class fields, computed names, order of initialisation
const order = [];
const note = (name) => (order.push(name), name);
class A {
  [note("key1")] = note("value1");
  static [note("key2")] = note("value2");
  [note("key3")]() {}
  constructor() { note("constructor"); }
}
new A();
await tick();
return order;
// ---
// features: new.target, abstract classes
class Shape {
  constructor() {
    if (new.target === Shape) throw new TypeError("abstract");
    this.kind = new.target.name;
  }
}
class Square extends Shape {}
let failure;
try { new Shape(); } catch (error) { failure = error.message; }
return [new Square().kind, failure];
// ---
// features: mixins, class expressions
const Serializable = (Super) => class extends Super {
  serialize() { return JSON.stringify({ ...this, type: this.constructor.name }); }
};
const Comparable = (Super) => class extends Super {
  compare(other) { return Math.sign(this.value - other.value); }
};
class Value { constructor(value) { this.value = value; } }
class Rich extends Serializable(Comparable(Value)) {}
const rich = new Rich(4);
return [rich.serialize(), rich.compare(new Rich(9)), rich.compare({ value: 4 })];
// ---
// features: extending built-ins, Symbol.species
class Stack extends Array {
  get top() { return this.at(-1); }
}
const stack = Stack.from([1, 2, 3]);
const mapped = stack.map((each) => each * 2);
class Plain extends Array { static get [Symbol.species]() { return Array; } }
const plain = new Plain(3).fill(0).map((_, index) => index);
return [stack.top, mapped instanceof Stack, mapped.top, stack.length, plain instanceof Plain, plain];
// ---
// features: extending Error, instanceof
class HttpError extends Error {
  constructor(status, options) { super(`status ${status}`, options); this.status = status; }
  get name() { return "HttpError"; }
}
class NotFound extends HttpError { constructor() { super(404, { cause: "missing" }); } }
try {
  await tick();
  throw new NotFound();
} catch (error) {
  return [String(error), error.status, error.cause, error instanceof HttpError, error instanceof Error, Object.keys(error)];
}
// ---
// features: Symbol.hasInstance, Symbol.toPrimitive, Symbol.toStringTag
class Even { static [Symbol.hasInstance](value) { return Number.isInteger(value) && value % 2 === 0; } }
class Money {
  constructor(amount) { this.amount = amount; }
  get [Symbol.toStringTag]() { return "Money"; }
  [Symbol.toPrimitive](hint) { return hint === "number" ? this.amount : hint === "string" ? `$${this.amount}` : "default"; }
}
const money = new Money(12);
return [2 instanceof Even, 3 instanceof Even, +money, `${money}`, money + "", money * 2, Object.prototype.toString.call(money)];
// ---
// features: methods taken from prototypes, enumerability
class Point { constructor(x, y) { this.x = x; this.y = y; } length() {} get sum() { return this.x + this.y; } static of() {} }
const described = Object.getOwnPropertyDescriptor(Point.prototype, "sum");
return [
  Object.getOwnPropertyNames(Point.prototype), Object.keys(Point.prototype), typeof described.get, described.set === undefined,
  described.enumerable, Object.getOwnPropertyNames(Point), described.get.call({ x: 2, y: 5 }),
];
// ---
// features: methods without constructors, calling classes
const results = [];
class Thing { method() {} }
for (const attempt of [() => Thing(), () => new (new Thing().method)(), () => new (() => {})(), () => new (async () => {})()]) {
  try { attempt(); results.push("fine"); } catch (error) { results.push(error.name); }
}
return results;
// ---
// features: this before super, derived constructors
class Parent { constructor() { this.parent = true; } }
class Early extends Parent { constructor() { try { this.x = 1; } catch (error) { super(); this.error = error.name; } } }
class Never extends Parent { constructor() {} }
class Object2 extends Parent { constructor() { return { replaced: true }; } }
let never;
try { new Never(); } catch (error) { never = error.name; }
return [{ ...new Early() }, never, new Object2(), new Object2() instanceof Parent];
// ---
// features: async methods, generator methods, async generator methods
class Source {
  async value() { await tick(); return 7; }
  *numbers() { yield 1; yield 2; }
  async *slow() { for (const each of this.numbers()) { await tick(); yield each * 10; } }
  static async create() { await tick(); return new this(); }
}
const source = await Source.create();
const slow = [];
for await (const each of source.slow()) slow.push(each);
return [await source.value(), [...source.numbers()], slow];
// ---
// features: closures over this, arrow functions in fields
class Button {
  label = "ok";
  handler = () => this.label;
  method() { return this?.label; }
}
const { handler, method } = new Button();
return [handler(), method(), method.call({ label: "other" }), handler.call({ label: "other" })];
// ---
// features: private brand checks
class Safe {
  #secret = 1;
  static read(value) { return value.#secret; }
  static write(value) { value.#secret = 2; return value.#secret; }
}
const outcomes = [Safe.read(new Safe()), Safe.write(new Safe())];
for (const bad of [{}, Object.create(new Safe()), new Proxy(new Safe(), {})]) {
  try { outcomes.push(Safe.read(bad)); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: super in object literals, Object.setPrototypeOf
const base = { greet(name) { return "hello " + name; }, get mood() { return "calm"; } };
const polite = { __proto__: base, greet(name) { return super.greet(name) + ", welcome"; }, get mood() { return super.mood + "er"; } };
const other = { greet: () => "other" };
const before = polite.greet("Ana");
Object.setPrototypeOf(polite, other);
return [before, polite.greet("Bo"), polite.mood];
// ---
// features: class bindings, temporal dead zone
const seen = [];
try { new Later(); } catch (error) { seen.push(error.name); }
class Later { static self = Later; static make() { return new Later(); } }
const Kept = Later;
const Named = class Inner { static me() { return Inner; } };
seen.push(Kept.self === Later, Kept.make() instanceof Later, Named.me() === Named, Named.name, typeof Inner);
return seen;
