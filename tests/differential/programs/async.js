// features: async functions, await order
const log = [];
const work = async (name) => { log.push(name + " begins"); await tick(); log.push(name + " ends"); return name; };
const results = await Promise.all([work("a"), work("b")]);
return [results, log];
// ---
// features: microtasks, promise callbacks
const log = [];
const done = (async () => { log.push(1); await null; log.push(4); await null; log.push(6); })();
Promise.resolve().then(() => log.push(5)).then(() => log.push(7));
queueMicrotask(() => log.push("q"));
log.push(2);
await done;
await tick();
return log;
// ---
// features: async iteration, async generators
async function* countdown(from) { while (from > 0) { await tick(); yield from--; } return "liftoff"; }
const seen = [];
for await (const each of countdown(4)) seen.push(each);
const it = countdown(1);
return [seen, await it.next(), await it.next(), await it.next()];
// ---
// features: for await over promises and plain values
const seen = [];
for await (const each of [Promise.resolve(1), 2, tick(3), (async () => 4)()]) seen.push(each);
try { for await (const each of [1, Promise.reject(new Error("no"))]) seen.push(each); } catch (error) { seen.push(error.message); }
return seen;
// ---
// features: Promise.allSettled, rejections
const outcomes = await Promise.allSettled([tick("one"), Promise.reject(new TypeError("two")), 3, (async () => { await tick(); throw "four"; })()]);
return outcomes.map((each) => each.status === "fulfilled" ? ["ok", each.value] : ["bad", each.reason?.name ?? each.reason]);
// ---
// features: Promise.race, Promise.any, AggregateError
const slow = async (value, turns) => { for (let i = 0; i < turns; i++) await tick(); return value; };
const fail = async (text, turns) => { await slow(0, turns); throw new Error(text); };
const raced = await Promise.race([slow("turtle", 4), slow("hare", 1)]);
const any = await Promise.any([fail("x", 1), slow("late", 3)]);
let aggregate;
try { await Promise.any([fail("p", 2), fail("q", 1)]); } catch (error) { aggregate = [error.name, error.errors.map((each) => each.message)]; }
return [raced, any, aggregate];
// ---
// features: promise chains, finally
const log = [];
const value = await Promise.resolve(1)
  .finally(() => { log.push("f1"); return "ignored"; })
  .then((v) => { log.push(v); throw new Error("e"); })
  .finally(async () => { await tick(); log.push("f2"); })
  .catch((error) => error.message + "!")
  .then((v) => v.repeat(2));
