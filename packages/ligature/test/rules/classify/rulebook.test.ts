import { describe, expect, it } from "vitest"
import { fieldReports, providerRule, rulebook } from "../../../src/rules/rulebook/index.ts"
import { rulebookIds } from "./rulebook-ids.ts"

const everyRule = [...rulebook, ...fieldReports]

describe("the rule book", () => {
  it("holds every demand once, in the order of the list", () => {
    expect(rulebook.map((rule) => rule.id)).toEqual(rulebookIds)
    expect(new Set(everyRule.map((rule) => rule.id)).size).toBe(everyRule.length)
    expect(rulebook).toHaveLength(203)
  })

  it("counts 171 hard demands and 188 quoted refusals of 131 demands", () => {
    expect({
      hard: rulebook.filter((rule) => rule.severity === "hard").length,
      texts: rulebook.flatMap((rule) => rule.texts).length,
      withText: rulebook.filter((rule) => rule.texts.length > 0).length,
    }).toEqual({ hard: 171, texts: 188, withText: 131 })
  })

  it("finds a demand by its id, field reports included, and nothing for an unknown id", () => {
    for (const rule of everyRule) expect(providerRule(rule.id)).toBe(rule)
    expect(providerRule("anthropic-no-such-demand")).toBeUndefined()
  })

  it("says demand and repair in sentences and names at least one provider", () => {
    for (const rule of everyRule) {
      expect(rule.demand, rule.id).toMatch(/^[A-Z].*\.$/)
      expect(rule.repair, rule.id).toMatch(/^[A-Z].*\.$/)
      expect(rule.providers.length, rule.id).toBeGreaterThan(0)
    }
  })

  it("gives a status to refused requests only", () => {
    for (const rule of everyRule) expect(rule.status === undefined, rule.id).toBe(rule.severity === "soft")
  })

  it("keeps every demand that touches the conversation by an invariant, a profile, or for a stated reason outside", () => {
    for (const rule of everyRule) {
      const keys = Object.keys(rule.enforcedBy).join("+")
      expect(["invariant", "profile", "outside+why"], rule.id).toContain(keys)
    }
  })

  it("recognises a text by a pattern wherever one is quoted", () => {
    for (const rule of everyRule) {
      const quoted = [...rule.texts, ...(rule.alsoSeen ?? [])]
      if (quoted.length > 0) expect(rule.match, rule.id).toBeDefined()
      for (const text of quoted) expect(text, rule.id).toMatch(rule.match ?? /^never$/)
    }
  })

  it("bounds every repetition in a pattern, a number after fixed words excepted", () => {
    for (const { id, match } of everyRule) {
      if (match === undefined) continue
      expect(match.flags, id).toBe("i")
      expect(match.source.replaceAll("\\d+", ""), id).not.toMatch(/[*+]|\{\d+,\}/)
    }
  })
})
