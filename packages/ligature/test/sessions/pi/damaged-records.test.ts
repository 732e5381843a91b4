import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SessionCodec } from "../../../src/formats/engine/session.ts"
import { copilotCli } from "../../../src/sessions/copilot-cli/index.ts"
import { goose } from "../../../src/sessions/goose/index.ts"
import { pi } from "../../../src/sessions/pi/index.ts"
import { qwenCode } from "../../../src/sessions/qwen-code/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Diagnostic, transcript } from "../../../src/model/index.ts"
import { Choices, generateHistory } from "../../../src/testing/index.ts"

type Records = readonly unknown[]

const recordsOf = (codec: SessionCodec, records: Records): Records =>
  codec.encode(settle(codec.decode(records)).conversation)["records"] as Records

/** Lines lost, written twice, or in another order: what crashes and second writers leave. */
const harms: readonly ((records: Records, at: number) => Records)[] = [
  (records, at) => records.toSpliced(at, 1),
  (records, at) => records.toSpliced(at, 0, structuredClone(records[at])),
  (records, at) => records.toSpliced(at, 2, records[at + 1] ?? records[at], records[at]),
  (records, at) => records.toSpliced(at + 2, 0, structuredClone(records[at])),
  (records, at) => records.slice(0, at + 2),
  (records, at) => records.toSpliced(1, at),
]

const isGrave = ({ severity, rule }: Diagnostic): boolean => severity === "error" && rule !== "malformed-message"

describe.each([pi, copilotCli, goose, qwenCode])("damaged files of $format", (codec) => {
  it("are repaired for good: what was written is healthy, and writing it again changes nothing", () => {
    const damage = fc.array(fc.tuple(fc.nat(harms.length - 1), fc.nat(40)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 100 }), damage, (numbers, damages) => {
        const { conversation } = settle(transcript(...generateHistory(new Choices(numbers)).messages))
        let records = codec.encode(conversation)["records"] as Records
        for (const [harm, at] of damages) {
          if (records.length > 1) records = harms[harm]?.(records, 1 + (at % (records.length - 1))) ?? records
        }
        const before = JSON.stringify(records)
        const back = recordsOf(codec, records)
        expect(JSON.stringify(records)).toBe(before)
        expect(check(codec.decode(back)).filter(isGrave)).toEqual([])
        expect(recordsOf(codec, back)).toEqual(back)
      }),
      { numRuns: 500 },
    )
  })
})
