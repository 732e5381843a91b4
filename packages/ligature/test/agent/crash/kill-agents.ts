/** The deaths, in turn: at every boundary of a write, at every call to the system, and at any time. */
import { rmSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { numbersFromSeed } from "../../../src/testing/damage.ts"
import { apis } from "../run/agent.ts"
import { bundle, type CrashHome, CrashWorld, type Death } from "./harness.ts"

export interface KillOptions {
  /** How many deaths, unless the environment says more. */
  readonly kills: number
  readonly makeHome: () => Promise<CrashHome>
}

/** A conversation is used for so many deaths; then a new one begins. */
const livesPerHome = 12
/** Agents that live at the same time, each in a home of its own. */
const lanes = 2

const moments = ["ready", "ids", "tool", "tool"] as const

/** Which death comes next. Boundaries of the store come first, each before and after, until a run comes to its end. */
class Deaths {
  readonly #numbers: readonly number[]
  #boundary = 0
  #call = 0
  lives = 0

  constructor(seed: number, count: number) {
    this.#numbers = numbersFromSeed(seed, count)
  }

  next(kind: CrashHome["kind"]): Death {
    const life = this.lives++
    const number = this.#numbers[(life * 2) % this.#numbers.length] ?? 0
    const other = this.#numbers[(life * 2 + 1) % this.#numbers.length] ?? 0
    if (this.#boundary >= 0) {
      const at = this.#boundary++
      return { layer: "store", at: at >> 1, when: at % 2 === 0 ? "before" : "after" }
    }
    if (kind === "jsonl" && life % 2 === 0) {
      // 211 is prime: given enough lives, every call to the system is the last one.
      this.#call = (this.#call + 37) % 211
      return { layer: "files", at: this.#call, share: (other % 100) / 100 }
    }
    return { layer: "time", after: moments[other % moments.length] ?? "ready", ms: (number % 1_000) / 25 }
  }

  /** A run came to its end: after this there are no boundaries. In long runs they all come again. */
  completed(): void {
    this.#boundary = this.#boundary < 0 && this.lives % 7 === 0 ? 0 : -1
  }
}

export const killAgents = ({ kills: usual, makeHome }: KillOptions): void => {
  const kills = Number(process.env["LIGATURE_KILLS"] ?? usual)
  const seed = Number(process.env["LIGATURE_KILL_SEED"] ?? 11)
  let parts = ""
  let root = ""

  beforeAll(async () => {
    ;({ file: parts, root } = await bundle())
  }, 120_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  describe("an agent that is killed", () => {
    it(`goes on as if nothing had been lost, ${kills} times`, { timeout: 120_000 + kills * 4_000 }, async () => {
      const deaths = new Deaths(seed, kills * 4)
      const sums = { killed: 0, completed: 0, interrupted: 0, kept: 0 }
      const enough = (): boolean => sums.killed >= kills || deaths.lives >= kills * 3

      const liveInOneHome = async (): Promise<void> => {
        const world = new CrashWorld(parts, await makeHome())
        try {
          for (let life = 0; life < livesPerHome && !enough(); life++) {
            const death = deaths.next(world.home.kind)
            const api = apis[deaths.lives % apis.length] ?? "anthropic"
            // Each API in turn with calls as the API has them, and with calls in text.
            const style = deaths.lives % 8 < 4 ? "json" : "xml"
            const completed = await world.live(api, death, { approval: deaths.lives % 3 === 0, style })
            sums[completed ? "completed" : "killed"]++
            if (completed) deaths.completed()
            if (deaths.lives % 100 === 0) process.stdout.write(`so far: ${JSON.stringify({ lives: deaths.lives, ...sums })}\n`)
          }
          sums.interrupted += world.interrupted
          sums.kept += world.kept
        } finally {
          await world.dispose()
        }
      }

      await Promise.all(
        Array.from({ length: lanes }, async () => {
          while (!enough()) await liveInOneHome()
        }),
      )
      expect(sums.killed).toBeGreaterThanOrEqual(kills)
      expect(sums.kept).toBeGreaterThan(0)
      process.stdout.write(`agents killed: ${JSON.stringify({ lives: deaths.lives, ...sums })}\n`)
    })
  })
}
