import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  costOf,
  defaultSettings,
  isWorthIt,
  judge,
  limitsOf,
  settingNames,
  settingsFor,
  settingsTable,
} from "../../../src/loop/compaction/index.ts"

const settings = settingsFor({ windowTokens: 100_000, reserveTokens: 0 })

describe("the limits", () => {
  it("are shares of the window without its reserve", () => {
    const { target, trigger, hard } = limitsOf(settingsFor({ windowTokens: 110_000, reserveTokens: 10_000 }))
    expect([target, trigger, hard]).toEqual([40_000, 80_000, 95_000])
  })

  it("aim lower in large windows", () => {
    expect(limitsOf(settingsFor({ windowTokens: 200_000, reserveTokens: 0 })).target).toBe(50_000)
  })

  it("can be met in small windows: the least gain is never more than a quarter", () => {
    const small = settingsFor({ windowTokens: 16_000, reserveTokens: 0 })
    const { trigger, target, minimumGain } = limitsOf(small)
    expect(trigger - target).toBeGreaterThan(minimumGain(trigger))
  })
})

describe("the verdict", () => {
  it("waits below the trigger, compacts above it, and cannot be held back at the hard limit", () => {
    const eager = settingsFor({ windowTokens: 100_000, reserveTokens: 0, expectedRequests: 0 })
    expect(judge({ tokens: 80_000 }, settings)).toMatchObject({ compact: false, reason: "below-trigger" })
    expect(judge({ tokens: 80_001 }, settings)).toMatchObject({ compact: true, reason: "trigger", target: 40_000 })
    expect(judge({ tokens: 80_001 }, eager)).toMatchObject({ compact: false, reason: "does-not-pay" })
    expect(judge({ tokens: 95_001 }, eager)).toMatchObject({ compact: true, reason: "hard-limit" })
  })

  it("does not compact again what has hardly grown since the last time", () => {
    expect(judge({ tokens: 85_000, lastAfter: 70_000 }, settings)).toMatchObject({ compact: false, reason: "too-soon" })
    expect(judge({ tokens: 85_000, lastAfter: 40_000 }, settings)).toMatchObject({ compact: true })
    expect(
      judge({ tokens: 96_000, lastAfter: 90_000 }, settings),
    ).toMatchObject({ compact: true, reason: "hard-limit" })
  })

  it("aims below what was refused when the provider counts more than we do", () => {
    const verdict = judge({ tokens: 30_000, overflow: true }, settings)
    expect(verdict).toMatchObject({ compact: true, reason: "overflow", target: 21_000 })
    expect(isWorthIt(30_000, 29_000, verdict)).toBe(true)
  })

  it("finds a plan not worth it that saves too little, and never one that grows", () => {
    const verdict = judge({ tokens: 90_000 }, settings)
    expect(
      [isWorthIt(90_000, 40_000, verdict), isWorthIt(90_000, 75_000, verdict), isWorthIt(90_000, 91_000, verdict)],
    ).toEqual([true, false, false])
    const hard = judge({ tokens: 96_000 }, settings)
    expect([isWorthIt(96_000, 95_000, hard), isWorthIt(96_000, 96_000, hard)]).toEqual([true, false])
  })
})

describe("the cost", () => {
  it("is paid back after a few requests when much is saved", () => {
    const { requests } = costOf({ before: 160_000, after: 40_000 }, settings)
    expect(requests).toBeCloseTo((1.25 * 40_000) / (0.1 * 120_000), 5)
  })

  it("counts what the summariser reads and writes, and what stays in the cache", () => {
    const plain = costOf({ before: 160_000, after: 40_000 }, settings).requests
    expect(
      costOf(
        { before: 160_000, after: 40_000, summaryInput: 160_000, summaryOutput: 3_000 },
        settings,
      ).requests - plain,
    ).toBeCloseTo(31_000 / 12_000, 5)
    expect(costOf({ before: 160_000, after: 40_000, prefixKept: 20_000 }, settings).requests).toBeCloseTo(plain / 2, 5)
  })

  it("is never paid back when nothing is saved", () => {
    expect(costOf({ before: 10, after: 10 }, settings).requests).toBe(Number.POSITIVE_INFINITY)
  })
})

describe("the settings", () => {
  it("are chosen by the longest beginning of the model's name", () => {
    const choice = {
      windowTokens: 50_000,
      models: { claude: { windowTokens: 200_000 }, "claude-opus": { windowTokens: 1_000_000, triggerShare: 0.5 } },
    }
    expect(settingsFor(choice, "gpt-5").windowTokens).toBe(50_000)
    expect(settingsFor(choice, "claude-haiku").windowTokens).toBe(200_000)
    expect(settingsFor(choice, "claude-opus-5").windowTokens).toBe(1_000_000)
    expect(settingsFor(choice, "claude-opus-5").triggerShare).toBe(0.5)
    expect(settingsFor()).toEqual(defaultSettings)
  })

  it("that can never work are refused with what would", () => {
    expect(() => settingsFor({ triggerShare: 0.3 })).toThrow("Expected targetShare < triggerShare <= hardShare")
    expect(() => settingsFor({ attempts: 0 })).toThrow("Expected a number from 1 to 10 as attempts, got 0")
    expect(() => settingsFor({ strategy: "best" as never })).toThrow("summary | generations | digest | mask | window")
    expect(() => settingsFor({ windowTokens: Number.NaN })).toThrow("windowTokens")
    expect(() => settingsFor({ keeplast: 3 } as never)).toThrow("There is no setting keeplast. Expected one of windowTokens")
  })

  it("are all in the guide, with their defaults and reasons", () => {
    const guide = readFileSync(join(import.meta.dirname, "../../../docs/guides/compaction.md"), "utf8")
    const rows = settingNames.map((name) => {
      const { default: usual, unit, values, what, why } = settingsTable[name]
      const shown = usual === "" ? "none" : typeof usual === "number" ? usual.toLocaleString("en-US") : `\`${usual}\``
      const choice = values === undefined ? "" : ` (${values.map((value) => `\`${value}\``).join(", ")})`
      return `| \`${name}\` | ${shown}${unit === undefined ? "" : ` ${unit}`}${choice} | ${what} | ${why} |`
    })
    const table = ["| setting | default | what it does | why |", "|---|---|---|---|", ...rows].join("\n")
    if (!guide.includes(table)) expect(guide).toBe(
      `Expected the table of settings as it is in src/loop/compaction/settings.ts:\n\n${table}\n`,
    )
  })
})
