// Runs program text as toolcell does: the body of a strict async function.
import { text } from "node:stream/consumers";

const AsyncFunction = (async () => {}).constructor;
// A program may reject a promise before it handles it.
process.on("unhandledRejection", () => {});

// Resolves after all jobs that are ready have run, as a tool call does.
export const tick = (value) => new Promise((resolve) => setImmediate(resolve, value));

// What comes of a program: {value} or {error}. Strings as they would cross, without lone surrogates.
export async function run(code) {
  try {
    const value = await AsyncFunction("tick", `"use strict";\n${code}\n`)(tick);
    const encoded = JSON.stringify(value, (_, each) => (typeof each === "string" ? each.toWellFormed() : each));
    return { value: JSON.parse(encoded ?? "null") };
  } catch (error) {
    return { error: String(error?.stack ?? error) };
  }
}

// Reads a list from stdin, and writes what `work` makes of each item, one after the other.
export async function main(work) {
  const results = [];
  for (const item of JSON.parse(await text(process.stdin))) results.push(await work(item));
  process.stdout.write(JSON.stringify(results));
}
