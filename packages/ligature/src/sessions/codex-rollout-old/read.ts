/** Records → entries. Every item stands on the one path there is. */
import { asWord, isWire } from "../../model/index.ts"
import type { Entry, Finding, Reading } from "../codex-rollout/entry.ts"
import { classOf, typeOf } from "../codex-rollout/items.ts"
import { isHeader, isState } from "./records.ts"

const noRepeats: ReadonlySet<number> = new Set()

export const read = (records: readonly unknown[], branch?: string): Reading => {
  const entries: Entry[] = []
  const findings: Finding[] = []
  const strange = new Set<unknown>()
  if (branch !== undefined && branch !== "active") {
    findings.push({
      kind: "unknown-record",
      record: 0,
      what: `There is no path ${branch} in this session`,
      why: "Sessions of this age have no branches.",
      help: "The one path there is is read.",
    })
  }
  for (let index = 0; index < records.length; index++) {
    const record = records[index]
    if (isHeader(record) || isState(record)) continue
    if (!isWire(record)) {
      findings.push({ kind: "malformed-record", record: index, what: "A line holds no record" })
      continue
    }
    const group = classOf(record)
    if (group === "api" || group === "own") entries.push({ source: record, record: index })
    else if (group === "unknown" && !strange.has(typeOf(record))) {
      strange.add(typeOf(record))
      findings.push({ kind: "unknown-record", record: index, what: `A record of the type ${asWord(typeOf(record))}` })
    }
  }
  return { entries, findings, repeated: noRepeats }
}
