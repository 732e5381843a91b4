import { describe, expect, it } from "vitest"
import { pi } from "../../../src/sessions/pi/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import type { Wire } from "../../../src/model/index.ts"
import { allOk, corpus, corpusFiles, countsOf, expectedCounts, linesOf, readCorpus, rivals, verdicts } from "./corpus.ts"

/** The manifest counts message entries. We read a summary besides, and no message that failed before its first word. */
const counted = (records: readonly unknown[], messages: number): number => {
  const entries = records as readonly Wire[]
  const failed = entries.filter(({ message }) => {
    const { role, content, stopReason } = (message ?? {}) as Wire
    return role === "assistant" && (content as readonly unknown[]).length === 0 && (stopReason === "error" || stopReason === "aborted")
  })
  return messages + failed.length - entries.filter(({ type }) => type === "compaction").length
}

describe.skipIf(corpus === undefined)("real pi sessions", () => {
  const expected = expectedCounts()

  it.each(corpusFiles("pi"))("%s is recognised by this codec alone and has the expected counts", (file) => {
    const records = linesOf(readCorpus(file))
    expect(pi.session.recognise({ syntax: "lines", records: records.slice(0, 64) })?.certainty).toBe("certain")
    expect(pi.session.recognise({ syntax: "lines", records: records.slice(3, 67) })?.certainty).not.toBe("certain")
    expect(rivals(pi, "lines", records.slice(0, 64))).toEqual([])
    const read = pi.decode(records)
    expect(countsOf(pi, records, read, counted(records, read.messages.length))).toEqual(expected.get(file))
  })

  it.each(corpusFiles("pi"))("%s is valid for the strict providers, whole and effective", (file) => {
    const records = linesOf(readCorpus(file))
    expect(verdicts(pi.decode(records))).toEqual(allOk)
    expect(verdicts(pi.decode(records, { view: "effective" }))).toEqual(allOk)
  })

  it.each(corpusFiles("pi"))("%s comes back with the very same records, but for those that needed repair", (file) => {
    const records = linesOf(readCorpus(file))
    const transcript = pi.decode(records)
    const { conversation, report } = settle(transcript)
    const back = (pi.encode(conversation) as { readonly records: readonly unknown[] }).records
    const touched = new Set(report.entries.map(({ place }) => place.message))
    const changed = records.filter((record) => !back.includes(record))
    expect(changed.length).toBeLessThanOrEqual(touched.size)
    if (report.entries.length === 0) expect(back).toBe(records)
    expect(check(pi.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
    expect(pi.encode(settle(pi.decode(back)).conversation)).toEqual({ records: back })
  })
})
