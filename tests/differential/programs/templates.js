// features: template literals, nesting, line breaks
const items = ["a", "b"];
const user = { name: "Ana", tags: [] };
await tick();
return [`${items.map((each) => `<li>${each}</li>`).join("")}`, `line one
line two`, `${1 + 1} ${user.name.length > 2 ? `long ${user.name}` : "short"}`, `\${not} \`tick\` \u0041`, `${[]}|${{}}|${null}|${[1, [2]]}`];
// ---
// features: tagged templates, raw strings
const tag = (strings, ...values) => ({ cooked: [...strings], raw: [...strings.raw], values });
return [tag`a${1}b\n${"x"}`, tag``, tag`\u{41}${null}`.raw, String.raw`C:\new\${1}${2}`];
// ---
// features: template objects are cached per site and frozen
const tag = (strings) => strings;
const site = () => tag`same`;
const first = site(), second = site(), other = tag`same`;
return [first === second, first === other, Object.isFrozen(first), Object.isFrozen(first.raw), Array.isArray(first)];
// ---
// features: invalid escapes in tagged templates
const tag = (strings) => [strings[0] === undefined, strings.raw[0]];
return [tag`\unicode and \xerxes`, tag`\01`, tag`fine\t`];
// ---
// features: tags as members, calls and new
const object = { prefix: ">", tag(strings, ...values) { return this.prefix + strings.join("_") + values; } };
const make = (mark) => (strings, value) => strings[0] + value + mark;
const make2 = { of: () => (strings) => strings.raw[0].length };
return [object.tag`a${1}b${2}c`, make("!")`x${5}`, ((s) => (t) => s[0] + t[0])`one``two`, make2.of()`four`, object.prefix + `.`];
// ---
// features: escaping HTML with tags
const escape = (text) => String(text).replace(/[&<>"]/g, (each) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[each]);
const html = (strings, ...values) => strings.reduce((out, part, index) => out + (Array.isArray(values[index - 1]) ? values[index - 1].join("") : escape(values[index - 1])) + part);
const rows = [["<b>", 1], ["&", 2]];
await tick();
return html`<table>${rows.map(([name, n]) => html`<tr title="${name}">${n}</tr>`)}</table>`;
// ---
// features: order of evaluation in templates
const log = [];
const value = (name) => ({ toString() { log.push("string " + name); return name; } });
const read = (name) => (log.push("read " + name), value(name));
const text = `${read("a")}`;
const concatenated = read("c") + "-" + read("d");
return [text, concatenated, log];
// ---
// features: dedent, multi-line tags
const dedent = (strings, ...values) => { const text = String.raw({ raw: strings }, ...values); const lines = text.replace(/^\n|\n\s*$/g, "").split("\n"); const indent = Math.min(...lines.filter((line) => line.trim()).map((line) => line.match(/^ */)[0].length)); return lines.map((line) => line.slice(indent)).join("\n"); };
return dedent`
    select *
      from ${"users"}

    where id = ${7}
  `;
// ---
// features: small languages, queries from templates
const sql = (strings, ...values) => { const params = []; const text = strings.reduce((all, part, at) => { const value = values[at - 1]; if (value?.text) { params.push(...value.params); return all + value.text.replace(/\$\d+/g, () => "?") + part; } params.push(value); return all + "?" + part; }); let n = 0; return { text: text.replace(/\?/g, () => "$" + ++n), params }; };
const where = sql`age > ${18} and name = ${"x"}`;
await tick();
return sql`select * from t where ${where} limit ${5}`;
// ---
// features: templates as keys, in patterns and classes
const prefix = "get";
const object = { [`${prefix}Name`]: () => "n", [`${1}${2}`]: 3 };
class Api { [`${prefix}All`]() { return "all"; } static [`make${prefix.toUpperCase()}`] = 1; }
const { [`${prefix}Name`]: reader } = object;
return [Object.keys(object), reader(), new Api().getAll(), Api.makeGET];
