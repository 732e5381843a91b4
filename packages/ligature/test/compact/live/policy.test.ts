import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { settingsTable } from "../../../src/compact/policy/settings.ts"
import { defaultSettings, settingNames, type SettingsChoice, settingsFor } from "../../../src/compact/policy/settings-for.ts"
import { costOf, isWorthIt, limitsOf, paysBack, shouldCompact } from "../../../src/compact/policy/when-to-compact.ts"
import type { Size } from "../../../src/compact/index.ts"

const settings = settingsFor({ window: { tokens: 100_000, reserveTokens: 0, requestBytes: 1_000_000 } })
const sized = (tokens: number, bytes = 0): Size => ({ tokens, bytes })

describe("the limits", () => {
  it("are shares of the window without its reserve, and of the body of a request", () => {
    const given = { window: { tokens: 110_000, reserveTokens: 10_000, requestBytes: 1_000_000 } }
    const { target, trigger, hard } = limitsOf(settingsFor(given))
    expect([target, trigger, hard]).toEqual([sized(40_000, 400_000), sized(80_000, 800_000), sized(95_000, 950_000)])
  })

  it("aim lower in large windows, which says nothing about bytes", () => {
    const { target } = limitsOf(settingsFor({ window: { tokens: 200_000, reserveTokens: 0, requestBytes: 1_000_000 } }))
    expect(target).toEqual(sized(50_000, 400_000))
  })

  it("can be met in small windows: the least gain is never more than a quarter", () => {
    const small = settingsFor({ window: { tokens: 16_000, reserveTokens: 0 } })
    const { trigger, target, minimumGain } = limitsOf(small)
    expect(trigger.tokens - target.tokens).toBeGreaterThan(minimumGain(trigger).tokens)
  })
})

describe("the limits beside a system prompt and tools", () => {
  const beside = sized(50_000, 100_000)

  it("are shares of what these leave; the hard limit is about the window", () => {
    const { target, trigger, hard } = limitsOf(settings, beside)
    expect([target, trigger, hard]).toEqual([sized(70_000, 460_000), sized(90_000, 820_000), sized(95_000, 950_000)])
  })

  it("leave room for the conversation however much there is beside it, and whatever the trigger", () => {
    for (const triggerTokens of [0, 10_000, 50_000, 60_000, 90_000]) {
      for (const tokens of [0, 20_000, 80_000, 94_000]) {
        const { target, trigger, hard } = limitsOf(
          settingsFor({ window: { tokens: 100_000, reserveTokens: 0 }, trigger: { tokens: triggerTokens } }),
          sized(tokens),
        )
        expect(target.tokens, `${triggerTokens} beside ${tokens}`).toBeGreaterThan(tokens)
        expect(trigger.tokens).toBeLessThanOrEqual(hard.tokens)
      }
    }
  })

  it("price what is in front as cached, and aim above it when a request was refused", () => {
    const patient = settingsFor({ window: { tokens: 100_000, reserveTokens: 0 }, gain: { requests: 12 } })
    expect(shouldCompact({ view: sized(91_000), beside }, patient)).toMatchObject({ compact: true, reason: "trigger" })
    const refused = shouldCompact({ view: sized(60_000), beside, overflow: "tokens" }, settings)
    expect(refused).toMatchObject({ compact: true, target: { tokens: 57_000 } })
  })
})

