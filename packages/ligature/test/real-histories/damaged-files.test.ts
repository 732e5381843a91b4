/**
 * Real session files with damage done to the file itself: lost, torn, glued and repeated records, bytes that are no
 * text, redacted ids, wrong types, pointers to nowhere. Whatever happened to it, a file is opened, keeps its words,
 * gives valid requests, is repaired for good, and moves to other agents. `LIGATURE_DAMAGED_FILES=n` does n times as
 * much, and with larger files.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { convert } from "../../src/convert/index.ts"
import { openDocument } from "../../src/document/index.ts"
import { Choices } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { complaintsAbout } from "./damaged/demands.ts"
import { damageKinds, damages, idDamage } from "./damaged/file-damage.ts"
import { sessionTargets } from "./damaged/moving-demand.ts"
import { formatsRead } from "./damaged/naive-reading.ts"
import { type Original, readOriginal } from "./damaged/original.ts"
import { type SessionText, takeApart } from "./damaged/session-text.ts"

const corpus = process.env["LIGATURE_CORPUS"]
const rounds = Math.max(1, Number(process.env["LIGATURE_DAMAGED_FILES"] ?? 1))
/** Small files are damaged as thoroughly as large ones, and faster. */
const largest = rounds > 1 ? 1_500_000 : 60_000
const filesOfFormat = rounds > 1 ? 100 : 6

if (corpus === undefined) console.log("corpus: skipped, LIGATURE_CORPUS is not set")

/** No real files of Neovate are at hand: those of pi, moved there. */
const movedToNeovate = (): readonly Original[] => {
  const path = join(corpus ?? "", "pi")
  const files = readdirSync(path).filter((file) => statSync(join(path, file)).size <= largest)
  return files.slice(0, filesOfFormat).flatMap((file) => {
    const [part] = openDocument(readFileSync(join(path, file))).parts
    const { records } = part ? convert(part.value, { from: part.format, to: "neovate" }).value : { records: [] }
    const lines = (records as readonly unknown[]).map((record) => JSON.stringify(record))
    const session = takeApart("neovate", lines.join("\n"))
    return session === undefined ? [] : [readOriginal("neovate", session)]
  })
}

const originalsOf = (folder: string): readonly Original[] => {
  if (folder === "neovate") return movedToNeovate()
  const path = join(corpus ?? "", folder)
  if (!existsSync(path)) return []
  const files = readdirSync(path).filter((file) => statSync(join(path, file)).size <= largest)
  const sessions = files.flatMap((file) => takeApart(folder, readFileSync(join(path, file), "utf8")) ?? [])
  return sessions.slice(0, filesOfFormat).map((session) => readOriginal(folder, session))
}

interface Damaged {
  readonly done: readonly string[]
  readonly session: SessionText
}

/** The damage of one case: the kind that is its turn, then up to two more. */
const damaged = (session: SessionText, turn: string, seed: number): Damaged => {
  const choices = new Choices(numbersFromSeed(seed, 100).slice(8))
  const more = Array.from({ length: choices.number(3) }, () => damageKinds[choices.number(damageKinds.length)] ?? turn)
  const done = [turn, ...more]
  return { done, session: done.reduce((now, kind) => damages[kind]?.(now, choices) ?? now, session) }
}

describe.skipIf(corpus === undefined)("damaged session files of the corpus", () => {
  for (const folder of formatsRead) {
    const files = corpus === undefined ? [] : originalsOf(folder)
    const name = `${folder}: are read without loss, valid everywhere, repaired for good and movable`
    it.skipIf(files.length === 0)(name, { timeout: 3_600_000 }, () => {
      const complaints: string[] = []
      for (let round = 0; round < rounds; round++) {
        damageKinds.forEach((turn, index) => {
          const seed = 1 + round * 7919 + index * 104_729
          const original = files[(round + index) % files.length]
          if (original === undefined) return
          const { done, session } = damaged(original.session, turn, seed)
          const targets = [0, 3].flatMap((offset) => sessionTargets[(seed + offset) % sessionTargets.length] ?? [])
          const pairs = !done.some((kind) => idDamage.has(kind))
          for (const complaint of complaintsAbout(original, session, { pairs, targets })) {
            complaints.push(`file ${(round + index) % files.length}, ${done.join(" + ")}, seed ${seed}: ${complaint}`)
          }
        })
      }
      expect(complaints).toEqual([])
    })
  }
})
