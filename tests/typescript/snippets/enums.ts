// features: numeric enums, reverse mapping
enum Color { Red, Green = 5, Blue }
return [Color.Red, Color.Blue, Color[5], Color["Red"], Object.keys(Color), Object.values(Color)];
// ---
// features: string enums
enum Level { Low = "low", High = "high" }
const all = Object.values(Level) as Level[];
return [Level.Low, all, (Level as any)["low"] ?? "no reverse"];
// ---
// features: computed enum members
enum Flags { None = 0, A = 1 << 0, B = 1 << 1, AB = A | B, Size = "abc".length, Next = Size * 2 }
return [Flags.AB, Flags.Size, Flags.Next, Flags[3], Object.entries(Flags).length];
// ---
// features: heterogeneous enums, negative values
enum Mixed { No = 0, Yes = "YES", Minus = -3, After, Half = 0.5 }
return [Mixed.After, Mixed[-3], Mixed.Yes, Mixed[0.5], JSON.stringify(Mixed)];
// ---
// features: const enums
const enum Size { Small = 1, Large = Small * 10, Huge = Large << 2 }
const pick = (s: Size): number => s === Size.Small ? Size.Large : Size.Huge;
return [pick(Size.Small), pick(Size.Large), Size["Huge"]];
// ---
// features: enum merging
enum Part { A = 1 }
enum Part { B = 2, C }
return [Part.A, Part.C, Part[2], Object.keys(Part)];
// ---
// features: enums that refer to other enums
enum One { X = 4, Y }
enum Two { X = One.Y, Z = One.X + X, W = One["X"] }
return [Two.X, Two.Z, Two.W];
// ---
// features: enums in functions and blocks
function scale(name: "km" | "m"): number { enum Unit { m = 1, km = 1000 } return Unit[name]; }
let inner: number;
{ enum Local { A = 7 } inner = Local.A; }
return [scale("km"), scale("m"), inner];
// ---
// features: enum members with quoted names
enum Odd { "with space" = 1, "a-b", 'c' = "x", valid = 9 }
return [Odd["with space"], Odd["a-b"], Odd[2], Odd.c, Odd.valid];
// ---
// features: enum as type, switch over enums
enum State { Idle, Busy, Done }
const next = (s: State): State => { switch (s) { case State.Idle: return State.Busy; case State.Busy: return State.Done; default: return s; } };
const names: Record<State, string> = { [State.Idle]: "i", [State.Busy]: "b", [State.Done]: "d" };
return [next(State.Idle), next(next(State.Idle)), names[next(State.Done)], State[next(0)]];
// ---
// features: enum from strings, template members
enum Key { Base = "key", Full = `${Base}.full`, Other = "a" + "b" }
const value: string = "key";
return [Object.values(Key).includes(value as Key), Key.Full, Key.Other];
// ---
// features: enum flags and bit tests
enum Access { Read = 1, Write = 2, Run = 4, All = Read | Write | Run }
const has = (set: Access, one: Access): boolean => (set & one) === one;
const list = (set: Access): string[] => Object.keys(Access).filter((name) => isNaN(+name) && has(set, Access[name as keyof typeof Access]));
return [has(Access.All, Access.Run), list(Access.Read | Access.Run), list(7)];
// ---
// features: enum objects passed around
enum Suit { Hearts = "♥", Spades = "♠" }
const entries = <E extends object>(e: E): [string, unknown][] => Object.entries(e);
let changed = "kept";
try { (Suit as any).Hearts = "x"; changed = Suit.Hearts; } catch { changed = "refused"; }
return [entries(Suit).length, changed];
// ---
// features: enum and closures
enum Step { One = 1, Two }
const makers = [Step.One, Step.Two].map((step) => () => Step[step] + step);
await tick();
return makers.map((make) => make());
// ---
// features: enum used before it is declared, in functions
const late = (): number => Later.A;
enum Later { A = 3, B }
return [late(), Later.B];
// ---
// features: enum initialisers with calls and properties
const table = { n: 40 };
const f = (n: number): number => n + 1;
enum Dynamic { A = f(1), B = table.n, C = B + A, D = table["n"] / 8 }
return [Dynamic.A, Dynamic.C, Dynamic[5], Dynamic[42]];
// ---
// features: enum members shadowing outer names
const A = 100, B = "outer";
enum Shadow { A = 1, C = A + 1, D = B.length }
return [Shadow.C, Shadow.D, A];
// ---
// features: empty enums, trailing commas, comments
enum Empty {}
enum Spaced {
  // first
  A = 1, /* mid */
  B, // last
}
return [Object.keys(Empty), Spaced.B];
// ---
// features: declare enum and const enum types erased
declare enum Outside { A = 1 }
type Name = keyof typeof Inside;
enum Inside { X = "x" }
const name: Name = "X";
return [Inside[name]];
// ---
// features: enum in a class and generics
enum Kind { A = "a", B = "b" }
class Item<K extends Kind = Kind.A> { constructor(readonly kind: K, public readonly n: number = 0) {} is(kind: Kind): boolean { return (this.kind as Kind) === kind; } }
return [new Item(Kind.A).is(Kind.A), new Item<Kind.B>(Kind.B, 2).n, Object.keys(new Item(Kind.B))];
