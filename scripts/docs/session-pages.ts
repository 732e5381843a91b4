/** One page per agent whose sessions are read: how its files look, what is read of them, where a written one goes. */
import { fileValueOf, hasLines, type SessionCodec } from "../../packages/ligature/src/convert/index.ts"
import { sessionCodecs } from "../../packages/ligature/src/registry/sessions.ts"
import { homeRows, sample } from "./format-pages.ts"
import { code, fence, generatedNote, page, table, words } from "./markdown.ts"

const writing = {
  any: "Read and written: sessions of other agents can be moved here.",
  own: "Read and repaired: its own sessions are written back, no others.",
  none: "Read only.",
} as const

const views = {
  whole:
    "By default the whole story of the active path is read, what compactions hide included; `--view effective` " +
    "gives what the agent would send next.",
  effective: "By default what the agent would send next is read, compactions applied; `--view whole` gives all that " + "was said.",
} as const

const names = ({ format, session: { aliases } }: SessionCodec): string => [format, ...aliases].map(code).join(", ")

const recordsShown = 6

/** The sample conversation as a file of this agent; a long one is cut. */
const writtenFile = (codec: SessionCodec): readonly string[] => {
  if (codec.session.writes !== "any") return []
  const encoded = codec.encode(sample, { session: { folder: "/home/me/shop", startedAt: "2026-01-02T03:04:05.000Z" } })
  const value = fileValueOf(codec, encoded)
  const isLines = hasLines(codec, encoded) && Array.isArray(value)
  const lines = isLines ? value.map((record: unknown) => JSON.stringify(record)) : JSON.stringify(value, null, 2).split("\n")
  const most = isLines ? recordsShown : 60
  const shown = lines.length > most ? [...lines.slice(0, most), `… and ${lines.length - most} more lines`] : lines
  const place = codec.session.place?.(value)
  return [
    "## The same conversation as a session of this agent",
    fence(lines.length > most ? "text" : isLines ? "jsonl" : "json", shown.join("\n")),
    ...(place === undefined
      ? []
      : [
          "## Where it goes",
          `${code(place.path)}, then ${/^[a-z]+ /.test(place.resume) && !place.resume.includes("the ") ? code(place.resume) : place.resume}.`,
          ...(place.note === undefined ? [] : [place.note]),
        ]),
  ]
}

const sessionPage = (codec: SessionCodec): string =>
  page(
    generatedNote(`packages/ligature/src/sessions/${codec.format}`),
    `# ${codec.title}`,
    `Sessions of ${codec.session.agent}. Names for \`--from\` and \`--to\`: ${names(codec)}.`,
    writing[codec.session.writes],
    views[codec.session.view],
    `The facts are from: ${codec.session.sources}.`,
    ...writtenFile(codec),
    "## What it can say",
    "● the format has a field for it; ○ it is carried by agreement and comes back when read again; – it has no home " +
      "here and is named in the loss report. [What the names mean](../losses.md).",
    table(["code", "piece of information", "home"], homeRows(codec)),
    "[All formats](README.md) · [Sessions of agents](../guides/sessions.md)",
  )

export const sessionRows = (base: string): readonly (readonly string[])[] =>
  Object.values(sessionCodecs).map((codec) => [
    `[${codec.format}](${base}${codec.format}.md)`,
    codec.session.agent,
    { any: "read, repair, write", own: "read, repair", none: "read" }[codec.session.writes],
    codec.session.view,
    words(codec.session.aliases.map(code)),
  ])

export const sessionPages = (): ReadonlyMap<string, string> =>
  new Map(Object.values(sessionCodecs).map((codec) => [`docs/formats/${codec.format}.md`, sessionPage(codec)]))