describe("the limits in tokens", () => {
  const limitsIn = (given: SettingsChoice, model?: string): readonly number[] => {
    const { target, trigger, hard } = limitsOf(settingsFor({ window: { tokens: 100_000, reserveTokens: 0 }, ...given }, model))
    return [target.tokens, trigger.tokens, hard.tokens]
  }

  it("hold where they are smaller than the shares, and never the other way", () => {
    expect(limitsIn({ trigger: { tokens: 60_000 }, target: { tokens: 15_000 } })).toEqual([15_000, 60_000, 95_000])
    expect(limitsIn({ target: { tokens: 15_000 } })).toEqual([15_000, 80_000, 95_000])
    expect(limitsIn({ trigger: { tokens: 60_000 }, target: { tokens: 50_000 } })).toEqual([40_000, 60_000, 95_000])
    expect(limitsIn({ trigger: { tokens: 500_000 }, target: { tokens: 400_000 } })).toEqual([40_000, 80_000, 95_000])
  })

  it("lower the target and the least gain with the trigger, so that it is still worth it", () => {
    expect(limitsIn({ trigger: { tokens: 20_000 } })).toEqual([10_000, 20_000, 95_000])
    const low = settingsFor({ window: { tokens: 200_000 }, trigger: { tokens: 20_000 } })
    const verdict = shouldCompact({ view: sized(20_001) }, low)
    expect(verdict).toMatchObject({ compact: true, reason: "trigger", target: { tokens: 6_250 } })
    expect(isWorthIt(sized(20_001), sized(6_250), verdict)).toBe(true)
  })

  it("say nothing about bytes", () => {
    const { target, trigger } = limitsOf(
      settingsFor({ window: { requestBytes: 1_000_000 }, trigger: { tokens: 20_000 }, target: { tokens: 5_000 } }),
    )
    expect([target.bytes, trigger.bytes]).toEqual([400_000, 800_000])
  })

  it("can be those of one model", () => {
    const given = {
      trigger: { tokens: 70_000 },
      models: { large: { window: { tokens: 1_000_000 }, trigger: { tokens: 300_000 }, target: { tokens: 90_000 } } },
    }
    expect(limitsIn(given, "small-1")).toEqual([35_000, 70_000, 95_000])
    expect(limitsIn(given, "large-1")).toEqual([90_000, 300_000, 950_000])
  })

  it("are refused where the target is not below the trigger, and where they are no numbers of tokens", () => {
    const refused = "Expected target.tokens < trigger.tokens, got 60000, 60000"
    expect(() => settingsFor({ trigger: { tokens: 60_000 }, target: { tokens: 60_000 } })).toThrow(refused)
    expect(() => settingsFor({ trigger: { tokens: 60_000 }, models: { large: { target: { tokens: 70_000 } } } })).toThrow(
      "got 70000, 60000",
    )
    expect(() => settingsFor({ target: { tokens: -1 } })).toThrow("as target.tokens, got -1")
  })
})

