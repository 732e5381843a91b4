/** Which sessions of a list are shown, and in what order. */
import type { SessionEntry, State } from "../source/source.ts"
import { phrase } from "../words.ts"

/** Worst first: that is what one looks for. */
export const states = ["errors", "warnings", "open", "healthy"] as const satisfies readonly State[]

export const stateNames: Readonly<Record<State, () => string>> = {
  healthy: () => phrase`healthy`,
  open: () => phrase`open`,
  warnings: () => phrase`warnings`,
  errors: () => phrase`errors`,
}

type Compare = (left: SessionEntry, right: SessionEntry) => number

const newest: Compare = (left, right) => right.modified - left.modified || (left.id < right.id ? -1 : 1)

const rank = ({ state }: SessionEntry): number => (state === undefined ? states.length : states.indexOf(state))

export const orders = {
  newest: { title: () => phrase`newest first`, compare: newest },
  oldest: { title: () => phrase`oldest first`, compare: (left, right) => newest(right, left) },
  worst: { title: () => phrase`worst first`, compare: (left, right) => rank(left) - rank(right) || newest(left, right) },
  largest: { title: () => phrase`largest first`, compare: (left, right) => (right.bytes ?? 0) - (left.bytes ?? 0) || newest(left, right) },
  title: {
    title: () => phrase`by title`,
    compare: (left, right) => (left.title ?? left.file).localeCompare(right.title ?? right.file) || newest(left, right),
  },
  project: {
    title: () => phrase`by project`,
    compare: (left, right) => (left.project ?? "").localeCompare(right.project ?? "") || newest(left, right),
  },
} as const satisfies Readonly<Record<string, { readonly title: () => string; readonly compare: Compare }>>

export type OrderName = keyof typeof orders

export interface Choice {
  readonly words: string
  /** Empty for all of them. */
  readonly agent: string
  readonly state: State | ""
  readonly order: OrderName
}

/** `inContents`: sessions whose contents have the words, where that was asked for; then the words need not be in the entry. */
export const chosen = (
  entries: readonly SessionEntry[],
  { words, agent, state, order }: Choice,
  inContents?: ReadonlySet<string>,
): readonly SessionEntry[] => {
  const each = words.toLowerCase().split(/\s+/)
  const has = (entry: SessionEntry): boolean => {
    const { agent: name, title, project, file, state: health, session } = entry
    const text = [name, title, project, file, health, session].join(" ").toLowerCase()
    return each.every((word) => text.includes(word))
  }
  return entries
    .filter((entry) => (agent === "" || entry.agent === agent) && (state === "" || entry.state === state))
    .filter((entry) => inContents?.has(entry.id) === true || has(entry))
    .toSorted(orders[order].compare)
}
