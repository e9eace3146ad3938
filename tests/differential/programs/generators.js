// features: generators, infinite sequences
function* fibonacci() {
  let [a, b] = [0, 1];
  for (;;) { yield a; [a, b] = [b, a + b]; }
}
const taken = [];
for (const each of fibonacci()) {
  if (each > 20) break;
  await tick();
  taken.push(each);
}
return taken;
// ---
// features: generators, values sent in
function* conversation() {
  const name = yield "name?";
  const age = yield `age of ${name}?`;
  return { name, age };
}
const talk = conversation();
const asked = [talk.next("ignored")];
asked.push(talk.next("Ana"));
await tick();
asked.push(talk.next(30), talk.next());
return asked;
// ---
// features: generator return, finally in generators
const log = [];
function* guarded() {
  try { yield 1; yield 2; } finally { log.push("cleanup"); yield "last words"; log.push("done"); }
}
const it = guarded();
const steps = [it.next(), it.return("early"), it.next(), it.next()];
return [steps, log];
// ---
// features: generator throw
function* resilient() {
  let errors = 0;
  while (errors < 3) {
    try { yield errors; } catch (error) { errors += error.weight; }
  }
  return "gave up";
}
const it = resilient();
it.next();
const seen = [it.throw({ weight: 1 }), it.next()];
await tick();
seen.push(it.throw({ weight: 2 }), it.next());
return seen;
// ---
// features: yield delegation
function* inner() { const sent = yield "inner"; return "inner got " + sent; }
function* outer() {
  const result = yield* inner();
  yield result;
  yield* [1, 2];
  return yield* "ab";
}
const it = outer();
return [it.next(), it.next("hi"), ...it, it.next()];
// ---
// features: yield delegation, return through delegates
const log = [];
const delegate = {
  [Symbol.iterator]() { return this; },
  next(value) { log.push(["next", value ?? null]); return { value: log.length, done: false }; },
  return(value) { log.push(["return", value]); return { value: value + "!", done: true }; },
  throw(error) { log.push(["throw", error]); return { value: "recovered", done: true }; },
};
function* through() { const got = yield* delegate; log.push(["got", got]); return "end"; }
const one = through(); one.next(); one.next("a");
const two = through(); two.next();
return [one.return("bye"), two.throw("oops"), log];
// ---
// features: iterator protocol, closing of iterators
const closed = [];
const make = (name) => ({
  [Symbol.iterator]() {
    let at = 0;
    return { next: () => ({ value: at++, done: at > 5 }), return: () => (closed.push(name), {}) };
  },
});
for (const each of make("break")) if (each === 2) break;
const [first, second] = make("destructuring");
const all = [...make("spread")];
try { for (const each of make("throw")) throw each; } catch {}
await tick();
const [...rest] = make("rest");
outer: for (const one of [1]) for (const each of make("continue")) continue outer;
return [closed, first, second, all, rest.length];
// ---
// features: recursive generators, trees
function* walk(tree, depth = 0) {
  if (!tree) return;
  yield* walk(tree.left, depth + 1);
  yield [tree.value, depth];
  yield* walk(tree.right, depth + 1);
}
const insert = (tree, value) => !tree ? { value } : value < tree.value
  ? { ...tree, left: insert(tree.left, value) } : { ...tree, right: insert(tree.right, value) };
const tree = [5, 2, 8, 1, 9, 3].reduce(insert, undefined);
return [...walk(tree)];
// ---
// features: generator pipelines, lazy evaluation
const calls = [];
function* map(source, f) { for (const each of source) { calls.push("map" + each); yield f(each); } }
function* filter(source, f) { for (const each of source) { calls.push("filter" + each); if (f(each)) yield each; } }
function* take(source, n) { if (n <= 0) return; for (const each of source) { yield each; if (--n === 0) return; } }
const numbers = function* () { for (let i = 1; ; i++) yield i; };
const out = [...take(filter(map(numbers(), (x) => x * x), (x) => x % 2), 3)];
return [out, calls];
// ---
// features: generators suspended across awaits
function* pairs(list) { for (let i = 0; i < list.length; i++) for (let j = i + 1; j < list.length; j++) yield [list[i], list[j]]; }
const source = pairs(["a", "b", "c", "d"]);
const seen = [];
while (true) {
  const { value, done } = source.next();
  await tick();
  if (done) break;
  seen.push(value.join(""));
}
return seen.join(",");
// ---
// features: generator objects, prototypes
function* one() {}
const it = one();
return [
  Object.prototype.toString.call(it), Object.prototype.toString.call(one), it[Symbol.iterator]() === it, it instanceof one,
  Object.getPrototypeOf(it) === one.prototype, "constructor" in one.prototype, typeof one.prototype.next,
];
// ---
// features: generators as observers, running state
let self;
const outcomes = [];
function* recursive() { try { self.next(); } catch (error) { outcomes.push(error.name); } yield 1; throw new RangeError("over"); }
self = recursive();
outcomes.push(self.next());
try { self.next(); } catch (error) { outcomes.push(error.message); }
outcomes.push(self.next(), self.return(5));
return outcomes;
// ---
// features: generator arguments, default parameters
let made = 0;
function* lazy(value = (made++, "default"), ...rest) { yield value; yield rest.length; yield arguments.length; }
const before = made;
const it = lazy(undefined, 1, 2);
const after = made;
return [before, after, ...it];
// ---
// features: coroutines, cooperative scheduling
const trace = [];
function* worker(name, steps) { for (let i = 0; i < steps; i++) { trace.push(name + i); yield; } return name; }
const queue = [worker("a", 2), worker("b", 3), worker("c", 1)];
const finished = [];
while (queue.length) {
  const task = queue.shift();
  const { done, value } = task.next();
  if (done) finished.push(value); else queue.push(task);
  await tick();
}
return [trace.join(" "), finished];
// ---
// features: zip, permutations
function* zip(...lists) {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  for (;;) {
    const results = iterators.map((each) => each.next());
    if (results.some((each) => each.done)) return;
    yield results.map((each) => each.value);
  }
}
function* permutations(list) {
  if (list.length < 2) { yield list; return; }
  for (const [at, each] of list.entries())
    for (const rest of permutations(list.toSpliced(at, 1))) yield [each, ...rest];
}
return [[...zip("ab", [1, 2, 3], new Set(["x", "y"]))], [...permutations([1, 2, 3])].map((each) => each.join(""))];
// ---
// features: generator methods in object literals, Symbol.iterator
const range = {
  from: 2, to: 6,
  *[Symbol.iterator]() { for (let i = this.from; i <= this.to; i++) yield i; },
  *reversed() { for (let i = this.to; i >= this.from; i--) yield i; },
};
return [Math.max(...range), Array.from(range, (x) => x * 2), [...range.reversed()], new Set(range).size];
