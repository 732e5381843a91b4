/** The settings under `compaction`: those of the library's compactor, and what only a gateway has. */
import { compactor, type SettingsChoice } from "ligature/compact"
import { memoryStore } from "ligature/store"
import type { CompactionSettings } from "../compaction/settings.ts"
import type { Upstream } from "./config.ts"
import { isObject, type Reader } from "./reader.ts"

const switchIn = (value: unknown, name: string, byDefault: boolean, reader: Reader): boolean => {
  if (value === undefined || typeof value === "boolean") return value ?? byDefault
  reader.expect(`compaction.${name}`, "true or false", value)
  return byDefault
}

export const readCompaction = (given: unknown, upstreams: readonly Upstream[], reader: Reader): CompactionSettings | undefined => {
  if (given === undefined || given === false) return undefined
  const value = given === true ? {} : given
  if (!isObject(value)) return reader.expect("compaction", "true, false or an object of settings", given)
  const { background, recall, summary, ...rest } = value
  const { upstream, ...ofSummary } = isObject(summary) ? summary : {}
  const settings = { ...rest, ...(Object.keys(ofSummary).length > 0 && { summary: ofSummary }) } as SettingsChoice
  try {
    // The names and ranges are the library's.
    compactor({ store: memoryStore(), settings })
  } catch (error) {
    reader.problems.push(`compaction: ${error instanceof Error ? error.message : String(error)}`)
  }
  const { model } = ofSummary
  if (upstream !== undefined && !upstreams.some(({ name }) => name === upstream))
    reader.expect("compaction.summary.upstream", `one of ${upstreams.map(({ name }) => name).join(", ")}`, upstream)
  if ((upstream === undefined) !== (typeof model !== "string" || model === ""))
    reader.problems.push("compaction.summary: upstream and model belong together")
  return {
    settings,
    background: switchIn(background, "background", false, reader),
    recall: switchIn(recall, "recall", true, reader),
    ...(typeof upstream === "string" && typeof model === "string" && { summary: { upstream, model } }),
  }
}
