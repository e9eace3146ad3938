// features: namespaces
namespace Geometry { export const unit = 2; const hidden = 3; export function area(n: number = hidden): number { return n * unit; } export class Point { constructor(public x = unit) {} } }
return [Geometry.area(), Geometry.area(5), new Geometry.Point().x, (Geometry as any).hidden ?? "hidden", Object.keys(Geometry)];
// ---
// features: nested and dotted namespaces
namespace Outer.Middle { export const a = 1; export namespace Inner { export const b = a + 1; } }
namespace Outer { export const c = Middle.Inner.b + 1; }
return [Outer.Middle.a, Outer.Middle.Inner.b, Outer.c];
// ---
// features: namespace merging
namespace Api { export let calls = 0; export const get = () => { calls++; return "got"; }; }
namespace Api { export const twice = () => get() + get(); export function count(): number { return calls; } }
return [Api.twice(), Api.calls, Api.count()];
// ---
// features: namespaces merged with classes and functions
class Shape { constructor(public n: number) {} static first = 1; }
namespace Shape { export const origin = new Shape(0); export function of(n: number): Shape { return new Shape(n + first()); } function first() { return 1; } }
function greet(name: string): string { return greet.prefix + name; }
namespace greet { export let prefix = "hi "; }
return [Shape.of(4).n, Shape.origin.n, Shape.first, greet("x")];
// ---
// features: namespaces merged with enums
enum Color { Red, Blue }
namespace Color { export const parse = (text: string): Color => Color[text as keyof typeof Color] as Color; export const count: number = 2; }
return [Color.parse("Blue"), Color.count, Color[0]];
// ---
// features: exported variables of namespaces, assignments
namespace Counter { export let n: number = 0, step = 2; export function up(): number { n += step; return n++; } export const read = (): number => n; }
Counter.step = 5;
const first = Counter.up();
Counter.n = 100;
return [first, Counter.read(), Counter.up(), Counter.n];
// ---
// features: destructured exports of namespaces
namespace Parts { export const { a, b: [first, ...rest] } = { a: 1, b: [2, 3, 4] }; export const sum = a + first + rest.length; }
return [Parts.a, Parts.first, Parts.rest, Parts.sum];
// ---
// features: types in namespaces
namespace Model { export interface User { id: number } export type Id = User["id"]; export enum Role { Admin = "admin" } export const make = (id: Id): User & { role: Role } => ({ id, role: Role.Admin }); }
const user: Model.User = Model.make(3);
return [user, Model.Role.Admin, Object.keys(Model)];
// ---
// features: namespaces of types alone
namespace Types { export interface A { x: number } export type B = A | null; }
declare namespace Ambient { function f(): void; let x: number; }
const a: Types.A = { x: 1 };
return [a, typeof (globalThis as any).Types];
// ---
// features: namespaces with async functions
namespace Service { const cache = new Map<number, number>(); export async function load(n: number): Promise<number> { await tick(); if (!cache.has(n)) cache.set(n, n * n); return cache.get(n)!; } export const size = (): number => cache.size; }
const values = await Promise.all([Service.load(2), Service.load(3), Service.load(2)]);
return [values, Service.size()];
// ---
// features: shadowing in namespaces
const x = "outer";
namespace N { export const x = "inner"; export const read = () => x; export const both = (x: string) => [x, N.x]; }
return [x, N.x, N.read(), N.both("param")];
// ---
// features: namespaces, order of evaluation
const log: string[] = [];
namespace First { log.push("first"); export const made = log.length; }
log.push("between");
namespace Second { log.push("second"); export const seen = First.made + log.length; }
return [log, Second.seen];
// ---
// features: exported names used in every position
namespace U { export let v = 1; export const o = { v, get: () => v, [`k${v}`]: v }; export function bump() { v++; v += 1; ({ v } = { v: v * 10 }); [v] = [v + 1]; return `${v}`; } export const typed = typeof v; for (const each of [1, 2]) v += each; }
return [U.v, U.o.v, U.o.get(), Object.keys(U.o), U.bump(), U.o.get(), U.typed];
// ---
// features: module keyword for namespaces
declare module Old { const x: number; }
namespace New { export const x: number = 5; }
return New.x;
// ---
// features: generics and classes with parameter properties in namespaces
namespace Data { export abstract class Base<T> { constructor(protected readonly value: T) {} abstract show(): string; } export class Text extends Base<string> { show(): string { return this.value.trim(); } } export namespace Deep { export const make = (text: string): Base<string> => new Text(text); } }
return [Data.Deep.make("  t ").show(), Object.keys(new Data.Text("x"))];
