// Adds `await tick()` to a program wherever it may wait: before each statement and each `await` of async code.
import ts from "typescript";

const HEAD = "async () => {\n";

const isAsync = (node) => node.modifiers?.some((each) => each.kind === ts.SyntaxKind.AsyncKeyword) ?? false;

// Code in here runs by itself: whether it may wait is told by its own `async`, or it can't (initialisers of fields).
const isBoundary = (node) =>
  ts.isFunctionLike(node) || ts.isClassStaticBlockDeclaration(node) || ts.isPropertyDeclaration(node);

export function suspendEverywhere(code) {
  const source = ts.createSourceFile("program.js", `${HEAD}${code}\n}`, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const edits = [];

  function visit(node, waits) {
    if (isBoundary(node)) waits = isAsync(node);
    if (waits && ts.isAwaitExpression(node)) {
      edits.push([node.getStart(), "(await tick(), "], [node.end, ")"]);
    } else if (waits && (ts.isBlock(node) || ts.isCaseOrDefaultClause(node))) {
      for (const each of node.statements) edits.push([each.getStart(), "await tick(); "]);
    }
    ts.forEachChild(node, (child) => visit(child, waits));
  }

  visit(source, false);
  let suspended = source.text;
  // From the end, so that places stay right; of two at one place the one found first comes first.
  const ordered = edits.map(([at, text], index) => ({ at, text, index }));
  ordered.sort((one, other) => other.at - one.at || other.index - one.index);
  for (const { at, text } of ordered) suspended = suspended.slice(0, at) + text + suspended.slice(at);
  return suspended.slice(HEAD.length, -2);
}
