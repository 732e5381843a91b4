/**
 * Which output answers which call. Codex pairs within a family: the output of a custom tool never answers a function,
 * whatever id it bears. Settle pairs by id alone, so ids that two families share are told apart in the model:
 *
 *   an output whose id only calls of another family bear   gets `<id>__<family>`, and answers nothing
 *   calls and outputs of an id that two families use       functions keep it, the others get `<id>__<family>`
 *
 * The id of the file stays beside it as `providerId`, and is what is written back.
 */
import { asWord } from "../../model/index.ts"
import type { Block } from "../../model/index.ts"
import type { Entry, Finding } from "./entry.ts"
import { callFamilyOf, callIdOf, families, type Family, outputFamilyOf } from "./items.ts"

const separated = (id: string, family: Family): string => `${id}__${family}`

export interface Pairing {
  /** Items whose id in the model differs from the one in the file. */
  readonly ids: ReadonlyMap<unknown, string>
  readonly findings: readonly Finding[]
}

export const pairByFamily = (entries: readonly Entry[]): Pairing => {
  const asked = new Map<string, number>()
  for (const { source } of entries) {
    const family = callFamilyOf(source)
    const id = family && callIdOf(source)
    if (family && id !== undefined) asked.set(id, (asked.get(id) ?? 0) | families[family])
  }
  const ids = new Map<unknown, string>()
  const findings: Finding[] = []
  for (const { source, record } of entries) {
    const called = callFamilyOf(source)
    const family = called ?? outputFamilyOf(source)
    const id = family && callIdOf(source)
    const known = id === undefined ? undefined : asked.get(id)
    if (!family || id === undefined || known === undefined || known === families[family]) continue
    const foreign = (known & families[family]) === 0
    if (foreign || family !== "function") ids.set(source, separated(id, family))
    if (!foreign) continue
    const what = `A ${asWord(source["type"])} bears the id ${id} of a call of another kind`
    findings.push({ kind: "kind-mismatch", record, what, ids: [id] })
  }
  return { ids, findings }
}

/** The block with an id that settle cannot mistake. */
export const separate = (block: Block, id: string): Block => {
  if (block.type === "call") return { ...block, id, providerId: block.id }
  return block.type === "result" ? { ...block, callId: id, providerId: block.callId } : block
}

/** The block as its file knows it: the way back from `separate`. */
export const rejoin = <T extends Block>(block: T): T => {
  const own = block.type === "call" || block.type === "result" ? block.providerId : undefined
  if (own === undefined || (block.type !== "call" && block.type !== "result")) return block
  const id = block.type === "call" ? block.id : block.callId
  if (!id.startsWith(`${own}__`) || !Object.hasOwn(families, id.slice(own.length + 2))) return block
  return block.type === "call" ? { ...block, id: own } : { ...block, callId: own }
}
