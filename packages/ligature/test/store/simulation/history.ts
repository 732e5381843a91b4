/** What clients asked and were told, in the order in which it happened; and what must be true of it. */
import type { Appended, Lease, Loaded } from "../../../src/store/index.ts"

export interface Call {
  readonly number: number
  readonly client: string
  /** A client goes on in another process where its own one ends. */
  readonly process?: string
  readonly type: "append" | "acquire" | "renew" | "release" | "load" | "flush"
  /** Of an append. */
  readonly operation?: string
  readonly ids?: readonly string[]
  readonly durable?: boolean
  /** Of an append under one, and of calls about one. */
  readonly lease?: Lease
  readonly from: number
  until: number
  outcome?: "done" | "refused" | "unknown"
  /** Of a refusal. */
  reason?: string
  message?: string
  appended?: Appended
  granted?: Lease
  loaded?: Pick<Loaded, "entries" | "tip" | "damage">
}

export interface History {
  readonly calls: readonly Call[]
  /** When the power failed. */
  readonly powerCuts: readonly number[]
  /** What a process that was started after everything sees. */
  readonly final: Pick<Loaded, "entries" | "damage">
}

const acknowledged = (call: Call): boolean => call.type === "append" && call.outcome === "done"

/** Damage that costs nothing, because nobody was told that it was written; after a power cut, more may look like that. */
const harmless = new Set(["torn-line", "torn-tail", "glued-lines"])
const afterPowerCut = new Set([...harmless, "unreadable-line", "missing-parent", "changed-line"])

/** Whether a power cut may have taken what the call wrote: nothing that came after it was flushed either. */
const mayBeLost = (call: Call, { calls, powerCuts }: History): boolean =>
  powerCuts.some((cut) => {
    if (cut < call.until) return false
    if (call.durable === true) return false
    const saved = calls.some((later) => {
      if (later.outcome !== "done" || later.until > cut || later.from < call.until) return false
      // It concerns what its own store wrote.
      if (later.type === "flush") return later.client === call.client && later.process === call.process
      return later.type === "append" && later.durable === true && later.appended?.repeated === false
    })
    return !saved
  })

/** The first thing that is wrong, as a sentence. */
export const judgeHistory = (history: History): string | undefined => {
  const { calls, final, powerCuts } = history
  const places = new Map(final.entries.map(({ id }, place) => [id, place]))
  if (places.size !== final.entries.length) return "An id is twice on the path"
  const appends = calls.filter(acknowledged)
  const sure = appends.filter((call) => !mayBeLost(call, history))

  for (const { ids = [], client, operation } of sure) {
    const missing = ids.filter((id) => !places.has(id))
    if (missing.length > 0) return `${client} was told that ${operation} is written, and ${missing.join(", ")} is not on the path`
  }
  for (const entry of final.entries) {
    const written = calls.find(({ type, ids }) => type === "append" && ids?.includes(entry.id))
    if (!written) return `Nobody wrote ${entry.id}`
    const tries = calls.filter(({ type, operation }) => type === "append" && operation === written.operation)
    const denied = tries.every(
      ({ outcome, message = "", reason }) =>
        outcome === "refused" && (reason !== "unwritable" || message.includes("nothing of it was stored")),
    )
    if (denied && powerCuts.length === 0)
      return `${written.client} was told that ${written.operation} was not written, and it is on the path`
    if (entry.operation !== written.operation) return `${entry.id} is of ${entry.operation} instead of ${written.operation}`
  }
  for (const earlier of sure) {
    for (const later of sure) {
      if (earlier === later || earlier.operation === later.operation || earlier.until > later.from) continue
      const [last, first] = [earlier.ids?.at(-1) ?? "", later.ids?.[0] ?? ""]
      const second = calls.some((call) => call.operation === later.operation && call.from < earlier.until)
      if (!second && (places.get(last) ?? 0) > (places.get(first) ?? 0))
        return `${later.operation} came after ${earlier.operation}, and is before it on the path`
    }
  }
  for (const call of calls) {
    if (call.type !== "load" || !call.loaded) continue
    const seen = new Set(call.loaded.entries.map(({ id }) => id))
    for (const { ids = [], operation, until, ...rest } of appends) {
      if (until > call.from || ids.every((id) => seen.has(id))) continue
      if (!mayBeLost({ ids, until, ...rest }, { ...history, powerCuts: powerCuts.filter((cut) => cut < call.from) })) {
        return `${call.client} loaded after ${operation} was acknowledged, and does not see it`
      }
    }
  }
  return judgeLeases(history, appends, places) ?? judgeDamage(history)
}

const judgeDamage = ({ final, powerCuts }: History): string | undefined => {
  const known = powerCuts.length > 0 ? afterPowerCut : harmless
  const bad = final.damage.find(({ rule }) => !known.has(rule))
  return bad && `The log is damaged: ${bad.rule}: ${bad.what}`
}

const judgeLeases = ({ calls, powerCuts }: History, appends: readonly Call[], places: ReadonlyMap<string, number>): string | undefined => {
  const grants = calls.filter(({ type, granted }) => type === "acquire" && granted)
  const generations = new Map<number, Call>()
  for (const grant of grants) {
    const { generation = 0 } = grant.granted ?? {}
    const other = generations.get(generation)
    if (other) return `${other.client} and ${grant.client} both hold generation ${generation}`
    generations.set(generation, grant)
  }
  for (const append of appends) {
    const { lease, client, operation, ids = [] } = append
    if (!lease || append.appended?.repeated === true) continue
    for (const grant of grants) {
      const { generation = 0, owner } = grant.granted ?? {}
      if (generation <= lease.generation || grant.until > append.until) continue
      const what = `${client} wrote ${operation} under generation ${lease.generation}, which ${owner} had taken over`
      if (grant.until < append.from) return what
      // Whatever the successor saw or wrote afterwards must have it before.
      for (const call of calls) {
        if (call.client !== grant.client || call.from < grant.until) continue
        const isLate =
          call.type === "append" &&
          call.outcome === "done" &&
          ids.some((id) => (places.get(id) ?? -1) > (places.get(call.ids?.[0] ?? "") ?? Infinity))
        const unseen =
          call.type === "load" &&
          call.loaded &&
          powerCuts.length === 0 &&
          !ids.every((id) => call.loaded?.entries.some((entry) => entry.id === id))
        if (isLate || unseen) return `${what}: ${isLate ? `it is after ${call.operation}` : "the successor did not see it"}`
      }
    }
  }
  return undefined
}
