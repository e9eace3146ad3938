// {file: TypeScript} → what `tsc --strict --noEmit` says of them together, as ["file(line): message"]
import path from "node:path";
import ts from "typescript";

const options = { strict: true, noEmit: true, target: ts.ScriptTarget.ES2022, lib: ["lib.es2022.d.ts"], types: [] };
const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const files = new Map(Object.entries(JSON.parse(Buffer.concat(chunks).toString())).map(([name, text]) => [path.resolve(name), text]));

const host = ts.createCompilerHost(options);
const { fileExists, readFile, getSourceFile } = host;
host.fileExists = (name) => files.has(name) || fileExists(name);
host.readFile = (name) => files.get(name) ?? readFile(name);
host.getSourceFile = (name, target, ...more) =>
  files.has(name) ? ts.createSourceFile(name, files.get(name), target) : getSourceFile(name, target, ...more);

const said = ts.getPreEmitDiagnostics(ts.createProgram([...files.keys()], options, host)).map((found) => {
  const message = ts.flattenDiagnosticMessageText(found.messageText, "\n");
  if (!found.file) return message;
  return `${path.basename(found.file.fileName)}(${found.file.getLineAndCharacterOfPosition(found.start).line + 1}): ${message}`;
});
process.stdout.write(JSON.stringify(said));
