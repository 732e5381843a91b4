/**
 * A stretch of a long file of JSON lines: what `splitValues` finds in a whole text, gathered line by line by a reader
 * that cannot hold the text.
 */

import { phrase } from "../model/index.ts"
import type { RecordPulse } from "../formats/engine/session.ts"
import { isList, isObject, member } from "../json/json-value.ts"
import { splitLines, tornLine, type Split, type TornLine, type Unit } from "../json/split-values.ts"
import { likenessOf } from "./message-list.ts"
import { problem, type Problem } from "../json/problem.ts"
import { recogniseSession } from "./session-parts.ts"
import { findSession } from "../registry/registry.ts"

export class RecordStretch {
  readonly #units: Unit[] = []
  readonly #torn: TornLine[] = []
  readonly #problems: Problem[] = []
  bytes = 0

  /** The values of a line. Damage is noted here; the values are the caller's to add, here or to the next stretch. */
  read(text: string, line: number, isUtf8: boolean): readonly Unit[] {
    this.#notTheLast()
    if (!isUtf8) {
      const wayOut = phrase`Such bytes are read as U+FFFD; keep the original file.`
      this.#problems.push(problem("invalid-utf8", phrase`Line ${line} is not valid UTF-8.`, wayOut, { line }))
    }
    const clean = this.#cleaned(text, line)
    const { units, torn, problems } = splitLines(clean, line)
    for (const one of torn) this.#torn.push(one)
    for (const one of problems) this.#problems.push(one)
    return units
  }

  add(unit: Unit, bytes: number): void {
    this.#units.push(unit)
    this.bytes += bytes
  }

  get split(): Split {
    return { syntax: "jsonl", units: this.#units, torn: this.#torn, problems: this.#problems }
  }

  /** A torn line was taken for the last of the file until another came. */
  #notTheLast(): void {
    const last = this.#problems.at(-1)
    if (last?.kind !== "torn-last-line") return
    const { line = 0, column } = last
    this.#problems[this.#problems.length - 1] = tornLine({ line, ...(column === undefined ? {} : { column }) })
  }

  #cleaned(text: string, line: number): string {
    let clean = text
    if (clean.charCodeAt(0) === 0xfeff) {
      const what = line === 1 ? phrase`The file starts with a byte order mark.` : phrase`Line ${line} starts with a byte order mark.`
      this.#problems.push(problem("bom", what, phrase`Nothing to do: it is skipped on reading.`, { line }))
      clean = clean.replace(/^\ufeff+/, "")
    }
    if (!clean.includes("\0")) return clean
    const wayOut = phrase`They are read as spaces. A run of them usually means a crash while writing: look for a backup.`
    this.#problems.push(problem("nul", phrase`Line ${line} has NUL bytes, which JSON does not allow.`, wayOut, { line }))
    return clean.replaceAll("\0", " ")
  }
}

/** A message list on lines may be cut where the user speaks; lines that are whole requests may be cut anywhere. */
const plainPulse = (record: unknown): RecordPulse => {
  if (likenessOf(record) === undefined) return { starts: true }
  const content = member(record, "content")
  const hasResult = isList(content) && content.some((block) => isObject(block) && block["type"] === "tool_result")
  return member(record, "role") === "user" && !hasResult ? { starts: true } : {}
}

/** How the records of this file are to be followed, judged by its first stretch. */
export function pulseOf(split: Split, { from }: { readonly from?: string }): (record: unknown) => RecordPulse {
  const named = from === undefined ? undefined : findSession(from)
  return (named ?? recogniseSession(split)?.codec)?.session.pulse ?? plainPulse
}
