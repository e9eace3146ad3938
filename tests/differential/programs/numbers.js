// features: number formatting, exponents
await tick();
return [0.1 + 0.2, 1e21, 123456789012345680000, 1e-7, 0.000001, -0, 5e-324, 1.7976931348623157e308, 100, 1.10].map(String);
// ---
// features: toFixed
return [[1.005, 2], [1.45, 1], [0.000001, 7], [1e21, 2], [-1.5, 0], [2.5, 0], [123.456, 0], [0, 2], [-0.0000001, 2], [10.235, 2]].map(([n, digits]) => n.toFixed(digits));
// ---
// features: toPrecision, toExponential
return [[123.456, 4], [0.00001234, 2], [123456, 2], [1e21, 3], [0, 3], [99.99, 3]].map(([n, digits]) => [n.toPrecision(digits), n.toExponential(digits), n.toExponential()]);
// ---
// features: number bases, toString with radix
return [255..toString(16), (-255).toString(2), 0.5.toString(2), (35).toString(36), 3.75.toString(8), 1e10.toString(32), (0.1).toString(3).slice(0, 10), parseInt("zz", 36), parseInt("0x1f"), parseInt("12px"), parseInt("101", 2), parseInt("9", 8)].map(String);
// ---
// features: parsing of numbers
return ["12", " 12 ", "", " ", "0x10", "0b11", "0o17", "1e3", ".5", "5.", "1_000", "Infinity", "-0", "12px", "+5", "--5", "\u00a07", "1e1000"].map((text) => [String(Number(text)), String(parseFloat(text))]);
// ---
// features: NaN, infinities, negative zero
return [NaN === NaN, Object.is(NaN, NaN), Object.is(0, -0), 1 / -0 === -Infinity, [NaN].includes(NaN), [NaN].indexOf(NaN), Math.max(), Math.min(), isNaN("x"), Number.isNaN("x"), 0 / 0 || "nan", Math.sign(-0) === 0, [0].includes(-0), String(-0), `${[-0]}`];
// ---
// features: Math functions
return [Math.trunc(-4.7), Math.round(-0.5), Math.round(2.5), Math.round(-2.5), Math.cbrt(64), Math.hypot(3, 4, 12), Math.log2(8), Math.log10(1000), Math.fround(5.5), Math.clz32(1), Math.imul(0xffffffff, 5), Math.sign(-3), Math.ceil(-0.2), Math.atan2(1, 1), Math.expm1(0), Math.log1p(0)];
// ---
// features: integer limits, safe integers
return [Number.MAX_SAFE_INTEGER, Number.isSafeInteger(2 ** 53), Number.isInteger(5.0), Number.EPSILON > 0, 2 ** 53 === 2 ** 53 + 1, Number.MIN_VALUE, 9007199254740993 - 1, 0.1 * 3, 4.35 * 100, 1.1 + 2.2, 9.95.toFixed(1)].map(String);
// ---
// features: bitwise operators, 32-bit integers
return [5 & 3, 5 | 3, 5 ^ 3, ~5, -1 >>> 0, -1 >> 1, 1 << 31, 1 << 32, 2 ** 32 | 0, 2 ** 31 | 0, 1.9 | 0, -1.9 | 0, "7" & "5", NaN | 0, 0xff << 24 >> 28, -5 >>> 28];
// ---
// features: remainder and exponent operators
return [5 % 3, -5 % 3, 5 % -3, 5.5 % 2, -0 % 1, 2 ** 10, 2 ** -1, (-2) ** 2, 2 ** 3 ** 2, 4 ** 0.5, 0 ** 0, NaN ** 0, Infinity % 2, 10 % Infinity].map((n) => Object.is(n, -0) ? "-0" : String(n));
// ---
// features: numeric separators, literals
return [1_000_000, 0b1010_1010, 0xdead_beef, 0o777, 1e3, .5e-2, 0.1e2];
// ---
// features: rounding to steps, statistics
const round = (n, step) => Math.round(n / step) * step;
const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
const deviation = (list, m = mean(list)) => Math.sqrt(mean(list.map((x) => (x - m) ** 2)));
const median = (list) => { const s = list.toSorted((a, b) => a - b), h = s.length >> 1; return s.length % 2 ? s[h] : (s[h - 1] + s[h]) / 2; };
const data = [3, 9, 4, 1, 5, 9, 2, 6];
await tick();
return [round(17, 5), mean(data), deviation(data).toFixed(6), median(data), median([5, 1, 3])];
// ---
// features: currency formatting without Intl, cents
const money = (cents) => { const sign = cents < 0 ? "-" : "", n = Math.abs(cents); return `${sign}$${Math.floor(n / 100).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",")}.${String(n % 100).padStart(2, "0")}`; };
return [0, 5, 123456789, -250, 99999].map(money);
// ---
// features: primes, greatest common divisor
const sieve = (max) => { const composite = new Uint8Array(max + 1), primes = []; for (let i = 2; i <= max; i++) { if (composite[i]) continue; primes.push(i); for (let j = i * i; j <= max; j += i) composite[j] = 1; } return primes; };
const gcd = (a, b) => b ? gcd(b, a % b) : a;
return [sieve(60), gcd(1071, 462), [4, 6, 10].reduce((a, b) => a * b / gcd(a, b))];
// ---
// features: pseudo random numbers, determinism
function* lcg(seed) { for (;;) { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; yield seed / 2 ** 32; } }
const random = lcg(42);
const shuffled = [1, 2, 3, 4, 5, 6];
for (let i = shuffled.length - 1; i > 0; i--) { const j = Math.floor(random.next().value * (i + 1)); [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]]; }
const draws = Array.from({ length: 50 }, Math.random);
return [shuffled, random.next().value, draws.every((each) => each >= 0 && each < 1), new Set(draws).size > 40];
// ---
// features: shortest round-trip of floats
let seed = 7, bad = 0;
const bits = new DataView(new ArrayBuffer(8));
const texts = [];
for (const high of [0x3ff00000, 0x40091eb8, 0x00000000, 0x7fe12345, 0x43e00000, 0x3c9abcde]) {
  await tick();
  seed = (seed * 48271) % 2147483647;
  bits.setUint32(0, high); bits.setUint32(4, seed);
  const n = bits.getFloat64(0);
  if (Number(String(n)) !== n) bad++;
  texts.push(String(n));
}
return [texts, bad];
