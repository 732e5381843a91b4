/**
 * The rows of a conversation without what they say: which branches they form, and how a path goes on where one is gone.
 *
 * A row whose parent is missing is read behind the entry that was the tip when it was written, as far as the rows that are
 * left can tell: what was said before the gap stays in sight. A log of lines is read by the same rule, see log-index.ts.
 * Finding that entry takes a look at all rows, so only who meets a gap makes an outline to cross it.
 */
import { isWire } from "../model/index.ts"
import { onPath } from "./entry.ts"
import { type EntryRow, readText, storedText } from "./entry-rows.ts"
import type { Branch } from "./store.ts"

/** `target` is the body of a tip entry. */
export type OutlineRow = Pick<EntryRow, "number" | "parent" | "kind" | "id" | "at"> & { readonly target: string | null }

const isOnPath = (kind: string): boolean => !Object.hasOwn(onPath, kind) || onPath[kind as keyof typeof onPath]

/** Where a tip entry moves the tip, as stored; undefined when its body cannot be read. */
const targetOf = (body: string | null): string | null | undefined => {
  try {
    const value: unknown = JSON.parse(body ?? "")
    const to = isWire(value) ? value["to"] : undefined
    return typeof to === "string" ? storedText(to) : to === null ? null : undefined
  } catch {
    return undefined
  }
}

export class Outline {
  readonly #rows: readonly OutlineRow[]
  readonly #ids = new Map<number, string>()
  /** Per row the tip when it was written. */
  readonly #tips = new Map<number, number | null>()
  /** The tip behind all rows. */
  readonly #tip: number | null

  /** `rows` are all rows of the conversation, in their order. */
  constructor(rows: readonly OutlineRow[]) {
    this.#rows = rows
    const numbers = new Map<string, number>()
    let tip: number | null = null
    for (const { number, kind, id, target } of rows) {
      this.#tips.set(number, tip)
      this.#ids.set(number, id)
      numbers.set(id, number)
      const to = kind === "tip" ? targetOf(target) : undefined
      if (to === null) tip = null
      else if (to !== undefined) tip = numbers.get(to) ?? tip
      else if (isOnPath(kind)) tip = number
    }
    this.#tip = tip
  }

  /** The number of the entry that was the tip when this row was written; without a row, of the one that is the tip now. */
  tipBefore(number?: number): number | null {
    return number === undefined ? this.#tip : (this.#tips.get(number) ?? null)
  }

  idOf(number: number | null): string | null {
    const id = number === null ? undefined : this.#ids.get(number)
    return id === undefined ? null : readText(id)
  }

  /** The ends of the branches. `tip` is what the conversation's own row says. */
  branches(tip: number | null): readonly Branch[] {
    const active = tip === null || this.#ids.has(tip) ? tip : this.#tip
    const standing = this.#rows.filter(({ kind }) => isOnPath(kind))
    const inner = new Set(standing.map((row) => this.#parentOf(row)))
    return standing.flatMap(({ number, id, at }) =>
      inner.has(number) && number !== active ? [] : [{ tip: readText(id), at, active: number === active }],
    )
  }

  #parentOf({ number, parent }: OutlineRow): number | null {
    return parent === null || (parent < number && this.#ids.has(parent)) ? parent : this.tipBefore(number)
  }
}
