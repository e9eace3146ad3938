// features: string slicing
const text = "JavaScript";
await tick();
return [text.slice(-6, -2), text.substring(4, 0), text.at(-1), text.charAt(99), text.slice(4), text.slice(5, 2), text.indexOf("a", 2), text.lastIndexOf("a"), text[0], typeof text[99]];
// ---
// features: padding, trimming, repeating
return ["7".padStart(3, "0"), "ab".padEnd(7, "xyz"), "  both ".trim() + "|", "  x ".trimStart() + "|", "  x ".trimEnd() + "|", "-".repeat(5), "abc".padStart(2), "\ufeff\u3000x\u2003".trim().length];
// ---
// features: code points, surrogate pairs
const text = "a😀b";
return [text.length, [...text].length, text.codePointAt(1), text.charCodeAt(1), String.fromCodePoint(128512, 97), text.split("").length, Array.from(text, (each) => each.codePointAt(0).toString(16)), "\u{1F600}" === "\uD83D\uDE00"];
// ---
// features: normalisation, combining marks
const nfd = "e\u0301";
return ["\u00e9" === nfd, "\u00e9" === nfd.normalize(), nfd.normalize("NFC").length, "\u00e9".normalize("NFD").length, "ﬁ".normalize("NFKC"), "Å".normalize("NFKD").length, "crème brûlée".normalize("NFD").replace(/[\u0300-\u036f]/g, "")];
// ---
// features: case mapping
return ["straße".toUpperCase(), "İ".toLowerCase().length, "ΑΣ".toLowerCase(), "ΑΣΑ".toLowerCase(), "ŉ".toUpperCase(), "Hello World".replace(/[a-z]/gi, (c) => c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()), "ǆ".toUpperCase(), "ﬃ".toUpperCase()];
// ---
// features: comparison of strings
return ["a" < "B", "a" < "b", "10" < "9", "10" < 9, "😀" < "\uffff", ["é", "z", "a", "Z", "ä"].sort(), "abc" > "ab", "" < "a", ["b", undefined, "a"].sort().map((each) => each ?? null)];
// ---
// features: startsWith, endsWith, includes
const outcomes = ["abc".startsWith("b", 1), "abc".endsWith("b", 2), "abc".includes(""), "abc".includes("c", -5)];
try { "abc".startsWith(/a/); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: well-formed strings, lone surrogates
const lone = "a\uD800b";
return [lone.isWellFormed(), "😀".isWellFormed(), lone.toWellFormed() === "a\uFFFDb", lone.length, JSON.stringify(lone), "\uDE00\uD83D".isWellFormed()];
// ---
// features: URI encoding
const text = "a b&c=é/😀?";
const outcomes = [encodeURIComponent(text), encodeURI(text), decodeURIComponent("%F0%9F%98%80"), decodeURI("%2F%20"), escape("é 漢"), unescape("%u6F22%E9")];
for (const bad of [() => decodeURIComponent("%"), () => encodeURIComponent("\uD800"), () => decodeURIComponent("%C3%28")]) try { bad(); } catch (error) { outcomes.push(error.name); }
return outcomes;
// ---
// features: base64
const bytes = Array.from({ length: 5 }, (_, index) => String.fromCharCode(index * 50)).join("");
const outcomes = [btoa("hello"), atob("aGVsbG8="), btoa(bytes), atob(btoa(bytes)) === bytes, atob(" aGk "), btoa("")];
for (const bad of [() => btoa("漢"), () => atob("a")]) try { bad(); outcomes.push("fine"); } catch { outcomes.push("refused"); }
return outcomes;
// ---
// features: string iteration, word counts
const words = "the cat and the hat and the bat".split(" ");
const counts = {};
for (const word of words) { await tick(); counts[word] = (counts[word] ?? 0) + 1; }
return Object.entries(counts).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
// ---
// features: string conversion
return [null, undefined, true, 12, [1, [2, 3]], {}, () => 1, Symbol("s"), 10n, [null, undefined], new Date(NaN), /x/g].map(String);
// ---
// features: concatenation and coercion
return [1 + "2", "3" - 1, "3" * "4", [] + {}, [] + [], 1 + null, 1 + undefined + "", true + true, "b" + "a" + +"a" + "a", "5" + 3 - 2, [1, 2] + [3], +[] + 1, +"", `${{}}`];
// ---
// features: caesar cipher, character codes
const shift = (text, by) => text.replace(/[a-z]/gi, (c) => { const base = c < "a" ? 65 : 97; return String.fromCharCode((c.charCodeAt(0) - base + by + 26) % 26 + base); });
return [shift("Hello, World!", 3), shift(shift("Zebra", 13), 13), shift("abc", -1)];
// ---
// features: wrapping text, line breaking
const wrap = (text, width) => text.split(/\s+/).reduce((lines, word) => { const last = lines.at(-1); if (last !== undefined && (last + " " + word).length <= width) lines[lines.length - 1] = last + " " + word; else lines.push(word); return lines; }, []);
return wrap("The quick brown fox jumps over the lazy dog and runs away", 16);
// ---
// features: edit distance, dynamic programming
const distance = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row.at(-1);
};
return [distance("kitten", "sitting"), distance("", "abc"), distance("flaw", "lawn")];
// ---
// features: string objects, boxed primitives
const boxed = new String("ab");
return [typeof boxed, boxed == "ab", boxed === "ab", boxed.length, Object.keys(boxed), boxed instanceof String, "ab" instanceof String, Object("x") + "y", [...boxed], JSON.stringify({ boxed })];
// ---
// features: legacy HTML methods, concat, localeCompare
return ["a".concat(1, null, [2]), "x".anchor('"'), "b".bold(), "a".localeCompare("b"), "b".localeCompare("a"), "a".localeCompare("a"), "abc".substr(-2, 1), "x".link("u")];
// ---
// features: line terminators in strings, escapes
return ["\x41\u{42}", "a\
b", "\u2028".length, "tab\there".split("\t"), 'it\'s', "\v\f\0".length, "\a" === "a"];
// ---
// features: palindromes, anagrams, vowels
const clean = (text) => text.toLowerCase().replace(/[^\p{L}]/gu, "");
const palindrome = (text) => clean(text) === [...clean(text)].reverse().join("");
const signature = (word) => [...word].sort().join("");
const groups = {};
for (const word of ["listen", "silent", "enlist", "google", "elgoog"]) (groups[signature(word)] ??= []).push(word);
await tick();
return [palindrome("A man, a plan, a canal: Panama"), palindrome("nope"), Object.values(groups)];
// ---
// features: run-length encoding, template building
const encode = (text) => text.replace(/(.)\1*/gs, (run, each) => (run.length > 1 ? run.length : "") + each);
const decode = (text) => text.replace(/(\d+)(\D)/g, (_, n, each) => each.repeat(n));
const text = "aaabccddddd";
return [encode(text), decode(encode(text)) === text, String.raw`\n${1 + 1}\t`];
