// features: Map, insertion order, keys of any kind
const key = {};
const map = new Map([[1, "number"], ["1", "string"], [key, "object"], [NaN, "nan"]]);
map.set(1, "again").delete("1");
await tick();
map.set("1", "last").set(-0, "zero");
return [[...map.values()], map.get(NaN), map.get({}) ?? null, map.get(key), map.size, Object.is([...map.keys()].at(-1), 0)];
// ---
// features: Set, set algebra by hand
const a = new Set([1, 2, 3]), b = new Set([2, 3, 4]);
const union = new Set([...a, ...b]), both = [...a].filter((x) => b.has(x)), only = [...a].filter((x) => !b.has(x));
return [[...union], both, only, union.delete(9), union.delete(1), union.size, new Set("hello").size, [...new Set([0, -0, NaN, NaN])].length];
// ---
// features: Map iteration while changing
const map = new Map([["a", 1], ["b", 2], ["c", 3]]);
const seen = [];
for (const [key, value] of map) {
  await tick();
  seen.push(key);
  if (key === "a") { map.delete("b"); map.set("d", 4); }
  if (key === "c") { map.delete("a"); map.set("a", 9); }
}
return [seen, [...map]];
// ---
// features: Set iteration while changing
const set = new Set([1, 2, 3]);
const seen = [];
set.forEach((each, same, all) => { seen.push([each, each === same, all === set]); if (each < 3) { set.delete(each); set.add(each + 10); } if (seen.length > 20) set.clear(); });
return [seen.map(([each]) => each), [...set], seen.every(([, same, all]) => same && all)];
// ---
// features: WeakMap, WeakSet, private data
const secrets = new WeakMap();
class Person { constructor(secret) { secrets.set(this, secret); } reveal() { return secrets.get(this); } }
const person = new Person("cake");
const tagged = new WeakSet([person]);
const outcomes = [person.reveal(), tagged.has(person), tagged.has({})];
await tick();
try { secrets.set("primitive", 1); } catch (error) { outcomes.push(error.name); }
return [...outcomes, person.reveal(), secrets.delete(person), secrets.has(person), secrets.get(1) === undefined];
// ---
// features: WeakRef, FinalizationRegistry
const target = { alive: true };
const ref = new WeakRef(target);
const registry = new FinalizationRegistry(() => {});
registry.register(target, "held", target);
await tick();
return [ref.deref() === target, ref.deref().alive, registry.unregister(target), registry.unregister(target), Object.prototype.toString.call(ref)];
// ---
// features: Map from and to objects
const object = { b: 1, a: 2 };
const map = new Map(Object.entries(object));
const inverted = new Map([...map].map(([key, value]) => [value, key]));
return [Object.fromEntries(inverted), Object.fromEntries(new Map([["x", [1]]])), [...map].sort(), JSON.stringify(map), new Map([[{}, 1]]).size];
// ---
// features: multimaps, indexes and joins
const users = [{ id: 1, team: "red" }, { id: 2, team: "blue" }, { id: 3, team: "red" }];
const tasks = [{ user: 3, hours: 2 }, { user: 1, hours: 5 }, { user: 3, hours: 1 }, { user: 7, hours: 9 }];
const index = new Map(users.map((user) => [user.id, user]));
const hours = new Map();
for (const { user, hours: spent } of tasks) {
  await tick();
  const team = index.get(user)?.team ?? "unknown";
  hours.set(team, (hours.get(team) ?? 0) + spent);
}
return [...hours].sort(([a], [b]) => a.localeCompare(b));
// ---
// features: LRU cache on a Map
class Cache {
  #map = new Map();
  constructor(limit) { this.limit = limit; }
  get(key) { if (!this.#map.has(key)) return null; const value = this.#map.get(key); this.#map.delete(key); this.#map.set(key, value); return value; }
  set(key, value) { this.#map.delete(key); this.#map.set(key, value); if (this.#map.size > this.limit) this.#map.delete(this.#map.keys().next().value); return this; }
  get keys() { return [...this.#map.keys()]; }
}
const cache = new Cache(2).set("a", 1).set("b", 2);
const got = [cache.get("a")];
await tick();
cache.set("c", 3);
return [got, cache.get("b"), cache.keys];
// ---
// features: priority queue, heap
class Heap {
  #items = [];
  get size() { return this.#items.length; }
  push(item) { const list = this.#items; list.push(item); for (let at = list.length - 1, up; at && list[up = (at - 1) >> 1] > list[at]; at = up) [list[up], list[at]] = [list[at], list[up]]; }
  pop() {
    const list = this.#items, top = list[0], last = list.pop();
    if (!list.length) return top;
    list[0] = last;
    for (let at = 0; ;) {
      const child = [2 * at + 1, 2 * at + 2].filter((each) => each < list.length).sort((a, b) => list[a] - list[b])[0];
      if (child === undefined || list[child] >= list[at]) return top;
      [list[child], list[at]] = [list[at], list[child]]; at = child;
    }
  }
}
const heap = new Heap();
for (const each of [5, 3, 8, 1, 9, 2]) heap.push(each);
const sorted = [];
while (heap.size) { sorted.push(heap.pop()); await tick(); }
return sorted;
// ---
// features: constructors of collections, errors
const outcomes = [];
for (const attempt of [() => Map(), () => new Map(5), () => new Map([1]), () => new Set(null).size, () => new Map([[1]]).get(1) === undefined, () => Map.prototype.get.call(new Set(), 1), () => new WeakSet([1]), () => Map.prototype.size]) {
  try { outcomes.push(attempt()); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: subclassing Map, overriding methods
class DefaultMap extends Map {
  constructor(make, entries) { super(entries); this.make = make; }
  get(key) { if (!this.has(key)) this.set(key, this.make(key)); return super.get(key); }
}
const lists = new DefaultMap(() => [], [["old", [0]]]);
lists.get("x").push(1); lists.get("x").push(2); lists.get("old").push(3);
return [[...lists], lists instanceof Map, Object.prototype.toString.call(lists), lists.size];
// ---
// features: linked lists, iteration over own structures
class LinkedList {
  #head = null; #size = 0;
  prepend(value) { this.#head = { value, next: this.#head }; this.#size++; return this; }
  reverse() { let previous = null; for (let at = this.#head; at;) [at.next, previous, at] = [previous, at, at.next]; this.#head = previous; return this; }
  *[Symbol.iterator]() { for (let at = this.#head; at; at = at.next) yield at.value; }
  get size() { return this.#size; }
}
const list = new LinkedList().prepend(3).prepend(2).prepend(1);
const before = [...list];
await tick();
return [before, [...list.reverse()], list.size];
// ---
// features: map and set iterators, exhaustion
const map = new Map([["a", 1]]);
const it = map[Symbol.iterator]();
const steps = [it.next(), it.next()];
map.set("b", 2);
steps.push(it.next());
const fresh = map.entries();
map.set("c", 3);
return [steps.map(({ value, done }) => [value ?? null, done]), [...fresh].length, Object.prototype.toString.call(fresh), Map.prototype.entries === Map.prototype[Symbol.iterator], Set.prototype.keys === Set.prototype.values];
