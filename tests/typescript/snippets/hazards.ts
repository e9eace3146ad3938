// features: hazards, arrow after a line break
const f = (a: number):
  string => `${a}`;
const g = (
  a: number
): { x: number } => ({ x: a });
const h = async (
): Promise<
  number
> => 3;
return [f(1), g(2), await h()];
// ---
// features: hazards, return and throw before assertions over lines
const f = (x: unknown) => {
  return <
    number
  >x;
};
const g = (x: unknown) => { return x as
  string; };
let caught: unknown;
try { throw <Error>
  new Error("t"); } catch (e) { caught = (e as Error).message; }
return [f(1), g("a"), caught];
// ---
// features: hazards, abstract and declare members between others
abstract class A {
  a = 1
  abstract b: number
  declare c: string
  abstract ["d"](): void;
  *e(): Generator<number> { yield this.a }
  [key: string]: unknown
  f = 2
  abstract get g(): number
  ["h"] = 3
}
class B extends A { b = 5; d() {} get g() { return 6; } }
return [[...new B().e()], Object.keys(new B()), new B().g];
// ---
// features: hazards, fields without semicolons
class A {
  public x
  readonly y = 1
  static z: number
  private w?: string
  get
  v() { return 1 }
  declare u: number
  ["computed"]: number = 4
  declare
  t = 5
}
return [Object.keys(new A()), Object.keys(A), typeof (new A() as any).v];
// ---
// features: hazards, overloads between fields
class A {
  x = 1
  run(a: string): string
  run(a: number): number
  run(a: any) { return a }
  y = 2
  constructor()
  constructor(z?: number) { this.y += z ?? 0 }
  static make(): A
  static make() { return new A() }
}
return [new A().run("s"), Object.keys(A.make())];
// ---
// features: hazards, statements of types between code
const a = 1
interface A { x: number }
const b = 2
type B = { y: number }
declare const c: number
const d = 3
declare function e(): void
export_()
function export_(): void {}
return [a, b, d]
// ---
// features: hazards, type as the body of if and for
let n = 0;
if (n === 0) { type Local = number; n = 1 as Local; }
for (const each of [1, 2]) { interface Row { x: number } const row: Row = { x: each }; n += row.x; }
{ type Only = string }
return n;
// ---
// features: hazards, directives and strings first
"use strict";
type T = string;
"a string" as T;
return typeof ("x" satisfies T);
// ---
// features: hazards, unary operators and assertions
const x = 2 as number;
const p = Promise.resolve(3 as number);
return [-x!, !x as boolean, typeof x as string, void 0 as undefined ?? "v", await p as number, (await p)! + 1, (-(<number>x)) ** 1, +("5" as any)];
// ---
// features: hazards, as in conditions and templates
const v: unknown = "str";
const a = v as string ? 1 : 2;
const b = (v as string) in { str: 1 };
const c = `${v as string}${(v as string).length satisfies number}`;
const d = [v as string, ...(v as string)] as string[];
const e = { v: v as string, ["k" as string]: v as any as number } as const;
const f = v as string | undefined ?? "x";
const g = v as string === "str" && true as boolean;
return [a, b, c, d, e, f, g];
// ---
// features: hazards, less-than that is no type argument
const a = 3, b = 4, i = 0, list = [1];
let out = [];
for (let j = 0; j < list.length; j++) out.push(j < a);
out.push(a < b && b > a, a < b ? 1 : 2, list[i] < a, (a) < (b), a <b, i<list.length, 1 < 2 === true);
return out;
// ---
// features: hazards, arrow functions in conditionals
const c = true as boolean;
const f = c ? (a: number, b = 1): number => a + b : () => 0;
const g = c ? async <T,>(x: T): Promise<T> => x : null;
const h = (a: number, b: (x: number) => number = (x): number => x * 2): number => b(a);
const k = c ? ({ x }: { x: number }): number => x : null;
return [f(1), await g!(2), h(3), k!({ x: 4 })];
// ---
// features: hazards, optional parameters and conditional expressions
const f = (a?: number, b?: string) => a ? b ? [a, b] : [a] : [];
const g = (x: boolean) => x ? (y?: number) => y ?? "none" : null;
return [f(), f(1), f(1, "x"), g(true)!(), g(false)];
// ---
// features: hazards, object types that look like blocks
function f(): { a: number; b: { c: string }[] } { return { a: 1, b: [{ c: "x" }] }; }
const g = function (this: void, x: { y: [z: number] }): { w: number } { return { w: x.y[0] }; };
const h = (): {} => ({});
class A { m(): { x: number } { return { x: 1 }; } n: { y: number } = { y: 2 }; o: () => { z: number } = () => ({ z: 3 }); }
return [f(), g({ y: [1] }), h(), new A().m(), new A().n, new A().o()];
// ---
// features: hazards, function types and constructor types
type F = (a: number, ...rest: string[]) => (b: number) => void;
type N = new (x: number) => Date;
type G = { <T>(x: T): T; new <T>(x: T): T; method?<U>(): U; readonly [k: string]: any };
const run: (f: (x: number) => number) => number = (f) => f(2);
const made: N = Date;
const list: ((x: number) => number)[] = [(x) => x, (x): number => -x];
return [run((x: number): number => x + 1), new made(0).getTime(), list.map((f) => f(1))];
// ---
// features: hazards, unicode before types
const é: string = "ü", 名 = "名" as string, emoji: string = "😀";
const f = (ключ: string, 値?: number): string => `${ключ}${値 ?? "–"}`;
return [é, 名 + f("ä" as string), emoji.length];
// ---
// features: hazards, enum names used in types and values
enum E { A = 1, B }
type T = E.A | `${E}`;
const f = <K extends keyof typeof E>(k: K): (typeof E)[K] => E[k];
const o: { [K in E]?: string } = { [E.A]: "a" };
return [f("B"), o[E.A], E.B satisfies E];
// ---
// features: hazards, exported declarations in cells
export interface A { x: number }
export type B = A | null;
const a: A = { x: 1 };
return a;
// ---
// features: hazards, generics with defaults and constraints over lines
class Store<
  K extends string = string,
  V extends { id: K } = { id: K },