describe("the verdict", () => {
  it("waits below the trigger, compacts above it, and cannot be held back at the hard limit", () => {
    const eager = settingsFor({ window: { tokens: 100_000, reserveTokens: 0 }, gain: { requests: 0 } })
    const at = (tokens: number, given = settings): object => shouldCompact({ view: sized(tokens) }, given)
    expect(at(80_000)).toMatchObject({ compact: false, reason: "below-trigger" })
    expect(at(80_001)).toMatchObject({ compact: true, reason: "trigger", target: { tokens: 40_000 } })
    expect(at(80_001, eager)).toMatchObject({ compact: false, reason: "does-not-pay" })
    expect(at(95_001, eager)).toMatchObject({ compact: true, reason: "hard-limit" })
  })

  it("does the same for bytes, where it never has to pay", () => {
    const given = { window: { tokens: 100_000, reserveTokens: 0, requestBytes: 1_000_000 }, gain: { requests: 0 } }
    const at = (bytes: number): object => shouldCompact({ view: sized(20_000, bytes) }, settingsFor(given))
    expect(at(800_000)).toMatchObject({ compact: false, reason: "below-trigger" })
    expect(at(800_001)).toMatchObject({ compact: true, reason: "trigger", over: ["bytes"], target: { bytes: 400_000 } })
    expect(at(950_001)).toMatchObject({ compact: true, reason: "hard-limit", over: ["bytes"] })
  })

  it("does not compact again what has hardly grown since the last time", () => {
    const after = (lastAfter: Size, view: Size): object => shouldCompact({ view, lastAfter }, settings)
    expect(after(sized(70_000), sized(85_000))).toMatchObject({ compact: false, reason: "too-soon" })
    expect(after(sized(40_000), sized(85_000))).toMatchObject({ compact: true })
    expect(after(sized(90_000), sized(96_000))).toMatchObject({ compact: true, reason: "hard-limit" })
    expect(after(sized(9_000, 750_000), sized(9_000, 850_000))).toMatchObject({ compact: false, reason: "too-soon" })
    expect(after(sized(9_000, 400_000), sized(9_000, 850_000))).toMatchObject({ compact: true, over: ["bytes"] })
  })

  it("aims below what was refused when the provider counts more than we do", () => {
    const verdict = shouldCompact({ view: sized(30_000), overflow: "tokens" }, settings)
    expect(verdict).toMatchObject({ compact: true, reason: "overflow", target: { tokens: 21_000 } })
    expect(isWorthIt(sized(30_000), sized(29_000), verdict)).toBe(true)
    const large = shouldCompact({ view: sized(30_000, 500_000), overflow: "bytes" }, settings)
    expect(large).toMatchObject({ reason: "overflow", over: ["bytes"], target: sized(40_000, 350_000) })
  })

  it("finds a plan not worth it that saves too little, and never one that grows", () => {
    const verdict = shouldCompact({ view: sized(90_000) }, settings)
    const isWorth = (after: number): boolean => isWorthIt(sized(90_000), sized(after), verdict)
    expect([isWorth(40_000), isWorth(75_000), isWorth(91_000)]).toEqual([true, false, false])
    const hard = shouldCompact({ view: sized(96_000) }, settings)
    const helps = (after: number): boolean => isWorthIt(sized(96_000), sized(after), hard)
    expect([helps(95_000), helps(96_000)]).toEqual([true, false])
  })

  it("asks a plan to save what there is too much of", () => {
    const before = sized(20_000, 900_000)
    const verdict = shouldCompact({ view: before }, settings)
    const isWorth = (after: Size): boolean => isWorthIt(before, after, verdict)
    expect([isWorth(sized(20_000, 400_000)), isWorth(sized(5_000, 850_000))]).toEqual([true, false])
  })
})

describe("the cost", () => {
  it("is paid back after a few requests when much is saved", () => {
    const { requests } = costOf({ before: 160_000, after: 40_000 }, settings)
    expect(requests).toBeCloseTo((1.25 * 40_000) / (0.1 * 120_000), 5)
  })

  it("counts what the summariser reads and writes, and what stays in the cache", () => {
    const plain = costOf({ before: 160_000, after: 40_000 }, settings).requests
    const asked = { before: 160_000, after: 40_000, summaryInput: 52_000, summaryOutput: 2_000 }
    expect(costOf(asked, settings).requests - plain).toBeCloseTo((52_000 + 5 * 2_000) / 12_000, 5)
    const cheap = settingsFor({ prices: { summary: 0.2 } })
    expect(costOf(asked, cheap).requests - plain).toBeCloseTo((0.2 * 52_000 + 5 * 2_000) / 12_000, 5)
    expect(costOf({ before: 160_000, after: 40_000, prefixKept: 20_000 }, settings).requests).toBeCloseTo(plain / 2, 5)
  })

  it("is never paid back when nothing is saved", () => {
    expect(costOf({ before: 10, after: 10 }, settings).requests).toBe(Number.POSITIVE_INFINITY)
  })
})

