import { describe, expect, it } from "vitest"
import { copilotCli } from "../../../src/sessions/copilot-cli/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { allOk, corpus, corpusFiles, countBlocks, countsOf, expectedCounts, linesOf, readCorpus, rivals, verdicts } from "../pi/corpus.ts"

/** Where our count of messages, results aside, differs from the manifest. */
const differences: Readonly<Record<string, { readonly messages: number; readonly why: string }>> = {
  "copilot-cli/EntityProcess+agentv-10.jsonl": { messages: 1, why: "a notification that the model saw is a message" },
  "copilot-cli/EntityProcess+agentv-11.jsonl": {
    messages: -3,
    why: "the same system prompt is told four times and read once",
  },
}

describe.skipIf(corpus === undefined)("real Copilot CLI sessions", () => {
  const expected = expectedCounts()

  it.each(corpusFiles("copilot-cli"))("%s is recognised by this codec alone and has the expected counts", (file) => {
    const records = linesOf(readCorpus(file))
    expect(copilotCli.session.recognise({ syntax: "lines", records: records.slice(0, 64) })?.certainty).toBe("certain")
    expect(copilotCli.session.recognise({ syntax: "lines", records: records.slice(2, 66) })).toBeDefined()
    expect(rivals(copilotCli, "lines", records.slice(0, 64))).toEqual([])
    const read = copilotCli.decode(records)
    const spoken = read.messages.length - countBlocks(read.messages, "result")
    const counts = countsOf(copilotCli, records, read, spoken - (differences[file]?.messages ?? 0))
    expect(counts).toEqual(expected.get(file))
    expect(read.diagnostics).toBeUndefined()
  })

  it.each(corpusFiles("copilot-cli"))("%s is valid for the strict providers", (file) => {
    const records = linesOf(readCorpus(file))
    expect(verdicts(copilotCli.decode(records))).toEqual(allOk)
    expect(verdicts(copilotCli.decode(records, { view: "effective" }))).toEqual(allOk)
  })

  it.each(corpusFiles("copilot-cli"))("%s comes back with the very same records, but for replies that say nothing", (file) => {
    const records = linesOf(readCorpus(file))
    const transcript = copilotCli.decode(records)
    const findings = check(transcript, { tip: "open" }).map(({ rule }) => rule)
    expect(findings.filter((rule) => rule !== "empty-message")).toEqual([])
    const back = copilotCli.encode(settle(transcript, { tip: "open" }).conversation)["records"] as readonly unknown[]
    if (findings.length === 0) expect(back).toBe(records)
    // The one left out, and the event that hung on it.
    expect(records.filter((record) => !back.includes(record))).toHaveLength(findings.length * 2)
  })
})
