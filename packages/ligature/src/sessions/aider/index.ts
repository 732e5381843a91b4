/**
 * `.aider.chat.history.md`: Markdown with many sessions, each under `# aider chat started at …`. Lines `#### ` are what the user
 * typed, lines `> ` with two blanks at the end what the program printed, everything else is the assistant. There are no tools:
 * edits are blocks in the text. Facts are from its sources (aider/io.py, `append_chat_history`, and aider/history.py, version
 * 0.86) and files of versions 0.85 and 0.86. Only read: the file cannot tell a heading of the assistant from a prompt with
 * certainty; prompts end with two blanks.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import type { TextSession } from "../../formats/engine/session.ts"
import { defineSession } from "../engine/define-session.ts"
import { stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { readContent } from "../engine/read-content.ts"
import type { RecordReading } from "../engine/session-format.ts"

const format = "aider"

const opening = /^# aider chat started at (\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})[ \t]*$/

type Speaker = "user" | "assistant" | "program"

const speakerOf = (line: string): Speaker => {
  if (/^#### .* {2}$/.test(line) || /^####\s*$/.test(line)) return "user"
  return /^>(?: .*)? {2}$/.test(line) || line === ">" ? "program" : "assistant"
}

const wordsOf = (line: string, speaker: Speaker): string =>
  speaker === "user" ? line.replace(/^#### ?/, "").replace(/ {2}$/, "") : speaker === "program" ? line.replace(/^> ?/, "").trimEnd() : line

/** Lines of one speaker after another, as one record each. */
const recordsOf = (said: string): readonly Wire[] => {
  const records: { readonly speaker: Speaker; readonly lines: string[] }[] = []
  for (const line of said.split("\n")) {
    const blank = line.trim() === ""
    const speaker = blank ? (records.at(-1)?.speaker ?? "assistant") : speakerOf(line)
    const last = records.at(-1)
    // A blank line ends what the user or the program said.
    if (blank && speaker !== "assistant") continue
    if (last?.speaker === speaker) last.lines.push(wordsOf(line, speaker))
    else records.push({ speaker, lines: [wordsOf(line, speaker)] })
  }
  return records.map(({ speaker, lines }) => ({ speaker, text: lines.join("\n").trim() })).filter((record) => record.text !== "")
}

/** The sessions of a file: those in which nothing was typed are left out, where others have more. */
const fromText = (whole: string): readonly TextSession[] | undefined => {
  const sessions: { startedAt: string; start: number; end: number; line: number; body: number }[] = []
  let [start, line] = [0, 1]
  while (start <= whole.length) {
    const next = whole.indexOf("\n", start)
    const end = next < 0 ? whole.length : next
    const found = whole.charCodeAt(start) === 35 ? opening.exec(whole.slice(start, end).trimEnd()) : null
    if (found)
      sessions.push({ startedAt: `${found[1]}T${found[2]}`, start, end: whole.length, line, body: Math.min(end + 1, whole.length) })
    else if (sessions.length === 0 && whole.slice(start, end).trim() !== "") return undefined
    start = end + 1
    line++
  }
  sessions.forEach((session, index) => (session.end = sessions[index + 1]?.start ?? whole.length))
  const values = sessions.map(({ startedAt, body, ...place }) => ({
    value: { aider: startedAt, text: whole.slice(body, place.end) },
    ...place,
  }))
  const spoken = values.filter(({ value }) => recordsOf(value.text).some(({ speaker }) => speaker !== "program"))
  return values.length === 0 ? undefined : spoken.length > 0 ? spoken : values.slice(0, 1)
}

const read = ({ speaker, text }: Wire): RecordReading =>
  speaker === "user" || speaker === "assistant" ? { messages: [{ role: speaker, blocks: readContent(format, text) }] } : {}

const isSession = (value: unknown): value is Wire =>
  isWire(value) && typeof value["aider"] === "string" && typeof value["text"] === "string"

export const aider = defineSession({
  format,
  title: "aider chat history",
  agent: "aider",
  sources: "Aider-AI/aider aider/io.py and aider/history.py (version 0.86); files of versions 0.85 and 0.86",
  idsRepeat: true,
  capabilities: declareHomes({ native: [] }),
  layout: "value",
  listKey: "lines",
  view: "whole",
  records: (value) => recordsOf(stringOf(wireOf(value)["text"])),
  wrap: (value) => wireOf(value),
  read,
  facts: ({ speaker, text: said }) => ({
    ...(speaker === "program" && {
      agentVersion: /^Aider v(\S+)/m.exec(stringOf(said))?.[1],
      model: textOf(/^(?:Main model|Model): (\S+)/m.exec(stringOf(said))?.[1]),
    }),
  }),
  about: (value) => ({ startedAt: textAt(value, "aider"), id: textAt(value, "aider") }),
  marks: [],
  valueMarks: [
    { certainty: "certain", evidence: "it is Markdown under the heading aider gives each chat", isOn: isSession, suffices: true },
  ],
  fromText,
})