describe("a summary", () => {
  /** From trigger to target, where the summariser fills its window and writes as much as it may. */
  const pays = (windowTokens: number, expected: Partial<SettingsChoice> = {}): boolean => {
    const given = settingsFor({ window: { tokens: windowTokens }, ...expected })
    const { target, trigger } = limitsOf(given)
    const verdict = shouldCompact({ view: sized(trigger.tokens + 1) }, given)
    const { windowTokens: read, maxTokens: written } = given.summary
    const asked = { summaryInput: 0.85 * read - written, summaryOutput: written }
    return paysBack({ before: trigger.tokens + 1, after: target.tokens, ...asked }, verdict, given)
  }

  it("pays under the default settings, and not where few requests are expected", () => {
    expect([pays(128_000), pays(200_000), pays(1_000_000)]).toEqual([true, true, true])
    expect([pays(128_000, { gain: { requests: 20 } }), pays(200_000, { gain: { requests: 10 } })]).toEqual([false, false])
    expect(settingsTable["gain.requests"].default).toBeLessThanOrEqual(100)
  })

  it("need not pay at the hard limit, nor for bytes", () => {
    const eager = settingsFor({ window: { tokens: 100_000, reserveTokens: 0, requestBytes: 1_000_000 }, gain: { requests: 0 } })
    const cost = { before: 96_000, after: 95_000, summaryInput: 50_000, summaryOutput: 2_000 }
    expect(paysBack(cost, shouldCompact({ view: sized(96_000) }, eager), eager)).toBe(true)
    expect(paysBack(cost, shouldCompact({ view: sized(20_000, 900_000) }, eager), eager)).toBe(true)
    expect(paysBack(cost, shouldCompact({ view: sized(20_000) }, eager), eager)).toBe(false)
  })
})

describe("the settings", () => {
  it("are chosen by the longest beginning of the model's name", () => {
    const choice = {
      window: { tokens: 50_000 },
      models: { claude: { window: { tokens: 200_000 } }, "claude-opus": { window: { tokens: 1_000_000 }, trigger: { share: 0.5 } } },
    }
    expect(settingsFor(choice, "gpt-5").window.tokens).toBe(50_000)
    expect(settingsFor(choice, "claude-haiku").window.tokens).toBe(200_000)
    expect(settingsFor(choice, "claude-opus-5").window.tokens).toBe(1_000_000)
    expect(settingsFor(choice, "claude-opus-5").trigger.share).toBe(0.5)
    expect(settingsFor()).toEqual(defaultSettings)
  })

  it("that can never work are refused with what would", () => {
    expect(() => settingsFor({ trigger: { share: 0.3 } })).toThrow("Expected target.share < trigger.share <= trigger.hardShare")
    expect(() => settingsFor({ summary: { attempts: 0 } })).toThrow("Expected a whole number from 1 to 10 as summary.attempts, got 0")
    expect(() => settingsFor({ keep: { first: 1.5 } })).toThrow("Expected a whole number")
    expect(() => settingsFor({ models: { "gpt-4o": { window: { tokns: 1 } } as never } })).toThrow(
      "Unknown setting window.tokns. Expected one of window.tokens, window.reserveTokens, window.requestBytes",
    )
    expect(() => settingsFor({ summary: { windowTokens: 3_999 } })).toThrow("Expected a number from 4000 ")
    expect(() => settingsFor({ strategy: "best" as never })).toThrow("summary | generations | digest | mask | window")
    expect(() => settingsFor({ window: { tokens: Number.NaN } })).toThrow("window.tokens")
    expect(() => settingsFor({ keeplast: 3 } as never)).toThrow("Unknown setting keeplast. Expected one of window, trigger, target, ")
    expect(() => settingsFor({ keep: 3 } as never)).toThrow("Expected an object as keep, got 3")
    // @ts-expect-error A name that does not exist is an error of the compiler too.
    expect(() => settingsFor({ window: { windowTokens: 3 } })).toThrow("Unknown setting window.windowTokens")
  })

  it("are all in the guide, with their defaults and reasons", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../../../docs/guides/compaction.md"), "utf8")
    const rows = settingNames.map((name) => {
      const { default: usual, unit, values, what, why } = settingsTable[name]
      const shown = usual === "" ? "none" : typeof usual === "number" ? usual.toLocaleString("en-US") : `\`${usual}\``
      const choice = values === undefined ? "" : ` (${values.map((value) => `\`${value}\``).join(", ")})`
      return `| \`${name}\` | ${shown}${unit === undefined ? "" : ` ${unit}`}${choice} | ${what} | ${why} |`
    })
    const table = ["| setting | default | what it does | why |", "|---|---|---|---|", ...rows].join("\n")
    if (!guide.includes(table))
      expect(guide).toBe(`Expected the table of settings as it is in src/compact/policy/settings.ts:\n\n${table}\n`)
  })
})