> {
  private rows: Map<
    K,
    V
  > = new Map<K, V>();
  add<
    W extends V,
  >(row: W): this {
    this.rows.set(row.id, row);
    return this;
  }
  get size(): number { return this.rows.size }
}
return new Store<"a" | "b">().add({ id: "a" }).add<{ id: "b" }>({ id: "b" }).size;
// ---
// features: hazards, tagged templates with type arguments
const tag = <T,>(strings: TemplateStringsArray, ...values: T[]): string => strings.raw.join("|") + values.length;
const object = { tag };
return [tag<number>`a${1}b`, object.tag<string>`x`, tag`${1 as number}`];
// ---
// features: hazards, new with type arguments and without calls
class Box<T> { value: T | undefined; constructor(value?: T) { this.value = value; } }
const a = new Box<number>, b = new Box<string>("x"), c = new (Box<boolean>)(true), d = new Map<string, number>;
return [a.value ?? "none", b.value, c.value, d.size];
// ---
// features: hazards, super type arguments and implements lists
interface I<T> { x: T } interface J { y?: number }
class Base<T> { constructor(public x: T) {} }
class A extends Base<number> implements I<number>, J { y?: number; constructor() { super(5); } }
const B = class<T> extends Base<T> implements I<T> {};
class C extends (Base as typeof Base)<string> {}
return [new A().x, new B<string>("b").x, new C("c").x];
// ---
// features: hazards, labels and colons
const f = (x: number): number => { label: for (const a of [1, 2]) { if (a === x) continue label; return a; } return 0; };
const o = { a: 1 as number, b: (2), c: <any>3, d(x: number): number { return x; } };
switch (o.a as number) { case 1 as number: o.b = 9; break; default: o.b = 0; }
return [f(1), f(2), o.b, o.c, o.d(4)];
// ---
// features: hazards, async arrows and words
const async = (x?: unknown) => "called";
const a = async(1), b = async (x: number): Promise<number> => x;
const f = async function <T>(this: void, x: T): Promise<T> { return x; };
return [a, await b(2), await f<number>(3)];
// ---
// features: hazards, carriage returns and tabs
const a: number = 1;	type T = number;	const b: T = 2;
/* type X = string */ const c = "type Y = number" as string;
return [a, b, c]; // : string
// ---
// features: hazards, namespace and enum on one line
namespace N { export const a = 1 } enum E { A = N.a } const n: number = E.A; type T = typeof N;
return [n, N.a];
// ---
// features: hazards, enum merging that reads earlier members
enum Part { A = 1, B = 2 }
enum Part { C = A | B, D = C << 1, E = Part.A }
return [Part.C, Part.D, Part.E, Part[3]];
// ---
// features: hazards, optional catch types and finally
const log: string[] = [];
try { JSON.parse("{") as unknown; } catch (e: unknown) { if (e instanceof SyntaxError) log.push((e as SyntaxError).name as string); } finally { log.push("f" as const); }
return log;
// ---
// features: hazards, getters in interfaces and accessors in types
interface A { get x(): number; set x(v: number | string); method?(): void; readonly [Symbol.iterator]?: () => Iterator<number>; }
const a: A = { get x(): number { return 1; }, set x(v: number | string) {} };
return a.x;
// ---
// features: hazards, comma operators and sequences with types
let a: number = (1 as number, 2 as number), b: string;
b = (a as any, "x" as string);
for (let i: number = 0, j: number = 3; (i as number) < j; i++, j--) a += i!;
return [a, b!];
// ---
// features: hazards, default type parameters in functions
function make<T = number, U extends T[] = T[]>(...items: U): { items: U; first?: T } { return { items, first: items[0] }; }
const arrow = <T extends { id: number } = { id: number }>(x: T): T["id"] => x.id;
return [make(1, 2), make<string>("a").first, arrow({ id: 4 })];
// ---
// features: hazards, private names beside modifiers
class A { static #count: number = 0; readonly #id: number; private static readonly make = (): A => new A(); constructor() { this.#id = ++A.#count; } get id(): number { return this.#id!; } static two(): number[] { return [A.make().id, A.make().id]; } equals(other: A | { id: number }): boolean { return #id in other && (other as A).#id === this.#id; } }
return [A.two(), new A().equals({ id: 3 })];
// ---
// features: hazards, using names of globals as types
type Map = { x: number };
interface Array { y: string }
const m: Map = { x: 1 };
return [m, new globalThis.Map([[1, 2]]).size, [1].map((x) => x)];
// ---
// features: hazards, non-null before calls, members and templates
const o: { f?: (x?: number) => number[]; t?: (s: TemplateStringsArray) => string } | null = { f: (x = 1) => [x], t: (s) => s[0]! };
return [o!.f!(2)![0]!, o!.f!()!.length!, o!["f"]!(3), o!.t!`tag`, (o!)!.f?.(4)?.[0]!, o!.f! instanceof Function];
// ---
// features: hazards, assignments to asserted targets
let x: unknown = 1;
const o: Record<string, unknown> = {};
(x as number) = 2;
(x as number) += 3;
(x as number)++;
(<any>o).a = 1;
(o as any)["b"]! = 2;
o.c! = 3;
[(o.d as any), (x as any)] = [4, x];
for ((o.e as number) of [5]) ;
return [x, o];
