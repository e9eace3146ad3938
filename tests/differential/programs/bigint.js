// features: BigInt arithmetic
const a = 123456789012345678901234567890n, b = -987654321n;
await tick();
return [a + b, a - b, a * b, a / b, a % b, -a, b ** 3n, a & 0xffffn, a | 1n, a ^ b, ~a, a << 10n, a >> 10n, b >> 100n, (-7n) / 2n, (-7n) % 2n].map(String);
// ---
// features: BigInt conversion
const outcomes = [BigInt(10), BigInt("0xff"), BigInt(" 12 "), BigInt(""), BigInt(true), BigInt(2 ** 60), Number(2n ** 64n), parseInt("12n"), (255n).toString(16), (-255n).toString(2), 10n.toLocaleString === undefined, BigInt.asIntN(8, 255n), BigInt.asUintN(8, -1n), BigInt.asIntN(64, 2n ** 63n), Number.MAX_SAFE_INTEGER + 2 === Number(BigInt(Number.MAX_SAFE_INTEGER) + 2n)].map(String);
for (const bad of [() => BigInt(1.5), () => BigInt("1.5"), () => BigInt(undefined), () => +1n, () => Math.max(1n), () => 1n + 1, () => 1n / 0n, () => 2n ** -1n, () => 1n >>> 0n, () => new BigInt(1), () => JSON.stringify(1n)]) try { outcomes.push(String(bad())); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: BigInt comparison with numbers
return [1n < 2, 2n == 2, 2n === 2, 1n < 1.5, 2n ** 64n > 1e19, 0n == "", 1n == "1", [3n, 1, 2n, 0].sort((x, y) => x < y ? -1 : 1).map(String), 0n ? "truthy" : "falsy", 1n && "yes", Object(1n) == 1n, new Set([1n, 1n, 1]).size, 9007199254740993n > 9007199254740992, [1n].includes(1n), Object.is(-0n, 0n), 1n < NaN];
// ---
// features: factorials and modular powers of BigInts
const factorial = (n) => n < 2n ? 1n : n * factorial(n - 1n);
const power = (base, exponent, modulus) => { let result = 1n; for (base %= modulus; exponent; exponent >>= 1n, base = base * base % modulus) if (exponent & 1n) result = result * base % modulus; return result; };
return [factorial(30n), power(3n, 1000n, 1000000007n), power(2n, 10n ** 18n, 10n ** 9n + 7n)].map(String);
// ---
// features: BigInt increments, compound assignment, keys
let n = 5n;
const old = n++;
n **= 2n; n -= 1n; n <<= 3n; n /= 3n;
const object = { [10n]: "ten", 1n: "one" };
await tick();
return [old, n].map(String).concat(Object.keys(object), object[1], [..."ab"][1n], -(-n) === n, typeof n);
// ---
// features: digits of pi and square roots with BigInt
const root = (n) => { let x = n; for (let y = (x + 1n) / 2n; y < x; y = (x + n / x) / 2n) x = y; return x; };
function* digits() { let [q, r, t, k, m, x] = [1n, 0n, 1n, 1n, 3n, 3n]; for (;;) if (4n * q + r - t < m * t) { yield m; [q, r, m] = [10n * q, 10n * (r - m * t), 10n * (3n * q + r) / t - 10n * m]; } else [q, r, t, k, m, x] = [q * k, (2n * q + r) * x, t * x, k + 1n, (q * (7n * k + 2n) + r * x) / (t * x), x + 2n]; }
const pi = [];
for (const each of digits()) { await tick(); if (pi.push(each) === 12) break; }
return [pi.join(""), String(root(2n * 10n ** 40n))];
// ---
// features: BigInt JSON by replacer and reviver
const text = JSON.stringify({ id: 2n ** 70n, list: [1n] }, (_, value) => typeof value === "bigint" ? `${value}n` : value);
const back = JSON.parse(text, (_, value) => typeof value === "string" && /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value);
return [text, String(back.id + 1n), typeof back.list[0]];
// ---
// features: BigInt methods on prototypes, valueOf
return [(5n).valueOf() === 5n, Object(5n).toString(), BigInt.prototype.toString.call(7n, 2), Object.prototype.toString.call(1n), BigInt.length, BigInt.name, 5n.constructor === BigInt, String([1n, [2n]]), `${3n}`, "x" + 1n];
