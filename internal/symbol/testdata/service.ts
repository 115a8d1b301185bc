import { a, b } from 'x';
import type { C } from "./c"
export * from './d'

/** doc */
@Injectable({ providedIn: 'root' })
export class Svc<T extends { id: string }> extends Base<{ x: 1 }> implements I {
  private readonly map = new Map<string, () => void>();
  static #count = 0
  name?: string
  [key: string]: unknown
  constructor(private readonly x: number, public y = { a: 1 }) { super(); }
  get size(): number { return this.map.size }
  async *gen<T>(a: T): AsyncGenerator<T> { yield a }
  handle = async (e: Event): Promise<void> => {
    const s = `a ${b ? `n ${c}` : "}"} }`;
    const r = /[/}]\/"/g.test(s) ? 1 / 2 : 3
  }
  foo(a: string): void;
  foo(a: number): void;
  foo(a: any): { ok: boolean } {
    return { ok: true };
  }
  static { init() }
}

export interface Props<T = {}> {
  a: string;
  readonly b?: number
  on(e: Event): void
  new (x: number): Props
  f: (x: number, y: string) => void
}
export type U = { kind: 'a' } | { kind: 'b'; v: number }
type Fn = (a: number) =>
  | string
  | number
export const enum Color { Red, Green = "x" }
export const sum = (a: number, b: number): number => a + b
const one = 1, two = { a: 1 }, three = x => x
export const handler = async ({ a, b }: P) => {
  if (a) { return }
}
const { q, r } = useThing()
export default function main() {
  function inner() {}
}
namespace N.M {
  export function inN() { return 1 }
}
declare module "foo" {
  export function decl(a: string): void
}
exports.foo = function () { return 1 }
Foo.prototype.bar = function bar() { }
declare global { interface Window { x: 1 } }
let after = 1
