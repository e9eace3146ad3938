// features: typed arrays, wrap-around and clamping
const bytes = new Uint8Array([255, 256, -1, 1.9, NaN]);
await tick();
return [[...bytes], [...new Int8Array([127, 128, 200])], [...new Uint8ClampedArray([300, -5, 1.5, 2.5, NaN])], [...new Uint16Array([65536, 65535])], [...new Int32Array([2 ** 31, 1e10])], [...new Float32Array([0.1, 16777217])], bytes.length, bytes.byteLength, Float64Array.BYTES_PER_ELEMENT];
// ---
// features: ArrayBuffer, views that share memory
const buffer = new ArrayBuffer(8);
const bytes = new Uint8Array(buffer), words = new Uint16Array(buffer, 2, 2);
words[0] = 0x1234; words[1] = 0xabcd;
await tick();
bytes[0] = 7;
return [[...bytes], words.byteOffset, words.buffer === buffer, [...new Uint8Array(buffer.slice(2, 4))], ArrayBuffer.isView(bytes), ArrayBuffer.isView(buffer)];
// ---
// features: DataView, endianness
const view = new DataView(new ArrayBuffer(24));
view.setInt16(0, -2); view.setInt16(2, -2, true); view.setFloat32(4, 1.5); view.setFloat64(8, Math.PI, true); view.setBigUint64(16, 2n ** 63n + 1n);
const outcomes = [view.getUint16(0), view.getUint16(2), view.getUint16(2, true), view.getFloat32(4), view.getFloat64(8, true), String(view.getBigInt64(16)), view.getUint8(16)];
try { view.getInt32(22); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: methods of typed arrays
const list = Float64Array.of(3, 1, NaN, -0, 2);
return [[...list.toSorted()].map(String), [...list.map((x) => x * 2)].map(String), list.indexOf(NaN), list.includes(NaN), [...list.subarray(1, 2)], [...list.slice(-2)].map(String), list.join(), list.at(-1), [...new Uint8Array([5, 1, 10]).sort()], list.findLast((x) => x > 2), [...new Int8Array(3).fill(7, 1)], [...new Int8Array([1, 2, 3]).reverse()], [...new Uint8Array([1, 2, 3]).with(0, 9)]];
// ---
// features: set, copyWithin, subarray share memory
const list = new Uint8Array(6);
list.set([1, 2, 3], 1);
const part = list.subarray(1, 4);
part[0] = 99;
list.copyWithin(3, 1, 3);
const outcomes = [[...list], [...part], part.byteOffset];
try { list.set([1, 2], 5); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: out of bounds and odd keys on typed arrays
const list = new Uint8Array(2);
const outcomes = [];
list[5] = 1; list["-0"] = 3; list.extra = 4; list["1"] = 2; list[1.5] = 9;
try { Object.defineProperty(list, 7, { value: 1 }); } catch (error) { outcomes.push(error.name); }
try { Object.freeze(list); } catch (error) { outcomes.push(error.name); }
return [...outcomes, Object.keys(list), 5 in list, 1 in list, list["-0"] ?? "none", JSON.stringify(list), Object.entries(new Uint8Array([8]))];
// ---
// features: resizable buffers
const buffer = new ArrayBuffer(4, { maxByteLength: 8 });
const tracking = new Uint8Array(buffer), fixed = new Uint8Array(buffer, 0, 4);
tracking.fill(1);
buffer.resize(8);
const grown = [tracking.length, fixed.length, [...tracking]];
await tick();
buffer.resize(2);
return [grown, tracking.length, fixed.length, buffer.resizable, buffer.maxByteLength, new ArrayBuffer(1).resizable];
// ---
// features: typed arrays from iterables, BigInt arrays
const big = new BigInt64Array([1n, -1n, 2n ** 63n]);
const outcomes = [[...big].map(String), [...BigUint64Array.from([-1n])].map(String), [...Uint8Array.from("123", (each) => each * 2)], [...new Uint8Array(new Set([1, 2]))], new Uint16Array(new Uint8Array([1, 2])).byteLength];
for (const bad of [() => { big[0] = 1; }, () => new Uint8Array([1n]), () => new Uint16Array(new ArrayBuffer(3)), () => Uint8Array(2), () => new Uint8Array(-1)]) try { bad(); outcomes.push("fine"); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: checksums and hashes over bytes
const utf8 = (text) => Uint8Array.from(unescape(encodeURIComponent(text)), (each) => each.charCodeAt(0));
const table = Uint32Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1; return n; });
const crc = (bytes) => (bytes.reduce((sum, each) => table[(sum ^ each) & 255] ^ (sum >>> 8), -1) ^ -1) >>> 0;
const fnv = (bytes) => bytes.reduce((hash, each) => Math.imul(hash ^ each, 16777619), 0x811c9dc5) >>> 0;
await tick();
return [crc(utf8("123456789")).toString(16), fnv(utf8("héllo")).toString(16), [...utf8("é😀")]];
// ---
// features: bit sets, flags
class Bits { #words; constructor(size) { this.#words = new Uint32Array(Math.ceil(size / 32)); } add(n) { this.#words[n >>> 5] |= 1 << n; return this; } has(n) { return (this.#words[n >>> 5] >>> n & 1) === 1; } get count() { let all = 0; for (let word of this.#words) for (; word; word &= word - 1) all++; return all; } }
const bits = new Bits(100).add(0).add(31).add(32).add(99);
await tick();
return [bits.count, bits.has(31), bits.has(33), bits.has(99), bits.add(31).count];
// ---
// features: hex encoding, SHA-like mixing of words
const toHex = (bytes) => Array.from(bytes, (each) => each.toString(16).padStart(2, "0")).join("");
const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const rotate = (word, by) => (word << by | word >>> (32 - by)) >>> 0;
const words = new Uint32Array(fromHex("0123456789abcdef").buffer);
return [toHex(fromHex("00ff10")), toHex(new Uint8Array(words.map((word) => rotate(word, 8)).buffer)), fromHex("").length];
