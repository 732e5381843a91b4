import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openaiResponses } from "../../../src/formats/openai-responses/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { judgeOpenaiResponses } from "../../../src/testing/providers/responses/judge-openai-responses.ts"

const { decode, encode } = openaiResponses
const folder = join(process.env["LIGATURE_CORPUS"] ?? "", "openai-responses")
const present = process.env["LIGATURE_CORPUS"] !== undefined && existsSync(folder)
if (!present) console.log("Skipped: set LIGATURE_CORPUS to a folder with openai-responses/ to run the corpus tests.")

interface Rollout {
  readonly responses_create_params: { readonly input: string | readonly unknown[] }
  readonly response?: { readonly output?: readonly unknown[] }
}

/** Each rollout as two requests: what was asked, and that with what came back. */
const requestsOf = (line: string): readonly { readonly input: unknown }[] => {
  const { responses_create_params: asked, response } = JSON.parse(line) as Rollout
  const list = typeof asked.input === "string" ? [{ role: "user", content: asked.input }] : asked.input
  return response?.output ? [asked, { ...asked, input: [...list, ...response.output] }] : [asked]
}

describe.skipIf(!present)("recorded Responses requests", () => {
  const files = present ? readdirSync(folder) : []
  it.each(files)("%s: healthy ones come back deep-equal, and every one is valid afterwards", (file) => {
    const lines = readFileSync(join(folder, file), "utf8")
      .split("\n")
      .filter((line) => line !== "")
    for (const request of lines.flatMap(requestsOf)) {
      const transcript = decode(request)
      const back = encode(settle(transcript).conversation)
      if (check(transcript).length === 0) expect(JSON.stringify(back)).toBe(JSON.stringify(request))
      expect(judgeOpenaiResponses(back)).toEqual({ ok: true })
      expect(encode(settle(decode(back)).conversation)).toEqual(back)
    }
  })
})
