import { describe, expect, it } from "vitest"
import { rules } from "../../src/rules/book/index.ts"
import { check, settle } from "../../src/rules/index.ts"
import { flatten } from "../../src/model/index.ts"

describe("rules", () => {
  it("have ids that are unique and name the damage in kebab-case", () => {
    const ids = rules.map((rule) => rule.id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids) expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
  })

  it("each come with an example that shows the damage and its repair", () => {
    for (const rule of rules)
      expect(
        rule.examples.some((example) => example.finds > 0),
        rule.id,
      ).toBe(true)
  })
})

for (const rule of rules) {
  describe(rule.id, () => {
    for (const example of rule.examples) {
      it(example.title, () => {
        const transcript = { format: "ligature", messages: example.before }
        const before = JSON.stringify(transcript)
        const tip = example.tip ?? "closed"
        const found = check(transcript, { tip }).filter((diagnostic) => diagnostic.rule === rule.id)
        expect(found).toHaveLength(example.finds)
        const { conversation, report } = settle(transcript, { tip, policies: example.policies ?? {} })
        expect(flatten(conversation).messages).toEqual(example.after)
        expect(report.entries.filter((entry) => entry.rule === rule.id).length > 0).toBe(example.finds > 0)
        expect(JSON.stringify(transcript), "the transcript is never touched").toBe(before)
        expect(check(conversation, { tip }), "a settled conversation is healthy").toEqual([])
        const again = settle(flatten(conversation), { tip, policies: example.policies ?? {} })
        expect(again.conversation.items, "settling again changes nothing").toEqual(conversation.items)
        expect(again.report.entries).toEqual([])
      })
    }
  })
}
