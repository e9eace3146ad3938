// features: annotations of variables
let count: number = 1, name: string = "a", list: Array<number> = [1], maybe: string | undefined;
const flags: { on: boolean; off?: boolean } = { on: true };
return [count, name, list, maybe ?? "none", flags];
// ---
// features: annotations of functions
function add(a: number, b?: number, ...rest: number[]): number { return a + (b ?? 0) + rest.length; }
const arrow = (x: string): string => x + "!";
const later = async (n: number): Promise<number> => n * 2;
return [add(1), add(1, 2, 3, 4), arrow("x"), await later(4), add.length];
// ---
// features: interfaces
interface Point { readonly x: number; y: number; label?: string; distance(other: Point): number; }
interface Named extends Point { name: string }
const p: Named = { x: 1, y: 2, name: "p", distance(other: Point) { return Math.hypot(this.x - other.x, this.y - other.y); } };
return [p.name, p.distance({ x: 4, y: 6 } as Point)];
// ---
// features: type aliases, unions, intersections
type Id = string | number;
type Both = { a: number } & { b: string };
type Fn = (id: Id, ...rest: unknown[]) => void;
const both: Both = { a: 1, b: "x" };
const seen: Id[] = [];
const f: Fn = (id) => { seen.push(id); };
f(1); f("two", 3);
return [both, seen];
// ---
// features: literal types, discriminated unions
type Shape = { kind: "circle"; r: number } | { kind: "square"; side: number };
const area = (s: Shape): number => { switch (s.kind) { case "circle": return 3 * s.r ** 2; case "square": return s.side ** 2; } };
return [area({ kind: "circle", r: 2 }), area({ kind: "square", side: 3 })];
// ---
// features: tuples, labelled tuples, readonly arrays
type Pair = [first: string, second?: number, ...rest: boolean[]];
const pair: Pair = ["a", 1, true];
const fixed: readonly number[] = [1, 2];
const other: ReadonlyArray<Pair> = [pair];
return [pair, fixed.length, other[0][0]];
// ---
// features: as, satisfies, non-null assertions
const value: unknown = { deep: { list: [1, 2] } };
const list = (value as { deep: { list: number[] } }).deep.list!;
const config = { port: 80, host: "h" } satisfies Record<string, string | number>;
const first = list[0]!.toFixed(1)!;
return [list, config, first, (value as any)!.deep!.list![1]! + 1];
// ---
// features: angle bracket assertions
const raw: any = "text";
const size = (<string>raw).length;
const object = <{ a: number }>{ a: 1 };
return [size, object.a, <any>raw === raw];
// ---
// features: as const
const levels = ["low", "high"] as const;
const map = { low: 1, high: 2 } as const;
type Level = (typeof levels)[number];
const score = (level: Level): number => map[level];
return levels.map(score);
// ---
// features: generics
function first<T>(list: readonly T[]): T | undefined { return list[0]; }
const last = <T,>(list: T[]): T => list[list.length - 1];
class Box<T extends object = {}> { constructor(readonly value: T) {} map<U extends object>(f: (value: T) => U): Box<U> { return new Box<U>(f(this.value)); } }
return [first<number>([1, 2]), last(["a", "b"]), new Box({ n: 1 }).map<{ m: number }>(({ n }) => ({ m: n + 1 })).value];
// ---
// features: generic calls or comparisons
const f = <T>(x: T): T => x;
const a = 1, b = 2, c = 3;
const g = f<number>;
return [f<string>("s"), (a < b) === (c > b), g(5), [(a < b), c > (b)], f<Array<Array<number>>>([[1]])];
// ---
// features: type predicates, assertion functions
const isString = (value: unknown): value is string => typeof value === "string";
function assert(condition: unknown, message?: string): asserts condition { if (!condition) throw new Error(message); }
function check(this: void, value: unknown): asserts value is number { assert(typeof value === "number", "no number"); }
let problem = "";
try { check("x"); } catch (error) { problem = (error as Error).message; }
return [["a", 1].filter(isString), problem];
// ---
// features: keyof, typeof, indexed access types
const table = { one: 1, two: 2 };
type Key = keyof typeof table;
type Value = (typeof table)[Key];
const get = <K extends Key>(key: K): (typeof table)[K] => table[key];
const keys = Object.keys(table) as Array<Key>;
const sum: Value = keys.map(get).reduce((x: number, y: number) => x + y);
return [keys, sum, typeof table];
// ---
// features: mapped types, conditional types, infer
type Partialish<T> = { [K in keyof T]?: T[K] };
type Mutable<T> = { -readonly [K in keyof T]-?: T[K] };
type Element<T> = T extends readonly (infer U extends number)[] ? U : T extends Promise<infer V> ? V : never;
type Renamed<T> = { [K in keyof T as `get${Capitalize<string & K>}`]: () => T[K] };
const x: Element<number[]> = 5;
const y: Partialish<{ a: 1 }> = {};
const z: Renamed<{ a: number }> = { getA: () => 1 };
return [x, y, z.getA()];
// ---
// features: template literal types, unique symbols
type Route = `/${string}/${number}`;
type Event = `${"on" | "off"}${Uppercase<"a">}`;
declare const brand: unique symbol;
const route: Route = `/users/${1}`;
const event: Event = "onA";
return [route, event];
// ---
// features: index signatures, call and construct signatures
interface Dictionary { [key: string]: number; }
interface Callable { (x: number): number; new (x: number): object; readonly size: number; }
type Constructor<T> = abstract new (...args: any[]) => T;
const d: Dictionary = { a: 1 };
d["b"] = 2;
const c = ((x: number) => x) as unknown as Callable;
return [d, c(3)];
// ---
// features: function overloads
function parse(text: string): string[];
function parse(text: number, radix?: number): string;
function parse(text: string | number, radix = 10): unknown { return typeof text === "string" ? text.split(",") : text.toString(radix); }
return [parse("a,b"), parse(255, 16)];
// ---
// features: this parameters
function show(this: { name: string }, greeting: string) { return greeting + this.name; }
const object = { name: "o", show, arrow(this: typeof object): string { return this.name; } };
return [object.show("hi "), object.arrow(), show.length, show.call({ name: "x" }, "")];
// ---
// features: declare
declare const external: { x: number };
declare let other: string, third: number;
declare function missing(a: number): void;
declare class Absent { x: number; method(): void; }
declare namespace Nothing { const x: number; }
declare enum Gone { A }
return [typeof (globalThis as any).external, typeof (globalThis as any).Absent];
// ---
// features: optional parameters and properties
const f = (a?: number, b: number = a ?? 5, { c, d }: { c?: number; d: string } = { d: "d" }, [e]: [number?] = []) => [a ?? null, b, c ?? null, d, e ?? null];
return [f(), f(1), f(1, 2, { c: 3, d: "x" }, [4]), f.length];
// ---
// features: types in catch and for
const seen: string[] = [];
try { throw new Error("x"); } catch (error: unknown) { seen.push((error as Error).message); }
try { throw "y"; } catch (error: any) { seen.push(error); }
for (const each of ["a"] as string[]) seen.push(each);
for (let index: number = 0; index < (2 as number); index++) seen.push(String(index));
return seen;
// ---
// features: definite assignment, uninitialised fields
let later!: number;
const set = (): void => { later = 7; };
set();
class Model { id!: number; name?: string; declare shown: boolean; readonly tags: string[] = []; }
const model = new Model();
return [later, Object.keys(model), model.id ?? "unset"];
// ---
// features: optional chaining with non-null
const data: { a?: { b?: (() => number)[] } } = { a: { b: [() => 4] } };
return [data.a!.b![0]!(), data?.a!.b?.[0]!(), data.a?.b!.length, (data as any)?.c?.d!.e ?? "stops"];
// ---
// features: abstract types of constructors, InstanceType
class A { x = 1; }
type Made = InstanceType<typeof A>;
const make = <T>(Class: new () => T): T => new Class();
const made: Made = make<A>(A);
const list: Made[] = [make(A), new A];
return [made.x, list.length];
// ---
// features: recursive types, JSON types
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
const depth = (value: Json): number => Array.isArray(value) ? 1 + Math.max(0, ...value.map(depth)) : value && typeof value === "object" ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
return [depth([1, [2, { a: [3] }]]), depth({}), depth(null)];
// ---
// features: utility types
type User = { id: number; name: string; admin?: boolean };
type Draft = Partial<Pick<User, "name">> & Omit<User, "name" | "id">;
const users: Record<number, Readonly<User>> = { 1: { id: 1, name: "a" } };
const draft: Required<Draft> = { name: "n", admin: false };
const result: Awaited<ReturnType<() => Promise<Parameters<(x: number) => void>>>> = [1];
return [users, draft, result];
// ---
// features: import type
import type { Something } from "somewhere";
import type Default from "elsewhere";
const x: Something | Default | number = 1;
return x;
// ---
// features: import types in expressions of types
const x: import("fs").Stats | number = 2;
type Fs = typeof import("fs");
let y: Fs | null = null;
return [x, y];
// ---
// features: getters and setters with types
class Celsius { #value: number = 0; get value(): number { return this.#value; } set value(next: number | string) { this.#value = Number(next); } static get zero(): Celsius { return new this(); } }
const c: Celsius = Celsius.zero;
c.value = "21";
return [c.value, Celsius.zero.value];
// ---
// features: object methods with types, computed names
const key: unique symbol = Symbol("k");
const object = { async load<T>(value: T): Promise<T> { return value; }, *count(to: number): Generator<number, void, unknown> { for (let i = 0; i < to; i++) yield i; }, get [key](): string { return "got"; }, ["a" as string]: 1 as number };
return [await object.load<string>("v"), [...object.count(3)], object[key], (object as any).a];
// ---
// features: arrow functions with type parameters and predicates
const filter = <T, S extends T>(list: T[], f: (each: T) => each is S): S[] => list.filter(f);
const compose = <A, B, C>(f: (a: A) => B, g: (b: B) => C): ((a: A) => C) => (a) => g(f(a));
const wait = async <T,>(value: T): Promise<T> => { await tick(); return value; };
return [filter([1, "a"], (x): x is string => typeof x === "string"), compose((n: number) => n + 1, String)(1), await wait<boolean>(true)];
// ---
// features: unions over lines
type Long =
  | "a"
  | "b"
  | { c: number };
const f = (
  x: Long,
  y:
    | number
    | string,
): string | number =>
  typeof x === "string" ? x : y;
return [f("a", 1), f({ c: 1 }, 2)];
// ---
// features: type names that are words, contextual keywords
type type = number;
const type: type = 1;
let of: number = 2, as = 3, satisfies = 4, declare = 5, namespace = 6, module = 7, abstract = 8, readonly = 9, is = 10, keyof = 11, infer = 12;
const interface_ = { type, as, interface: 1, enum: 2, declare, readonly: true };
return [type, of, as, satisfies, declare, namespace, module, abstract, readonly, is, keyof, infer, interface_];
// ---
// features: automatic semicolons after types
type A = string
interface B { x: number }
const list = [1, 2]
type C = A
;[list[0], list[1]] = [list[1], list[0]]
let x = 1 as number
;(x as any) = 2
type D = B
return [list, x]
// ---
// features: erased lines before brackets
let n = 5
type T = number
const a = [n]
interface I {}
`template`.length
type U = T;
(() => { n = 6 })()
return [n, a]
// ---
// features: comparison chains and type arguments
const a: number = 1, b: number = 2, f = (x: boolean, y?: boolean) => [x, y ?? null];
const instantiated = Array<number>;
return [f((a < b), b > (a + 1)), new Map<string, Array<number>>([["k", [1]]]).size, new Set<number>, instantiated.of(1)].map((each) => each instanceof Set ? each.size : each);
// ---
// features: comments beside types
const f = (/* first */ a: /* type */ number /* after */, // line
  b /*?*/ ?: string): /* result */ string => `${a}${b ?? "-"}`; // end
return f(1);
// ---
// features: regular expressions and divisions beside types
const text: string = "a/b/c";
const parts = (text as string).split(/\//g) as string[];
const half = (10 as number) / 2 / 1;
const odd = <number>half / 5;
return [parts, half, odd];
// ---
// features: strings that look like types
const text = "interface A { x: number } as const";
const template = `type ${"X" as string} = ${1 as number}; enum ${(<any>"E")}`;
return [text, template, /enum \w+/.test("enum A")];
// ---
// features: spread, rest and destructuring with types
const { a, ...rest }: { a: number; b: string; c?: boolean } = { a: 1, b: "x" };
const [head, ...tail]: [number, ...string[]] = [1, "y"];
const merge = <T extends object, U>(x: T, ...more: U[]): T & U => Object.assign({}, x, ...more as any[]);
let target!: number;
({ a: target as number } = { a: 3 });
[(target as any)] = [4];
return [a, rest, head, tail, merge({ x: 1 }, { y: 2 }), target];
// ---
// features: async iteration with types
async function* source(n: number): AsyncGenerator<number, void, undefined> { for (let i: number = 0; i < n; i++) { await tick(); yield i; } }
const all: number[] = [];
for await (const each of source(3) as AsyncIterable<number>) all.push(each!);
return all;
// ---
// features: labelled loops and switch with types
type Op = "inc" | "dec" | "stop";
const ops: Op[] = ["inc", "inc", "dec", "stop", "inc"];
let n: number = 0;
loop: for (const op of ops) { switch (op as Op) { case "inc": n++; break; case "dec": n--; break; default: { const never: "stop" = op as "stop"; break loop; } } }
return n;
// ---
// features: exhaustive checks with never
type T = "a" | "b";
function fail(x: never): never { throw new Error(`unexpected ${x as string}`); }
const f = (t: T): number => { if (t === "a") return 1; else if (t === "b") return 2; return fail(t); };
let message: string | null = null;
try { f("c" as T); } catch (e) { message = (e as Error)?.message ?? null; }
return [f("a"), f("b"), message];
// ---
// features: bigint and symbol types, void and object
const big: bigint = 2n ** 70n, sym: symbol = Symbol.for("s"), nothing: void = undefined, thing: object = [], u: undefined = void 0;
const f = (): void => {};
return [String(big), sym.description, nothing ?? "void", Array.isArray(thing), u === f()];
// ---
// features: nested type arguments, shift operators
const map: Map<string, Map<number, Array<Set<string>>>> = new Map<string, Map<number, Array<Set<string>>>>();
map.set("a", new Map([[1, [new Set(["x"])]]]));
let n = 64 >> 2 >>> 1;
n >>= 1;
return [map.get("a")!.get(1)![0]!.has("x"), n];
// ---
// features: accessibility of optional calls with type arguments
const api: { get?<T>(x: T): T } = { get: (x) => x };
const none: typeof api = {};
return [api.get?.<number>(1), none.get?.<string>("x") ?? "none"];
// ---
// features: conditional expressions with arrows and types
const flag = true as boolean;
const f = flag ? (x: number): number => x + 1 : (x: number): number => x - 1;
const x = 3, g = flag ? (x) : (2);
return [f(1), g];
