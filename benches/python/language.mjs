// The same work in Node: compiling a cell's text, and erasing its types first. Microseconds, the median of many.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const [packages, javascript, typescript] = process.argv.slice(2);
const ts = createRequire(`${packages}/`)("typescript");
const wrap = text => `(async function () {\n${text}\n})`;
const compile = text => new vm.Script(wrap(text));
const options = { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.None } };
const transpile = text => new vm.Script(ts.transpileModule(wrap(text), options).outputText);

function median(work, text) {
  const times = [];
  for (let i = 0; i < 400; i++) {
    const fresh = `${text}\n// ${i}`; // V8 keeps what it has compiled; a cell comes once
    const start = process.hrtime.bigint();
    work(fresh);
    times.push(Number(process.hrtime.bigint() - start) / 1000);
  }
  return times.slice(100).sort((a, b) => a - b)[150];
}

const read = path => readFileSync(path, "utf8");
console.log(JSON.stringify({ javascript: median(compile, read(javascript)), typescript: median(transpile, read(typescript)) }));
