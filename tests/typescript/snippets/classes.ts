// features: parameter properties
class Point { constructor(public x: number, readonly y: number = 2, protected z?: number, private readonly w = x + y) {} sum(): number { return this.x + this.y + this.w; } }
const p = new Point(1);
return [p.sum(), Object.keys(p), { ...p }];
// ---
// features: parameter properties with super calls
class Base { constructor(public name: string) {} }
class Derived extends Base { extra = this.name + "!"; constructor(name: string, private tag: string) { super(name.toUpperCase()); this.tag += "?"; } show() { return [this.name, this.tag, this.extra]; } }
return [new Derived("a", "t").show(), Object.keys(new Derived("b", "u"))];
// ---
// features: order of parameter properties and fields
const log: string[] = [];
const note = <T>(name: string, value: T): T => { log.push(name); return value; };
class A { first = note("first", 1); constructor(public given: number = note("default", 2)) { note("body", this.given); } second = note("second", this.given ?? "none"); }
const a = new A();
return [log, Object.keys(a), a.second];
// ---
// features: modifiers
class Account { private balance = 0; protected static count = 0; public readonly owner: string; static readonly limit: number = 10; declare hidden: number; constructor(owner: string) { this.owner = owner; Account.count++; } public deposit(n: number): this { this.balance += n; return this; } protected get total(): number { return this.balance; } static make(): Account { return new Account("m"); } private secret() { return this.total; } reveal = (): number => this.secret(); }
return [new Account("o").deposit(5).deposit(6).reveal(), Account.make().owner, (Account as any).count, Account.limit];
// ---
// features: abstract classes
abstract class Shape { abstract readonly name: string; abstract area(): number; protected abstract get sides(): number; describe(): string { return `${this.name} ${this.area()} ${this.sides}`; } static create(): Shape { return new Square(2); } }
class Square extends Shape { override readonly name = "square"; constructor(private side: number) { super(); } override area() { return this.side ** 2; } protected override get sides() { return 4; } }
return Shape.create().describe();
// ---
// features: implements, generics of classes
interface Comparable<T> { compare(other: T): number }
interface Printable { print(): string }
class Version implements Comparable<Version>, Printable { constructor(readonly parts: number[]) {} compare(other: Version): number { for (let i = 0; i < 3; i++) { const d = (this.parts[i] ?? 0) - (other.parts[i] ?? 0); if (d) return Math.sign(d); } return 0; } print() { return this.parts.join("."); } }
class Sorted<T extends Comparable<T>> extends Array<T> { insert(...items: T[]): this { this.push(...items); this.sort((a, b) => a.compare(b)); return this; } }
return new Sorted<Version>().insert(new Version([1, 2]), new Version([1, 0, 5]), new Version([1])).map((v) => v.print());
// ---
// features: overloads of methods and constructors
class Money { readonly cents: number; constructor(cents: number); constructor(text: string); constructor(value: number | string) { this.cents = typeof value === "string" ? Math.round(parseFloat(value) * 100) : value; } plus(other: Money): Money; plus(cents: number): Money; plus(other: Money | number) { return new Money(this.cents + (typeof other === "number" ? other : other.cents)); } }
return [new Money("1.50").plus(new Money(25)).cents, new Money(1).plus(2).cents];
// ---
// features: index signatures in classes
class Bag { [key: string]: unknown; static [key: string]: number | Function; put(key: string, value: unknown): this { this[key] = value; return this; } }
(Bag as any).total = 1;
return [{ ...new Bag().put("a", 1) }, Bag.total];
// ---
// features: private names with types
class Stack<T> { #items: T[] = []; static #made: number = 0; constructor(...items: T[]) { this.#items.push(...items); Stack.#made += 1; } #top(): T | undefined { return this.#items.at(-1); } pop(): T | undefined { const top = this.#top(); this.#items.pop(); return top; } static get made(): number { return Stack.#made; } }
const s = new Stack<number | string>(1, "a");
return [s.pop(), s.pop(), s.pop() ?? "empty", Stack.made];
// ---
// features: static blocks with types
class Config { static values: Record<string, number>; static readonly names: string[] = []; static { const start: number = 1; this.values = { a: start as number }; for (const name of Object.keys(this.values) as string[]) Config.names.push(name!); } }
return [Config.values, Config.names];
// ---
// features: class expressions with types
type Constructor<T = {}> = new (...args: any[]) => T;
const Tagged = <B extends Constructor>(Base: B) => class extends Base { tag: string = "t"; };
const Timed = <B extends Constructor<{ tag: string }>>(Base: B) => class Timed extends Base { label(): string { return this.tag + ":" + this.constructor.name; } };
class Plain { constructor(public id: number = 7) {} }
const Made = Timed(Tagged(Plain));
const made = new Made(3) as any;
return [made.id, made.label(), Object.keys(made)];
// ---
// features: fields redefined in derived classes
class A { value: number | null = 1; constructor() { this.init(); } init(): void { this.value = 5; } }
class B extends A { override value: number = 2; other?: string; }
class C extends A { declare value: number; }
return [new B().value, Object.keys(new B()), new C().value];
// ---
// features: this types, builders
class Query { private parts: string[] = []; where(text: string): this { this.parts.push(text); return this; } build(this: Query): string { return this.parts.join(" and "); } }
class Paged extends Query { limit(n: number): this { return this.where(`limit ${n}`); } }
return new Paged().where("a").limit(3).where("b").build();
// ---
// features: accessors, auto-typed pairs
abstract class Observable<T> { private listeners: Array<(value: T) => void> = []; protected abstract current: T; get value(): T { return this.current; } set value(next: T) { this.current = next; this.listeners.forEach((f) => f(next)); } on(f: (value: T) => void): () => void { this.listeners.push(f); return () => { this.listeners = this.listeners.filter((each) => each !== f); }; } }
class State extends Observable<number> { protected current = 0; }
const seen: number[] = [];
const state = new State();
const off = state.on((n) => void seen.push(n));
state.value = 1; off(); state.value = 2;
return [seen, state.value];
// ---
// features: optional methods, declared fields
class Plugin { name?: string; setup?(): void; declare readonly version: string; run(): string { return this.setup?.() ?? this.name ?? "bare"; } }
const plugin = new Plugin();
return [plugin.run(), "version" in plugin, "name" in plugin, typeof plugin.setup];
// ---
// features: generator and async methods with types
class Repo<T extends { id: number }> { constructor(private readonly rows: T[]) {} async find(id: T["id"]): Promise<T | undefined> { await tick(); return this.rows.find((row) => row.id === id); } *[Symbol.iterator](): IterableIterator<T> { yield* this.rows; } async *pages(size: number): AsyncGenerator<T[]> { for (let i = 0; i < this.rows.length; i += size) { await tick(); yield this.rows.slice(i, i + size); } } }
const repo = new Repo([{ id: 1 }, { id: 2 }, { id: 3 }]);
const sizes: number[] = [];
for await (const page of repo.pages(2)) sizes.push(page.length);
return [await repo.find(2), [...repo].length, sizes];
// ---
// features: errors with types
class AppError<C extends string = string> extends Error { constructor(public readonly code: C, message?: string, public override readonly cause?: unknown) { super(message); this.name = AppError.name; } }
const error = new AppError<"not_found">("not_found", "m", { inner: 1 });
return [error.code, String(error), error instanceof Error, error.cause];
// ---
// features: singletons, private constructors
class Registry { private static instance?: Registry; private readonly items = new Map<string, number>(); private constructor() {} static get shared(): Registry { return (Registry.instance ??= new Registry()); } set(key: string, n: number): void { this.items.set(key, n); } get(key: string): number { return this.items.get(key)!; } }
Registry.shared.set("a", 4);
return [Registry.shared.get("a"), Registry.shared === Registry.shared];
// ---
// features: parameter properties with defaults from others
class Range { constructor(readonly from = 0, readonly to: number = from + 10, public readonly step: number = (to - from) / 5) {} get values(): number[] { return Array.from({ length: 5 }, (_, i: number) => this.from + i * this.step); } }
return [new Range().values, new Range(5).values, Object.keys(new Range())];
// ---
// features: parameter properties with destructured parameters beside
class Options { readonly size: number; constructor(public id: string, { size = 1 }: { size?: number } = {}, ...private_: string[]) { this.size = size + private_.length; } }
return [new Options("a"), new Options("b", { size: 5 }, "x", "y")].map((o) => ({ ...o }));
// ---
// features: comments and strings in constructors with properties
class Odd { constructor(/* the name */ public name: string, // after
    private note = "public a: string" /* end */) { /* super() is no call */ this.name = `${this.name}(${this.note})`; } }
return new Odd("n").name;
// ---
// features: super call after statements, parameter properties
class Parent { kind: string; constructor(kind: string) { this.kind = kind; } }
class Child extends Parent { constructor(public readonly n: number) { const kind: string = n > 1 ? "many" : "one"; super(kind); this.kind += this.n; } }
return [new Child(1).kind, new Child(2).kind];
// ---
// features: nested classes, classes in expressions
const make = (n: number) => new (class Inner { constructor(private readonly m: number) {} get(): number { return this.m * n; } })(n + 1);
class Outer { static Inner = class { constructor(public v: string) {} }; inner = new Outer.Inner("i"); }
return [make(3).get(), new Outer().inner.v];
// ---
// features: getters of static generics, readonly arrays
class Matrix { private constructor(private readonly rows: ReadonlyArray<readonly number[]>) {} static of(...rows: number[][]): Matrix { return new Matrix(rows); } get transposed(): Matrix { return new Matrix(this.rows[0]!.map((_, j) => this.rows.map((row) => row[j]!))); } toJSON(): readonly (readonly number[])[] { return this.rows; } }
return JSON.stringify(Matrix.of([1, 2], [3, 4]).transposed);
// ---
// features: members named like keywords
class Words { static = 1; readonly = 2; public = 3; declare = 4; abstract = 5; get = 6; set = 7; async = 8; type(): string { return "t"; } private(): number { return 9; } override(): number { return 10; } static static(): string { return "s"; } }
const w = new Words();
return [{ ...w }, w.type(), w.private(), w.override(), Words.static()];
