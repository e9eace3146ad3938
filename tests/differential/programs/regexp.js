// features: regular expressions, named groups
const match = /(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)/.exec("on 2024-03-09.");
const { year, month, day } = match.groups;
await tick();
return [year, month, day, match.index, match[0], "2024-03-09".replace(/(?<y>\d+)-(?<m>\d+)-(?<d>\d+)/, "$<d>.$<m>.$<y>")];
// ---
// features: lookbehind, lookahead
const text = "price: $42, €17, 99";
return [text.match(/(?<=\$)\d+/g), text.match(/(?<![$€\d])\d+/g), text.match(/\w+(?=:)/g), "foobar foobaz".replace(/foo(?!bar)/g, "X"), "1234567".replace(/\B(?=(\d{3})+$)/g, ",")];
// ---
// features: sticky flag, lastIndex
const token = /\s*(?:(?<number>\d+)|(?<operator>[-+*/()]))/y;
const tokens = [];
const source = "12 + (3*45) - 6";
while (token.lastIndex < source.length) {
  const found = token.exec(source);
  await tick();
  tokens.push(found.groups.number ? Number(found.groups.number) : found.groups.operator);
}
return [tokens, token.exec("?"), token.lastIndex];
// ---
// features: unicode flag, code points, property escapes
const text = "a😀é漢 Ж1";
return [
  text.match(/./gu).length, text.match(/./g).length, text.match(/\p{L}/gu), text.match(/\p{Emoji_Presentation}/gu), text.match(/\p{Script=Cyrillic}/u)?.index,
  /^\u{1F600}$/u.test("😀"), /^.$/.test("😀"), text.replace(/\P{ASCII}/gu, "?"),
];
// ---
// features: matchAll, capture groups
const found = [..."k1=v1;k2=v2;k3".matchAll(/(\w+)(?:=(\w+))?/g)];
return found.map((each) => [each[0], each[1], each[2] ?? null, each.index]);
// ---
// features: replace with functions
const camel = (text) => text.replace(/[-_](\w)/g, (_, letter) => letter.toUpperCase());
const args = [];
"x1y2".replace(/([a-z])(?<digit>\d)/g, (...all) => { args.push(all); return ""; });
return [camel("some-kebab_name"), args];
// ---
// features: replacement patterns
return ["abc".replace("b", "[$&]"), "abc".replace("b", "[$`|$']"), "abc".replace(/(b)(c)/, "$2$1$3$0$$"), "aXbX".replaceAll("X", "$&$&"), "abc".replace(/(?<l>b)/, "<$<l>$<none>>")];
// ---
// features: backreferences, named backreferences
return [
  "abab xyxy abcd".match(/\b(\w\w)\1\b/g), /(?<q>['"]).*?\k<q>/.exec(`say "it's" now`)[0], /(a)|(b)\1/.exec("b"), /\1(a)/.exec("a")[0],
];
// ---
// features: greedy and lazy quantifiers, alternation
const html = "<b>one</b><b>two</b>";
return [html.match(/<b>.*<\/b>/)[0], html.match(/<b>.*?<\/b>/)[0], "aaaa".match(/a{2,3}/g), "aaaa".match(/a{2,3}?/g), "foobar".match(/fo|foo|foobar/)[0], "".match(/x*/)[0], "xxx".match(/x*?$/)[0]];
// ---
// features: dotAll and multiline flags, anchors
const text = "first\nsecond\r\nthird";
return [text.match(/^\w+$/gm), /first.second/s.test(text), /first.second/.test(text), text.split(/\r?\n/), text.match(/\bs\w+/i).index, /^third/m.test(text)];
// ---
// features: split with captures, limits
return ["a1b2c".split(/(\d)/), "a,b,,c".split(",", 3), "abc".split(""), "".split(""), "".split(","), "aXbxc".split(/x/i), "😀a".split(""), "ab".split(/(?:)/u), "A<B>bold</B>".split(/<(\/)?([^<>]+)>/).map((each) => each ?? null)];
// ---
// features: RegExp flags and properties
const all = /x/dgimsuy;
return [all.flags, all.global, all.hasIndices, all.source, new RegExp("/").source, String(new RegExp("a/b", "g")), new RegExp("").source, new RegExp(/a/gi, "m").flags, RegExp("\n").source];
// ---
// features: match indices
const { indices } = /(?<word>o\w)(x)?/d.exec("hello world");
return [indices[0], indices[1], indices[2] ?? null, indices.groups.word];
// ---
// features: ignoring case, unicode case folding
return [/é/i.test("É"), /ß/i.test("ẞ"), /ß/iu.test("ẞ"), /\u212a/i.test("k"), /\u212a/iu.test("k"), /[^x]/iu.test("X"), /σ/i.test("ς"), /[a-z]/i.test("K"), "ǅ".match(/ǆ/i)?.[0] ?? null];
// ---
// features: regular expression errors
const outcomes = [];
for (const [source, flags] of [["(", ""], ["[b-a]", ""], ["a{2,1}", ""], ["\\u{110000}", "u"], ["x", "gg"], ["(?<a>.)(?<a>.)", ""], ["\\k<z>", "u"], ["*", ""], ["(?<=a)+", "u"], ["\\p{Nope}", "u"], ["a", "uv"]]) {
  try { new RegExp(source, flags); outcomes.push("fine"); } catch (error) { outcomes.push(error.name); }
}
return outcomes;
// ---
// features: global search state, test in loops
const finder = /o/g;
const at = [];
while (finder.test("foo boo")) { at.push(finder.lastIndex); await tick(); }
finder.lastIndex = 5;
return [at, finder.exec("foo boo").index, "foo".search(/o/g), finder.lastIndex, "a-b".replace(/-/y, "x"), "-b".replace(/-/y, "x")];
// ---
// features: custom Symbol.replace and Symbol.split
const matcher = { [Symbol.match]: (text) => "matched " + text, [Symbol.replace]: (text, by) => `${text}→${by}`, [Symbol.search]: () => 42, [Symbol.split]: (text, limit) => [text, limit ?? "none"] };
return ["a".match(matcher), "b".replace(matcher, "c"), "d".search(matcher), "e".split(matcher), "f".split(matcher, 2)];
// ---
// features: v flag, set operations in classes
return [
  "a1β_".match(/[\p{L}--[a-z]]/gv), "abc123".match(/[\w&&\d]/gv), "x😀👨‍👩‍👧y".match(/^x\p{RGI_Emoji}+y$/v) !== null, /[[a-c][x-z]]+/v.exec("mmabzq")[0], /^[\q{abc|d}]$/v.test("abc"),
];
// ---
// features: parsing with regular expressions, CSV
const parse = (csv) => csv.trim().split("\n").map((line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain));
return parse('id,name\n1,"Doe, Jane"\n2,"say ""hi"""\n3,\n');
// ---
// features: character classes, escapes
return [
  "a\tb\u00a0c\u2028d".split(/\s/), "x_1-é".match(/\W/g), /[\b]/.test("\b"), /\cJ/.test("\n"), /[^]/.test("\n"), /[]/.test("a"), /\x41\u0042\103/.test("ABC"), /[\d-x]+/.exec("1-x")[0], /\0/.test("\0"), /a\/b/.source,
];
// ---
// features: nested quantifiers, captures reset per iteration
return [/(z)((a+)?(b+)?(c))*/.exec("zaacbbbcac").map((each) => each ?? null), /(?:(a)|b)*/.exec("ab").map((each) => each ?? null), /(a*)*/.exec("b"), /((a)|(b))+?c/.exec("abc").map((each) => each ?? null)];
// ---
// features: regular expression subclass, exec override
class Loud extends RegExp {
  exec(text) { const result = super.exec(text); if (result) result[0] = result[0].toUpperCase(); return result; }
}
const loud = new Loud("b+", "g");
return ["abbc".replace(loud, "[$&]"), "abbcb".match(loud), loud.test("b"), loud instanceof RegExp, [..."bab".matchAll(new Loud("b", "g"))].map((each) => each[0])];
