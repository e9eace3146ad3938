// [TypeScript] → [{erased, value | error}]
import ts from "typescript";
import { main, run } from "./cell.mjs";

const compilerOptions = {
  target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext,
  isolatedModules: true,
  useDefineForClassFields: true,
};

await main(async (code) => {
  // Where only types were imported, the compiler marks the file as a module; a cell is none.
  const erased = ts.transpileModule(code, { compilerOptions }).outputText.replace(/^export \{\};$/m, "");
  return { erased, ...(await run(erased)) };
});
