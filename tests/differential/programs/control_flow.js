// features: labelled loops, continue and break with labels
const seen = [];
outer: for (let i = 0; i < 4; i++) {
  for (let j = 0; j < 4; j++) {
    if (j === 2) continue outer;
    if (i === 2) break outer;
    await tick();
    seen.push(`${i}${j}`);
  }
}
return seen;
// ---
// features: labelled blocks
const log = [];
checks: {
  log.push("in");
  if (log.length) break checks;
  log.push("never");
}
nested: { try { break nested; } finally { log.push("finally"); } }
a: b: for (;;) { for (;;) break a; }
return log;
// ---
// features: switch, fall-through, default in the middle
const pick = (value) => {
  const log = [];
  switch (value) {
    case 1: log.push("one");
    default: log.push("default");
    case 2: log.push("two"); break;
    case 3: { let scoped = "three"; log.push(scoped); }
  }
  return log;
};
return [1, 2, 3, 4].map(pick);
// ---
// features: switch on true, strict comparison, lexical scope
const grade = (n) => { switch (true) { case n >= 90: return "A"; case n >= 80: return "B"; default: return "C"; } };
let loose = "none";
switch ("1") { case 1: loose = "number"; break; case "1": loose = "string"; }
switch (0) { default: let late = 5; loose += late; case 1: late++; loose += late; }
return [95, 85, 10].map(grade).concat(loose);
// ---
// features: do while, while, comma operator
let n = 6, steps = 0, most = n;
do { n = n % 2 ? 3 * n + 1 : n / 2, steps++, most = Math.max(most, n); } while (n !== 1 && steps < 1000 && (await 0, true));
let text = "";
for (let i = 0, j = 5; i < j; i++, j--) text += `${i}${j} `;
let k = 3;
while (k --> 0) text += k;
return [steps, most, text.trim()];
// ---
// features: for loops with fresh bindings, closures over updates
const readers = [];
for (let i = 0, step = () => i++; i < 6; i += 2) { readers.push(() => i); step(); await tick(); if (readers.length > 5) break; }
return readers.map((read) => read());
// ---
// features: finally overriding control flow
const f = () => { try { return "try"; } finally { return "finally"; } };
const g = () => { for (const each of [1, 2, 3]) { try { if (each === 2) return each; } finally { if (each === 2) continue; } } return "end"; };
const h = () => { try { throw 1; } catch (e) { return e; } finally { h.ran = true; } };
const k = () => { l: try { return 1; } finally { break l; } return 2; };
return [f(), g(), h(), h.ran, k()];
// ---
// features: conditional chains, short circuits
const log = [];
const note = (value) => (log.push(value), value);
const result = note(0) || note("") || note("x") && note(null) || note(undefined) || note("end");
const fizz = (n) => n % 15 === 0 ? "FizzBuzz" : n % 5 === 0 ? "Buzz" : n % 3 === 0 ? "Fizz" : n;
return [result, log.length, Array.from({ length: 15 }, (_, i) => fizz(i + 1)).join(" ")];
// ---
// features: block scope, temporal dead zone, shadowing
const x = "outer";
const outcomes = [];
{
  try { x; } catch (error) { outcomes.push(error.name); }
  const x = "inner";
  { let x = "innermost"; outcomes.push(x); }
  outcomes.push(x);
}
try { typeof later; } catch (error) { outcomes.push(error.name); }
let later = 1;
try { const fixed = 1; fixed = 2; } catch (error) { outcomes.push(error.name); }
await tick();
return [...outcomes, x, later];
// ---
// features: automatic semicolon insertion
let a = 1
let b = a
++b
const f = () => {
  return
  1
}
const list = [1, 2]
;[a, b] = [b, a]
const text = "x"
  .repeat(2)
  .toUpperCase()
await tick()
return [a, b, f() === undefined, list, text]
// ---
// features: state machines, tables of transitions
const machine = { idle: { start: "running" }, running: { pause: "paused", stop: "idle" }, paused: { resume: "running", stop: "idle" } };
let state = "idle";
const history = [];
for (const event of ["start", "pause", "start", "resume", "stop", "stop"]) {
  const next = machine[state][event];
  await tick();
  history.push(next ? `${state}->${next}` : `${state} ignores ${event}`);
  state = next ?? state;
}
return history;
// ---
// features: for of with break in async code, nested try
const log = [];
for (const each of [1, 2, 3, 4]) {
  try {
    if (each === 1) continue;
    try { if (each === 2) throw new Error("two"); await tick(); } finally { log.push("inner" + each); }
    if (each === 3) break;
  } catch ({ message }) { log.push(message); } finally { log.push("outer" + each); }
}
return log;
// ---
// features: void, typeof, in, delete, instanceof operators
const object = { a: 1 };
return [void 0 === undefined, typeof null, typeof undefinedName, typeof class {}, typeof 1n, "a" in object, delete object.a, "a" in object, delete object.never, [] instanceof Object, Object.create(null) instanceof Object, typeof typeof 1, !!function () {}, -"5", +true, !"" + 1];
// ---
// features: equality, loose and strict
const values = [0, "", "0", null, undefined, false, NaN, [], [0]];
return values.map((a) => values.map((b) => (a == b ? "=" : "") + (a === b ? "=" : "")).join(","));
// ---
// features: increment operators, compound assignment
let n = 5, text = "a", u;
const object = { n: 1, get next() { return this.n++; } };
const list = [1, 2, 3];
let i = 0;
list[i++] += list[i] * 10;
text += 1 + 2; n **= 2; n >>= 1; n ^= 3; n %= 7; u = n-- - --n;
let s = "5"; s++;
return [list, i, text, n, u, object.next + object.next, object.n, s, typeof s];
// ---
// features: order of evaluation
const log = [];
const note = (name, value) => (log.push(name), value);
const target = {};
note("object", target)[note("key", "k")] = note("right", 1);
note("f", (...args) => args.length)(note("a", 1), ...note("spread", [2]), note("b", 3));
note("left", 2) ** note("exponent", 3) - note("minus", 1);
`${note("t1", "")}${note("t2", "")}`;
({ [note("k1", "x")]: note("v1", 1), [note("k2", "y")]: note("v2", 2) });
return [log, target];
