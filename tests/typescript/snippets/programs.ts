// features: realistic, grouping orders
interface Order { id: string; user: number; total: number; items?: readonly { sku: string; qty: number }[] }
const orders: Order[] = [{ id: "a", user: 1, total: 20.5 }, { id: "b", user: 2, total: 7, items: [{ sku: "x", qty: 2 }] }, { id: "c", user: 1, total: 9.5 }];
const totals = orders.reduce<Record<number, number>>((sums, { user, total }) => { sums[user] = (sums[user] ?? 0) + total; return sums; }, {});
const busiest = (Object.entries(totals) as [string, number][]).sort(([, a], [, b]) => b - a)[0]!;
return { totals, busiest, skus: orders.flatMap((o) => o.items ?? []).map((i) => i.sku) };
// ---
// features: realistic, result type
type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };
const attempt = async <T,>(work: () => Promise<T>): Promise<Result<T, string>> => { try { return { ok: true, value: await work() }; } catch (e) { return { ok: false, error: e instanceof Error ? e.message : String(e) }; } };
const results = await Promise.all([attempt(async () => { await tick(); return 1; }), attempt<never>(async () => { throw new Error("bad"); }), attempt(() => Promise.reject("plain"))]);
return results.map((r) => r.ok ? r.value : `error: ${r.error}`);
// ---
// features: realistic, typed event emitter
type Events = { login: [user: string]; logout: [user: string, after: number] };
class Emitter<E extends Record<string, unknown[]>> { private handlers: { [K in keyof E]?: ((...args: E[K]) => void)[] } = {}; on<K extends keyof E>(name: K, f: (...args: E[K]) => void): this { (this.handlers[name] ??= []).push(f); return this; } emit<K extends keyof E>(name: K, ...args: E[K]): number { const list = this.handlers[name] ?? []; list.forEach((f) => f(...args)); return list.length; } }
const log: string[] = [];
const e = new Emitter<Events>().on("login", (u) => log.push(u)).on("logout", (u, t) => log.push(`${u}:${t}`));
return [e.emit("login", "a"), e.emit("logout", "a", 5), log];
// ---
// features: realistic, reducer
type Action = { type: "add"; text: string } | { type: "toggle"; id: number } | { type: "clear" };
interface State { readonly todos: readonly { id: number; text: string; done: boolean }[]; next: number }
const reduce = (s: State, a: Action): State => { switch (a.type) { case "add": return { todos: [...s.todos, { id: s.next, text: a.text, done: false }], next: s.next + 1 }; case "toggle": return { ...s, todos: s.todos.map((t) => t.id === a.id ? { ...t, done: !t.done } : t) }; case "clear": return { ...s, todos: s.todos.filter((t) => !t.done) }; default: { const never: never = a; return never; } } };
const actions: Action[] = [{ type: "add", text: "x" }, { type: "add", text: "y" }, { type: "toggle", id: 1 }, { type: "clear" }];
return actions.reduce(reduce, { todos: [], next: 1 } as State);
// ---
// features: realistic, pagination with generics
interface Page<T> { items: T[]; next?: number | null }
async function collect<T>(load: (cursor?: number) => Promise<Page<T>>, limit: number = Infinity): Promise<T[]> { const all: T[] = []; let cursor: number | null | undefined; do { const page: Page<T> = await load(cursor ?? undefined); all.push(...page.items); cursor = page.next; } while (cursor != null && all.length < limit); return all; }
const load = async (cursor: number = 0): Promise<Page<string>> => { await tick(); return { items: [`p${cursor}`], next: cursor < 3 ? cursor + 1 : null }; };
return [await collect(load), await collect<string>(load, 2)];
// ---
// features: realistic, validation by schema
type Infer<S> = S extends { type: "number" } ? number : S extends { type: "string" } ? string : never;
const validate = <S extends Record<string, { type: "number" | "string"; optional?: true }>>(schema: S, data: unknown): data is { [K in keyof S]: Infer<S[K]> } => typeof data === "object" && data !== null && Object.entries(schema).every(([key, rule]) => key in (data as object) ? typeof (data as any)[key] === rule.type : !!rule.optional);
const schema = { id: { type: "number" }, name: { type: "string", optional: true } } as const;
return [{ id: 1 }, { id: "1" }, { name: "x" }, null, { id: 2, name: "n" }].map((each) => validate(schema, each));
// ---
// features: realistic, memoisation with WeakMap
const memo = <A extends object, R>(f: (a: A) => R): ((a: A) => R) => { const cache = new WeakMap<A, R>(); return (a: A): R => { if (!cache.has(a)) cache.set(a, f(a)); return cache.get(a) as R; }; };
let calls: number = 0;
const size = memo((list: number[]): number => { calls++; return list.length; });
const list: number[] = [1, 2];
return [size(list), size(list), size([1, 2]), calls];
// ---
// features: realistic, dependency order
type Graph = Readonly<Record<string, readonly string[]>>;
function* order(graph: Graph, seen: Set<string> = new Set()): Generator<string, void> { const visit = function* (name: string): Generator<string, void> { if (seen.has(name)) return; seen.add(name); for (const each of graph[name] ?? []) yield* visit(each); yield name; }; for (const name of Object.keys(graph)) yield* visit(name); }
return [...order({ app: ["db", "web"], web: ["db"], db: [] } satisfies Graph)];
// ---
// features: realistic, parsing text to types
const enum Token { Number, Word, Mark }
type Read = readonly [kind: Token, text: string];
const read = (text: string): Read[] => [...text.matchAll(/(?<n>\d+)|(?<w>\w+)|(?<m>\S)/g)].map(({ 0: all, groups: g }): Read => [g!.n ? Token.Number : g!["w"] ? Token.Word : Token.Mark, all!] as const);
return read("let x = 42;");
// ---
// features: realistic, typed builders of queries
type Op = "=" | ">" | "<";
interface Clause<T> { readonly field: keyof T & string; readonly op: Op; readonly value: T[keyof T] }
class Query<T extends object> { private constructor(private readonly clauses: readonly Clause<T>[] = []) {} static for<T extends object>(): Query<T> { return new Query<T>(); } where<K extends keyof T & string>(field: K, op: Op, value: T[K]): Query<T> { return new Query<T>([...this.clauses, { field, op, value }]); } run(rows: T[]): T[] { return rows.filter((row) => this.clauses.every(({ field, op, value }) => op === "=" ? row[field] === value : op === ">" ? row[field] > value : row[field] < value)); } }
return Query.for<{ n: number; s: string }>().where("n", ">", 1).where("s", "=", "x").run([{ n: 1, s: "x" }, { n: 2, s: "x" }, { n: 3, s: "y" }]);
// ---
// features: realistic, retry with typed options
interface Options { readonly times?: number; readonly until?: (error: unknown) => boolean }
async function retry<T>(work: (attempt: number) => Promise<T>, { times = 3, until = () => true }: Options = {}): Promise<[T, number]> { let last: unknown; for (let attempt: number = 1; attempt <= times; attempt++) { try { return [await work(attempt), attempt]; } catch (error: unknown) { last = error; if (!until(error)) break; } } throw last as Error; }
const flaky = async (n: number): Promise<string> => { await tick(); if (n < 3) throw new Error(`no ${n}`); return "yes"; };
const stopped = await retry(flaky, { until: () => false }).catch((e: Error) => e.message);
return [await retry(flaky), stopped, await retry<string>(flaky, { times: 2 }).catch(({ message }: Error) => message)];
// ---
// features: realistic, matrix of numbers
type Matrix = number[][];
const multiply = (a: Matrix, b: Matrix): Matrix => a.map((row) => b[0]!.map((_, j: number) => row.reduce((s, x, k) => s + x * b[k]![j]!, 0 as number)));
const identity = (n: number): Matrix => Array.from<unknown, number[]>({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => +(i === j)));
return [multiply([[1, 2], [3, 4]], [[0, 1], [1, 0]]), identity(3)];
// ---
// features: realistic, dates and formats
type Unit = "day" | "hour";
const sizes: { readonly [U in Unit]: number } = { day: 864e5, hour: 36e5 };
const add = (date: Date, n: number, unit: Unit = "day"): Date => new Date(+date + n * sizes[unit]);
const format = (date: Date): string => (date.toISOString().match(/^\d{4}-\d\d-\d\d/) as RegExpMatchArray)[0]!;
const start: Date = new Date("2024-02-28T00:00:00Z");
return [format(add(start, 2)), format(add(start, 24, "hour")), add(start, -1 as number).toISOString()];
// ---
// features: realistic, proxies with types
const strict = <T extends object>(target: T): T => new Proxy<T>(target, { get(object: T, key: string | symbol, receiver: unknown): unknown { if (!(key in object)) throw new ReferenceError(`no ${String(key)}`); return Reflect.get(object, key, receiver); } });
const object = strict({ a: 1 } as { a: number; b?: number });
let problem: string | undefined;
try { object.b; } catch (e: any) { problem = `${e.name}: ${e.message}`; }
return [object.a, problem!];
// ---
// features: realistic, binary data
const encode = (values: readonly number[]): ArrayBuffer => { const view: DataView = new DataView(new ArrayBuffer(values.length * 2)); values.forEach((value: number, at: number): void => view.setInt16(at * 2, value, true as boolean)); return view.buffer as ArrayBuffer; };
const bytes: Uint8Array = new Uint8Array(encode([1, -2, 300]));
return Array.from<number, string>(bytes, (each: number): string => each.toString(16).padStart(2, "0"));
// ---
// features: realistic, mapped handlers over a union
type Message = { kind: "text"; body: string } | { kind: "count"; n: number };
type Handlers = { [M in Message as M["kind"]]: (message: M) => string };
const handlers: Handlers = { text: ({ body }) => body.toUpperCase(), count: ({ n }) => "x".repeat(n) };
const handle = <K extends Message["kind"]>(message: Extract<Message, { kind: K }>): string => (handlers[message.kind as K] as unknown as (m: typeof message) => string)(message);
return [handle({ kind: "text", body: "hi" }), handle<"count">({ kind: "count", n: 3 })];
// ---
// features: realistic, scheduling with enums and namespaces
enum Day { Mon = 1, Tue, Wed }
namespace Plan { const slots: Map<Day, string[]> = new Map(); export function book(day: Day, name: string): typeof slots { return slots.set(day, [...(slots.get(day) ?? []), name]); } export const print = (): string[] => [...slots].map(([day, names]) => `${Day[day]}: ${names.join(", ")}`); }
Plan.book(Day.Tue, "a"); Plan.book(Day.Mon, "b"); Plan.book(Day.Tue, "c");
return Plan.print();
// ---
// features: realistic, deep partial update
type DeepPartial<T> = T extends object ? { [K in keyof T]?: DeepPartial<T[K]> } : T;
const update = <T extends object>(base: T, change: DeepPartial<T>): T => { const out: any = Array.isArray(base) ? [...base] : { ...base }; for (const [key, value] of Object.entries(change as object)) out[key] = value && typeof value === "object" && !Array.isArray(value) ? update((base as any)[key] ?? {}, value) : value; return out as T; };
return update({ a: { b: 1, c: [1] }, d: "x" }, { a: { c: [2, 3] } });
// ---
// features: realistic, streams of lines
async function* lines(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string, void, void> { let rest: string = ""; for await (const chunk of chunks) { await tick(); const parts: string[] = (rest + chunk).split("\n"); rest = parts.pop()!; yield* parts; } if (rest) yield rest; }
const seen: string[] = [];
for await (const line of lines(["a\nb", "c\n", "\nlast"])) seen.push(line as string);
return seen;
