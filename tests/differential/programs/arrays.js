// features: array iteration methods
const list = [5, 1, 4];
await tick();
return [list.map((x) => x * 2), list.filter((x) => x > 1), list.reduce((a, b) => a + b), list.reduceRight((a, b) => a + "-" + b), list.some((x) => x > 4), list.every((x) => x > 4), list.find((x) => x < 5), list.findIndex((x) => x === 9), list.findLast((x) => x > 3), list.findLastIndex((x) => x > 3)];
// ---
// features: sorting, stability
const people = [["Ana", 30], ["Bo", 25], ["Cy", 30], ["Di", 25], ["Ed", 30]].map(([name, age]) => ({ name, age }));
const many = Array.from({ length: 200 }, (_, index) => ({ key: (index * 7) % 5, index }));
many.sort((a, b) => a.key - b.key);
return [people.sort((a, b) => a.age - b.age).map((each) => each.name).join(), many.every((each, at) => at === 0 || many[at - 1].key < each.key || many[at - 1].index < each.index), [10, 9, 1].sort(), [3, undefined, 1, , 2].sort().length];
// ---
// features: sort with comparators that throw or lie
const outcomes = [];
try { [3, 2, 1].sort(() => { throw new RangeError("cmp"); }); } catch (error) { outcomes.push(error.message); }
try { [1, 2].sort("nope"); } catch (error) { outcomes.push(error.name); }
outcomes.push([3, 1, 2].sort(() => 0), [2, 1].sort(() => NaN), [true, false, null].sort(), ["b", "a"].sort(undefined));
return outcomes;
// ---
// features: splice, slice, copyWithin, fill
const list = [1, 2, 3, 4, 5];
const removed = list.splice(1, 2, "a", "b", "c");
return [removed, list, list.slice(-2), [1, 2, 3, 4, 5].copyWithin(0, 3), [1, 2, 3].fill(0, 1), [1, 2, 3].splice(-1), [1, 2, 3].splice(1), new Array(3).fill().length, list.splice(0, 0)];
// ---
// features: non-mutating array methods
const list = [3, 1, 2];
return [list.toSorted(), list.toReversed(), list.with(-1, 9), list.toSpliced(1, 1, "x", "y"), list];
// ---
// features: flat, flatMap
return [[1, [2, [3, [4]]]].flat(), [1, [2, [3, [4]]]].flat(Infinity), ["a b", "c"].flatMap((each) => each.split(" ")), [[1], [[2]]].flatMap((each) => each), [1, , 3].flat(), [[]].flat()];
// ---
// features: sparse arrays, holes
const sparse = [1, , 3];
const visits = [];
sparse.forEach((each, index) => visits.push(index));
return [1 in sparse, sparse.length, visits, Object.keys(sparse), sparse.map((x) => x * 2).length, 1 in sparse.map((x) => x), [...sparse][1] === undefined, sparse.indexOf(undefined), sparse.includes(undefined), sparse.join("-"), delete sparse[0], Object.keys(sparse)];
// ---
// features: array length, index properties
const list = [1, 2, 3];
list.length = 1;
list[3] = "x";
list["2"] = "y";
list.extra = true;
list[-1] = "minus";
const outcomes = [list.length, Object.keys(list), [...list].length];
try { list.length = -1; } catch (error) { outcomes.push(error.name); }
try { new Array(1.5); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: Array.from, Array.of, array-likes
return [Array.from("abc"), Array.from({ length: 3 }, (_, index) => index ** 2), Array.of(7).length, Array(7).length, Array.from(new Map([[1, 2]])), Array.from({ length: 2, 0: "x" }).map((each) => each ?? null), Array.isArray(Array.prototype), Array.from(new Set([1, 1, 2])), Array.prototype.map.call("ab", (each) => each + each), Array.prototype.concat.call(1, 2).length];
// ---
// features: concat, Symbol.isConcatSpreadable
const like = { length: 2, 0: "a", 1: "b", [Symbol.isConcatSpreadable]: true };
const closed = [1, 2];
closed[Symbol.isConcatSpreadable] = false;
return [[0].concat(like, [[1]], 2), [0].concat(closed).length, [].concat("x", [], [[]])];
// ---
// features: iteration while mutating
const list = [1, 2, 3];
const seen = [];
for (const each of list) { await tick(); seen.push(each); if (each < 3 && list.length < 6) list.push(each * 10); }
const mapped = [1, 2, 3].map((each, index, all) => { all.pop(); return each; });
return [seen, mapped.length, mapped.filter(() => true)];
// ---
// features: grouping with reduce, counting
const orders = [{ user: "a", total: 5 }, { user: "b", total: 7 }, { user: "a", total: 2 }];
const totals = orders.reduce((sums, { user, total }) => ({ ...sums, [user]: (sums[user] ?? 0) + total }), {});
const by = orders.reduce((map, order) => map.set(order.user, [...(map.get(order.user) ?? []), order.total]), new Map());
return [totals, [...by], Object.entries(totals).toSorted(([, a], [, b]) => b - a)[0][0]];
// ---
// features: entries, keys, values
const list = ["a", "b"];
const it = list.entries();
const first = it.next();
await tick();
list.push("c");
return [first, [...it], it.next().done, [...list.keys()], [...[, "x"].entries()].map(([index, each]) => [index, each ?? null]), Object.prototype.toString.call(it), list[Symbol.iterator] === list.values];
// ---
// features: stack and queue operations
const list = [];
return [list.push(1, 2, 3), list.unshift("a", "b"), list.pop(), list.shift(), list, [].pop() === undefined, [].shift() === undefined, list.reverse(), list.lastIndexOf(1), [1, 2, 1].lastIndexOf(1, -2)];
// ---
// features: join, toString, nested arrays
await tick();
return [[1, [2, [3]]].toString(), [null, undefined, 1].join(), [].join(), [[]].join() === "", [1, 2].join(undefined), [1, 2].join(null), [{}].toString()];
// ---
// features: reduce on empty arrays, callbacks with this
const outcomes = [];
try { [].reduce((a, b) => a + b); } catch (error) { outcomes.push(error.name); }
outcomes.push([].reduce((a) => a, "init"), [1].reduce(() => "unused"), [1, 2].map(function (x) { return x * this.by; }, { by: 3 }), ["1", "2", "3"].map(parseInt).map(String), ["1", "2"].map(Number));
return outcomes;
// ---
// features: matrices, transposition, multiplication
const multiply = (a, b) => a.map((row) => b[0].map((_, j) => row.reduce((sum, each, k) => sum + each * b[k][j], 0)));
const transpose = (m) => m[0].map((_, j) => m.map((row) => row[j]));
const power = (m, n) => n === 1 ? m : n % 2 ? multiply(m, power(m, n - 1)) : power(multiply(m, m), n / 2);
const m = [[1, 1], [1, 0]];
await tick();
return [power(m, 10), transpose([[1, 2, 3], [4, 5, 6]]), multiply([[1, 2]], [[3], [4]])];
// ---
// features: chunks, windows, unique values
const chunk = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));
const windows = (list, size) => list.slice(size - 1).map((_, index) => list.slice(index, index + size));
const uniqueBy = (list, key) => [...new Map(list.map((each) => [key(each), each])).values()];
return [chunk([1, 2, 3, 4, 5], 2), windows("abcd".split(""), 3).map((each) => each.join("")), uniqueBy([{ id: 1, v: "a" }, { id: 2, v: "b" }, { id: 1, v: "c" }], (each) => each.id)];
// ---
// features: generic array methods on objects
const like = { length: 2, 0: "a", 1: "b" };
Array.prototype.push.call(like, "c");
const removed = Array.prototype.shift.call(like);
Array.prototype.reverse.call(like);
return [like, removed, Array.prototype.join.call({ length: 3, 1: "x" }), Array.prototype.at.call("xyz", -1)];
// ---
// features: binary search, bisect
const bisect = (list, value) => { let low = 0, high = list.length; while (low < high) { const middle = (low + high) >>> 1; if (list[middle] < value) low = middle + 1; else high = middle; } return low; };
const list = [];
for (const each of [5, 2, 9, 2, 7]) { await tick(); list.splice(bisect(list, each), 0, each); }
return [list, bisect(list, 6), bisect(list, 100), list.includes(9), list.indexOf(2)];
