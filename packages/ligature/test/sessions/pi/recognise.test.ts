import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { copilotCli } from "../../../src/sessions/copilot-cli/index.ts"
import { goose } from "../../../src/sessions/goose/index.ts"
import { openWebui } from "../../../src/sessions/open-webui/index.ts"
import { pi } from "../../../src/sessions/pi/index.ts"
import type { SessionSample } from "../../../src/formats/engine/session.ts"
import { corpus, corpusFiles, readCorpus } from "./corpus.ts"

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The beginning of a file, read both ways where both are possible. */
const samplesOf = (text: string): readonly SessionSample[] => {
  const value = parse(text)
  const records = text
    .split("\n", 64)
    .map(parse)
    .filter((record) => record !== undefined)
  const lines: SessionSample = { syntax: "lines", records }
  return value === undefined ? [lines] : [lines, { syntax: "value", records: [value] }]
}

describe.skipIf(corpus === undefined)("files of other agents", () => {
  const own = ["pi", "copilot-cli", "goose", "open-webui"]
  const entries = corpus === undefined ? [] : readdirSync(corpus, { withFileTypes: true })
  const folders = entries.filter((entry) => entry.isDirectory())

  it.each(folders.map(({ name }) => name).filter((name) => !own.includes(name)))("in %s are not claimed", (folder) => {
    const claims = corpusFiles(folder).flatMap((file) =>
      samplesOf(readCorpus(file)).flatMap((sample) =>
        [pi, copilotCli, goose, openWebui].flatMap(({ format, session }) => (session.recognise(sample) ? [`${file}: ${format}`] : [])),
      ),
    )
    expect(claims).toEqual([])
  })
})
