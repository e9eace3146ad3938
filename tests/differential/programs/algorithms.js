// features: graph search, breadth first
const graph = { a: ["b", "c"], b: ["d"], c: ["d", "e"], d: ["f"], e: ["f"], f: [] };
const from = new Map([["a", null]]);
const queue = ["a"];
while (queue.length) {
  const node = queue.shift();
  await tick();
  for (const next of graph[node]) if (!from.has(next)) { from.set(next, node); queue.push(next); }
}
const path = [];
for (let at = "f"; at; at = from.get(at)) path.unshift(at);
return path;
// ---
// features: shortest paths, Dijkstra
const edges = [["a", "b", 4], ["a", "c", 1], ["c", "b", 2], ["b", "d", 5], ["c", "d", 8]];
const distance = { a: 0 }, done = new Set();
for (;;) {
  const [node] = Object.entries(distance).filter(([name]) => !done.has(name)).sort(([, x], [, y]) => x - y)[0] ?? [];
  if (!node) break;
  done.add(node);
  await tick();
  for (const [one, other, cost] of edges) if (one === node) distance[other] = Math.min(distance[other] ?? Infinity, distance[node] + cost);
}
return distance;
// ---
// features: topological sort, depth first, cycle detection
function order(needs) {
  const state = {}, sorted = [];
  const visit = (name, trail) => { if (state[name] === "done") return; if (state[name]) throw new Error("cycle: " + [...trail, name].join(">")); state[name] = "open"; for (const each of needs[name] ?? []) visit(each, [...trail, name]); state[name] = "done"; sorted.push(name); };
  for (const name of Object.keys(needs)) visit(name, []);
  return sorted;
}
let cycle;
try { order({ x: ["y"], y: ["z"], z: ["x"] }); } catch ({ message }) { cycle = message; }
return [order({ app: ["lib", "log"], lib: ["core"], log: ["core"], core: [] }), cycle];
// ---
// features: sorting algorithms
const merge = (a, b) => { const out = []; while (a.length && b.length) out.push(a[0] <= b[0] ? a.shift() : b.shift()); return [...out, ...a, ...b]; };
const mergeSort = (list) => list.length < 2 ? list : merge(mergeSort(list.slice(0, list.length >> 1)), mergeSort(list.slice(list.length >> 1)));
const quickSort = ([pivot, ...rest]) => pivot === undefined ? [] : [...quickSort(rest.filter((x) => x < pivot)), pivot, ...quickSort(rest.filter((x) => x >= pivot))];
const insertion = (list) => list.reduce((sorted, each) => { let at = sorted.length; while (at && sorted[at - 1] > each) at--; sorted.splice(at, 0, each); return sorted; }, []);
const data = [5, 3, 9, 1, 5, 0, 8];
await tick();
return [mergeSort(data), quickSort(data), insertion(data), data];
// ---
// features: backtracking, n queens
const solve = (n, row = 0, columns = []) => row === n ? 1 : Array.from({ length: n }, (_, column) => column).filter((column) => columns.every((each, at) => each !== column && Math.abs(each - column) !== row - at)).reduce((sum, column) => sum + solve(n, row + 1, [...columns, column]), 0);
return [4, 5, 6].map((n) => solve(n));
// ---
// features: game of life, grids
const step = (cells) => {
  const counts = new Map();
  for (const cell of cells) { const [x, y] = cell.split(",").map(Number); for (const dx of [-1, 0, 1]) for (const dy of [-1, 0, 1]) if (dx || dy) { const key = `${x + dx},${y + dy}`; counts.set(key, (counts.get(key) ?? 0) + 1); } }
  return new Set([...counts].filter(([key, n]) => n === 3 || n === 2 && cells.has(key)).map(([key]) => key));
};
let cells = new Set(["1,0", "2,1", "0,2", "1,2", "2,2"]);
for (let generation = 0; generation < 4; generation++) { cells = step(cells); await tick(); }
return [...cells].sort();
// ---
// features: change making, knapsack
const coins = (amount, values) => { const best = [[]]; for (let sum = 1; sum <= amount; sum++) for (const each of values) { const rest = best[sum - each]; if (rest && (!best[sum] || rest.length + 1 < best[sum].length)) best[sum] = [...rest, each]; } return best[amount] ?? null; };
const knapsack = (items, room) => items.reduce((best, { weight, value }) => best.map((each, size) => size >= weight ? Math.max(each, best[size - weight] + value) : each), Array(room + 1).fill(0)).at(-1);
return [coins(11, [1, 2, 5]), coins(3, [2]), coins(6, [1, 3, 4]), knapsack([{ weight: 2, value: 3 }, { weight: 3, value: 4 }, { weight: 4, value: 6 }], 6)];
// ---
// features: tries, prefix search
class Trie { #root = {}; add(word) { let at = this.#root; for (const letter of word) at = at[letter] ??= {}; at.$ = true; return this; } *find(prefix) { let at = this.#root; for (const letter of prefix) if (!(at = at[letter])) return; yield* this.#all(at, prefix); } *#all(node, word) { if (node.$) yield word; for (const letter of Object.keys(node).sort()) if (letter !== "$") yield* this.#all(node[letter], word + letter); } }
const trie = ["car", "card", "care", "cat", "dog"].reduce((all, word) => all.add(word), new Trie());
const seen = [];
for (const word of trie.find("car")) { await tick(); seen.push(word); }
return [seen, [...trie.find("x")], [...trie.find("")].length];
// ---
// features: expression evaluation, shunting-yard
function calculate(text) {
  const rank = { "+": 1, "-": 1, "*": 2, "/": 2, "^": 3 }, out = [], stack = [];
  const apply = () => { const f = stack.pop(), b = out.pop(), a = out.pop(); out.push({ "+": a + b, "-": a - b, "*": a * b, "/": a / b, "^": a ** b }[f]); };
  for (const token of text.match(/\d+\.?\d*|[-+*/^()]/g)) {
    if (token in rank) { while (stack.length && (rank[stack.at(-1)] > rank[token] || rank[stack.at(-1)] === rank[token] && token !== "^")) apply(); stack.push(token); }
    else if (token === "(") stack.push(token);
    else if (token === ")") { while (stack.at(-1) !== "(") apply(); stack.pop(); }
    else out.push(Number(token));
  }
  while (stack.length) apply();
  return out[0];
}
return ["1 + 2 * 3", "(1 + 2) * 3", "2 ^ 3 ^ 2", "10 / 4 - 1", "2 * (3 + (4 - 1)) / 3"].map(calculate);
// ---
// features: pagination, joins and reports
const pages = Array.from({ length: 3 }, (_, page) => ({ items: Array.from({ length: 3 }, (_, at) => ({ id: page * 3 + at, amount: (page * 3 + at) * 7 % 5, tag: "xyz"[at] })), next: page < 2 ? page + 1 : null }));
const fetchPage = async (page) => { await tick(); return pages[page]; };
const all = [];
for (let page = 0; page !== null;) { const { items, next } = await fetchPage(page); all.push(...items); page = next; }
const report = all.reduce((rows, { tag, amount }) => { const row = rows[tag] ??= { n: 0, sum: 0, max: -Infinity }; row.n++; row.sum += amount; row.max = Math.max(row.max, amount); return rows; }, {});
return [all.length, report, all.filter(({ amount }) => amount > 2).map(({ id }) => id)];
// ---
// features: text layout, tables
const table = (rows) => { const headers = Object.keys(rows[0]); const cells = [headers, ...rows.map((row) => headers.map((name) => String(row[name] ?? "-")))]; const widths = headers.map((_, at) => Math.max(...cells.map((row) => row[at].length))); return cells.map((row) => row.map((each, at) => isNaN(each) ? each.padEnd(widths[at]) : each.padStart(widths[at])).join(" | ").trimEnd()).join("\n"); };
return table([{ name: "apple", n: 3, note: null }, { name: "fig", n: 12.5, note: "ripe" }]);
// ---
// features: roman numerals, base conversion
const roman = (n) => Object.entries({ M: 1000, CM: 900, D: 500, CD: 400, C: 100, XC: 90, L: 50, XL: 40, X: 10, IX: 9, V: 5, IV: 4, I: 1 }).reduce((text, [mark, value]) => { while (n >= value) { text += mark; n -= value; } return text; }, "");
const back = (text) => [...text].reduce((sum, mark, at, all) => { const value = { I: 1, V: 5, X: 10, L: 50, C: 100, D: 500, M: 1000 }; return sum + (value[mark] < (value[all[at + 1]] ?? 0) ? -1 : 1) * value[mark]; }, 0);
const numbers = [1, 4, 9, 14, 40, 90, 400, 1994, 2024];
return [numbers.map(roman), numbers.every((n) => back(roman(n)) === n)];
// ---
// features: flood fill, islands
const count = (rows) => { const grid = rows.map((row) => [...row]); const sink = (y, x) => { if (grid[y]?.[x] !== "#") return 0; grid[y][x] = "."; return 1 + sink(y + 1, x) + sink(y - 1, x) + sink(y, x + 1) + sink(y, x - 1); }; return grid.flatMap((row, y) => row.map((_, x) => sink(y, x))).filter(Boolean).sort((a, b) => b - a); };
return count(["##..#", "#...#", "..#..", ".##.#"]);
// ---
// features: undo and redo, command pattern
class Editor {
  #text = ""; #done = []; #undone = [];
  do(command) { this.#text = command.apply(this.#text); this.#done.push(command); this.#undone.length = 0; return this; }
  undo() { const command = this.#done.pop(); if (command) { this.#text = command.revert(this.#text); this.#undone.push(command); } return this; }
  redo() { const command = this.#undone.pop(); if (command) { this.#text = command.apply(this.#text); this.#done.push(command); } return this; }
  get text() { return this.#text; }
}
const append = (more) => ({ apply: (text) => text + more, revert: (text) => text.slice(0, -more.length) });
const editor = new Editor().do(append("Hello")).do(append(", ")).do(append("world"));
const texts = [editor.text, editor.undo().undo().text];
await tick();
return [...texts, editor.redo().text, editor.do(append("!")).redo().text, editor.undo().undo().undo().undo().text];
// ---
// features: dependency injection, middleware chains
const compose = (...layers) => (context) => { const run = async (at) => layers[at]?.(context, () => run(at + 1)); return run(0); };
const log = [];
const app = compose(
  async (context, next) => { log.push("in 1"); await next(); log.push("out 1"); context.done = true; },
  async (context, next) => { if (context.skip) return; log.push("in 2"); await tick(); await next(); log.push("out 2"); },
  async (context) => { log.push("core"); context.body = "ok"; },
);
const one = {}, two = { skip: true };
await app(one); await app(two);
return [one, two, log];
// ---
// features: unification of intervals, scheduling
const mergeAll = (list) => list.toSorted(([a], [b]) => a - b).reduce((all, [from, to]) => { const last = all.at(-1); if (last && from <= last[1]) last[1] = Math.max(last[1], to); else all.push([from, to]); return all; }, []);
const free = (busy, from, to) => [...mergeAll(busy), [to, to]].reduce(({ at, gaps }, [start, end]) => ({ at: Math.max(at, end), gaps: start > at ? [...gaps, [at, start]] : gaps }), { at: from, gaps: [] }).gaps;
const busy = [[9, 10], [13, 15], [9.5, 11], [14, 14.5]];
await tick();
return [mergeAll(busy), free(busy, 8, 18)];
// ---
// features: tokens and counts of words in parallel
const documents = { one: "To be, or not to be", two: "be quick or be dead", three: "" };
const count = async (text) => { await tick(); const counts = new Map(); for (const [word] of text.toLowerCase().matchAll(/[a-z]+/g)) counts.set(word, (counts.get(word) ?? 0) + 1); return counts; };
const all = await Promise.all(Object.entries(documents).map(async ([name, text]) => [name, await count(text)]));
const frequency = all.reduce((sums, [, counts]) => { for (const [word, n] of counts) sums[word] = (sums[word] ?? 0) + n; return sums; }, Object.create(null));
return [Object.entries(frequency).sort(([a, m], [b, n]) => n - m || a.localeCompare(b)).slice(0, 3), all.map(([name, { size }]) => name + size)];