return [value, log];
// ---
// features: thenables
const log = [];
const thenable = { then(resolve) { log.push("then called"); resolve({ then: (inner) => inner("deep") }); } };
const first = await thenable;
const bad = { get then() { throw new Error("getter"); } };
let second;
try { await bad; } catch (error) { second = error.message; }
const resolved = await Promise.resolve(thenable).then((v) => v + "er");
return [first, second, resolved, log];
// ---
// features: async generators, return and throw
const log = [];
async function* resource() {
  try { yield 1; yield 2; yield 3; } catch (error) { log.push("caught " + error); yield "after"; } finally { await tick(); log.push("released"); }
}
for await (const each of resource()) if (each === 2) break;
const it = resource();
await it.next();
const after = await it.throw("t");
const end = await it.return("r");
return [log, after, end];
// ---
// features: async generators, queued requests
async function* echo() { let got = "start"; for (let i = 0; i < 3; i++) { got = yield got; await tick(); } }
const it = echo();
const requests = [it.next("a"), it.next("b"), it.next("c"), it.next("d"), it.next("e")];
return Promise.all(requests);
// ---
// features: async yield delegation
async function* inner() { yield "a"; await tick(); yield "b"; return "inner result"; }
async function* outer() { const result = yield* inner(); yield result; yield* [1, Promise.resolve(2)]; }
const seen = [];
for await (const each of outer()) seen.push(each);
return seen;
// ---
// features: exceptions across awaits
const risky = async (depth) => {
  await tick();
  if (depth === 0) throw new RangeError("bottom");
  try { return await risky(depth - 1); } catch (error) { throw new Error(`level ${depth}`, { cause: error }); }
};
const chain = [];
try { await risky(3); } catch (error) { for (let at = error; at; at = at.cause) chain.push(at.message); }
return chain;
// ---
// features: try and finally around await
const log = [];
async function f() {
  for (let i = 0; i < 3; i++) {
    try { await tick(); if (i === 1) continue; if (i === 2) return "returned"; log.push("body" + i); } finally { await tick(); log.push("finally" + i); }
  }
}
return [await f(), log];
// ---
// features: async closures in loops
const tasks = [];
for (let i = 0; i < 3; i++) tasks.push(async () => { await tick(); return i * 10; });
var results = [];
for (const task of tasks) results.push(await task());
for (var j = 0; j < 2; j++) tasks.push(async () => j);
return [results, await Promise.all(tasks.slice(3).map((each) => each()))];
// ---
// features: concurrency limits, worker pools
let active = 0, most = 0;
async function pool(items, limit, work) {
  const results = new Array(items.length);
  let next = 0;
  const lane = async () => { while (next < items.length) { const at = next++; results[at] = await work(items[at]); } };
  await Promise.all(Array.from({ length: limit }, lane));
  return results;
}
const doubled = await pool([1, 2, 3, 4, 5], 2, async (n) => { most = Math.max(most, ++active); await tick(); active--; return n * 2; });
return { doubled, most };
// ---
// features: retry with results of attempts
let attempts = 0;
const flaky = async () => { attempts++; await tick(); if (attempts < 3) throw new Error("try " + attempts); return "third time"; };
async function retry(work, times) {
  const errors = [];
  while (times--) try { return { value: await work(), errors }; } catch ({ message }) { errors.push(message); }
  throw new AggregateError([], "all failed");
}
return retry(flaky, 5);
// ---
// features: deferred promises, event queues
class Channel {
  #waiting = []; #values = [];
  send(value) { const taker = this.#waiting.shift(); if (taker) taker(value); else this.#values.push(value); }
  take() { return this.#values.length ? Promise.resolve(this.#values.shift()) : new Promise((resolve) => this.#waiting.push(resolve)); }
}
const channel = new Channel();
const got = [];
const consumer = (async () => { for (let i = 0; i < 4; i++) got.push(await channel.take()); })();
channel.send("a"); channel.send("b");
await tick();
channel.send("c"); channel.send("d");
await consumer;
return got;
// ---
// features: promise constructor, executor errors
const outcomes = [];
const note = (promise) => promise.then((v) => outcomes.push(["ok", v]), (e) => outcomes.push(["bad", e.message ?? e]));
await note(new Promise((resolve, reject) => { resolve(1); reject(2); throw new Error("ignored"); }));
await note(new Promise(() => { throw new Error("thrown"); }));
await note(new Promise((resolve) => resolve(Promise.reject("nested"))));
const self = new Promise((resolve) => tick().then(() => resolve(self)));
await self.catch((error) => outcomes.push(error.name));
return outcomes;
// ---
// features: await in expressions
const value = async (v) => { await tick(); return v; };
const object = { [await value("key")]: await value(1), list: [await value(2), ...(await value([3, 4]))], text: `${await value("t")}` };
const { a = await value("default") } = {};
const sum = (await value(1)) + (await value(2)) * (await value(3));
return [object, a, sum, (await value(null))?.x ?? (await value("fallback")), await value(true) ? "yes" : await value("no")];
// ---
// features: async arrow functions, this and arguments
async function outer() {
  const arrow = async (x) => { await tick(); return [this.name, arguments[0], x]; };
  return arrow("inner");
}
return outer.call({ name: "self" }, "outer");
// ---
// features: async iterators by hand, Symbol.asyncIterator
const pages = [[1, 2], [3], []];
const paged = {
  [Symbol.asyncIterator]() {
    let page = 0;
    return { next: async () => { const items = pages[page++]; await tick(); return items?.length ? { value: items, done: false } : { done: true }; } };
  },
};
const all = [];
for await (const items of paged) all.push(...items);
return all;
// ---
// features: timers, ordering of timers
const log = [];
const later = (name, ms) => new Promise((resolve) => setTimeout((value) => { log.push(value); resolve(); }, ms, name));
const cancelled = setTimeout(() => log.push("never"), 1);
clearTimeout(cancelled);
await Promise.all([later("slow", 30), later("fast", 1)]);
return log;
// ---
// features: memoised async functions, caches of promises
let computed = 0;
const cache = new Map();
const square = (n) => {
  if (!cache.has(n)) cache.set(n, (async () => { computed++; await tick(); return n * n; })());
  return cache.get(n);
};
const values = await Promise.all([3, 4, 3, 3, 4].map(square));
return [values, computed, square(3) === square(3)];
// ---
// features: mutex, critical sections
class Mutex { #last = Promise.resolve(); lock(work) { const run = this.#last.then(work); this.#last = run.catch(() => {}); return run; } }
const mutex = new Mutex();
let balance = 10;
const log = [];
const spend = (amount) => mutex.lock(async () => {
  const seen = balance; await tick();
  if (seen < amount) throw new Error("poor");
  balance = seen - amount; log.push(balance);
});
const outcome = await Promise.allSettled([spend(4), spend(7), spend(5)]);
return [outcome.map((each) => each.status), log, balance];
