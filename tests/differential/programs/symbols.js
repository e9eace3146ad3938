// features: symbols, descriptions, registry
const local = Symbol("d"), shared = Symbol.for("app");
await tick();
return [local.toString(), local.description, Symbol().description === undefined, shared === Symbol.for("app"), Symbol.keyFor(shared), Symbol.keyFor(local) ?? "none", typeof local, Symbol("d") === local, Object(local) == local];
// ---
// features: symbols as keys
const hidden = Symbol("hidden");
const object = { [hidden]: 1, shown: 2 };
return [Object.keys(object), JSON.stringify(object), Object.getOwnPropertySymbols(object).map(String), object[hidden], hidden in object, { ...object }[hidden], Object.entries(object).length];
// ---
// features: symbol conversion errors
const outcomes = [];
const symbol = Symbol("x");
for (const attempt of [() => symbol + "", () => +symbol, () => `${symbol}`, () => String(symbol), () => !symbol, () => new Symbol(), () => symbol == symbol.valueOf(), () => Symbol.keyFor("x"), () => [symbol].join()]) {
  try { outcomes.push(attempt()); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: well-known symbols exist
return ["iterator", "asyncIterator", "hasInstance", "toPrimitive", "toStringTag", "species", "isConcatSpreadable", "unscopables", "match", "matchAll", "replace", "search", "split"].map((name) => [name, Symbol[name].toString(), Symbol.keyFor(Symbol[name]) === undefined]);
// ---
// features: Symbol.toStringTag of built-ins
return [Promise.resolve(), new Map(), new Set(), Symbol(), 1n, function* () {}(), JSON, Math, new ArrayBuffer(1), new Uint8Array(1), (async () => {}), new DataView(new ArrayBuffer(1)), Reflect, null, undefined, /x/, new Date(), (function () { return arguments; })()].map((each) => Object.prototype.toString.call(each));
// ---
// features: Symbol.unscopables, Symbol.species defaults
return [Object.keys(Array.prototype[Symbol.unscopables]).includes("flat"), Array[Symbol.species] === Array, Map[Symbol.species] === Map, Promise[Symbol.species] === Promise, Object.getPrototypeOf(Array.prototype[Symbol.unscopables])];
// ---
// features: Symbol.toPrimitive hints and failures
const hints = [];
const object = { [Symbol.toPrimitive](hint) { hints.push(hint); return hint === "number" ? 3 : "s"; } };
const outcomes = [object + 1, object * 2, `${object}`, object == "s", object < 5, [1, 2, 3, 4][object], new Date(object).getTime(), Number(object), String(object), isNaN(object), object ** 2, Math.max(object, 1)];
try { +{ [Symbol.toPrimitive]: () => ({}) }; } catch (error) { outcomes.push(error.name); }
try { +{ [Symbol.toPrimitive]: 1 }; } catch (error) { outcomes.push(error.name); }
return [outcomes.map((each) => Number.isNaN(each) ? "NaN" : each), hints];
// ---
// features: symbols as enumerations, weak keys
const Color = Object.freeze({ RED: Symbol("red"), BLUE: Symbol("blue") });
const name = (color) => { switch (color) { case Color.RED: return "r"; case Color.BLUE: return "b"; default: return "?"; } };
const map = new Map([[Color.RED, 1]]);
await tick();
return [name(Color.RED), name(Color.BLUE), name(Symbol("red")), map.get(Color.RED), Object.keys(Color), Color.RED.description];
// ---
// features: iterables with return values, Symbol.iterator on prototypes
Number.prototype[Symbol.iterator] = function* () { for (let i = 0; i < this; i++) yield i; };
const outcome = [[...3], Math.max(...5), Array.from(2)];
delete Number.prototype[Symbol.iterator];
try { [...3]; } catch (error) { outcome.push(error.name); }
return outcome;
// ---
// features: protocols by symbols, operator-like methods
const Equals = Symbol("equals");
class Vector { constructor(...parts) { this.parts = parts; } [Equals](other) { return other instanceof Vector && this.parts.every((each, at) => each === other.parts[at]); } static get [Symbol.toStringTag]() { return "VectorClass"; } *[Symbol.iterator]() { yield* this.parts; } }
String.prototype[Equals] = function (other) { return this.toLowerCase() === other.toLowerCase(); };
const same = (a, b) => a[Equals](b);
const outcome = [same(new Vector(1, 2), new Vector(1, 2)), same(new Vector(1), new Vector(2)), same("Ab", "aB"), String(Object.prototype.toString.call(Vector)), [...new Vector(3, 4)]];
delete String.prototype[Equals];
return outcome;
