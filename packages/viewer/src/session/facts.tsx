/** What a session says of itself, what is wrong with its file, and the ways to go on with it. */
import type { History, OpenedFile } from "../history/open.ts"
import { count, oneLine, phrase, translated, visible } from "../words.ts"

export const factsOf = ({ outline, transcript, rows, title, part, stored }: History): readonly string[] => {
  const calls = rows.reduce((sum, row) => sum + row.calls.length, 0)
  const turns = rows.reduce((most, { turn }) => turn ?? most, 0)
  return [
    part.certainty === "certain" ? title : phrase`${title} (likely)`,
    outline?.model ?? "",
    outline?.folder ?? "",
    outline?.startedAt?.slice(0, 16).replace("T", " ") ?? (stored ? new Date(stored.created).toLocaleString("sv-SE").slice(0, 16) : ""),
    count(transcript.messages.length, "message"),
    count(turns, "turn"),
    count(calls, "call"),
    ...(outline && outline.compactions.length > 0 ? [phrase`compacted ${count(outline.compactions.length, "time")}`] : []),
  ]
    .filter((fact) => fact !== "")
    .map((fact) => oneLine(fact, 120))
}

export const Problems = ({ file }: { readonly file: OpenedFile }) => {
  if (file.problems.length === 0) return null
  return (
    <ul class="problems">
      {file.problems.slice(0, 8).map(({ what, wayOut, severity }) => (
        <li class={`note-${severity}`}>
          {visible(translated(what))} <span class="quiet">{visible(translated(wayOut))}</span>
        </li>
      ))}
    </ul>
  )
}
