/** A call and its result, joined: one line with the outcome, and everything when it is opened. */
import type { ComponentChildren } from "preact"
import { useContext } from "preact/hooks"
import { argumentsLine, blockSize, mediaNote, resultText } from "../library.ts"
import type { Block, CallBlock, MediaBlock, OutcomeKind } from "../library-types.ts"
import type { CallRow } from "../history/rows.ts"
import { oneLine, phrase, size, visible } from "../words.ts"
import { briefEdit, type DiffLine, editOf } from "./edits.ts"
import { SoughtContext, TimelineContext } from "./context.ts"
import { Folded, useFold } from "./folded.tsx"
import { SubagentView } from "./subagent.tsx"

export const outcomeMarks: Readonly<Record<OutcomeKind, string>> = {
  done: "✓",
  failed: "✗",
  pending: "…",
  interrupted: "!",
  "not-run": "⊘",
  lost: "?",
}

const outcomeNames: Readonly<Record<OutcomeKind, () => string>> = {
  done: () => phrase`done`,
  failed: () => phrase`failed`,
  pending: () => phrase`pending`,
  interrupted: () => phrase`interrupted`,
  "not-run": () => phrase`not-run`,
  lost: () => phrase`lost`,
}

export const outcomeName = (kind: OutcomeKind): string => outcomeNames[kind]()

export const OutcomeMark = ({ kind, generated }: { readonly kind: OutcomeKind; readonly generated: boolean }) => {
  const name = generated ? phrase`${outcomeName(kind)} (generated)` : outcomeName(kind)
  return (
    <span class={`mark mark-${kind}${generated ? " mark-generated" : ""}`} role="img" aria-label={name} title={name}>
      {outcomeMarks[kind]}
    </span>
  )
}

const drawable = /^image\/(?:png|jpeg|gif|webp|avif)$/
const base64 = /^[A-Za-z0-9+/=\s]*$/

/** Images that are in the file itself. Nothing is fetched. */
export const Media = ({ block }: { readonly block: MediaBlock }) => {
  const { source, mediaType = "" } = block
  const note = visible(mediaNote(block))
  if (block.kind !== "image" || source.type !== "base64" || !drawable.test(mediaType) || !base64.test(source.data))
    return <p class="media-note">{note}</p>
  return (
    <figure class="media">
      <img src={`data:${mediaType};base64,${source.data}`} alt={note} loading="lazy" />
      <figcaption>{note}</figcaption>
    </figure>
  )
}

const DiffLines = ({ lines, name }: { readonly lines: readonly DiffLine[]; readonly name: string }) => {
  const [all, setAll] = useFold(name)
  const shown = all > 0 ? lines.slice(0, 5_000) : lines.slice(0, 24)
  return (
    <>
      <pre class="diff" tabIndex={0} aria-label={phrase`edit`}>
        {shown.map(({ kind, text }) => (
          <span class={`diff-${kind}`}>{`${kind === "added" ? "+" : kind === "removed" ? "−" : " "} ${visible(text)}\n`}</span>
        ))}
      </pre>
      {shown.length < lines.length && (
        <button type="button" class="fold" onClick={() => setAll(1)}>
          {phrase`Show all ${lines.length} lines`}
        </button>
      )}
    </>
  )
}

const written = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? ""))

const Arguments = ({ call, name }: { readonly call: CallBlock; readonly name: string }) => {
  const edit = editOf(call)
  if (call.fault !== undefined && call.raw !== undefined) return <Folded name={`${name}:raw`} text={call.raw} tone="bad" />
  const entries = Object.entries(call.arguments)
  const shown =
    edit === undefined
      ? entries
      : entries.filter(([, value]) => typeof value !== "object" && written(value).length < 200 && !written(value).includes("\n"))
  return (
    <>
      {shown.length > 0 && (
        <dl class="arguments">
          {shown.map(([key, value]) => (
            <>
              <dt>{visible(key)}</dt>
              <dd>
                <Folded name={`${name}:${key}`} text={written(value)} />
              </dd>
            </>
          ))}
        </dl>
      )}
      {edit && <DiffLines lines={edit} name={`${name}:edit`} />}
    </>
  )
}

const places = ["file_path", "filePath", "path", "absolute_path", "target_file", "filename"] as const
const commands = ["command", "cmd"] as const

/** What matters most comes first: the file of an edit and how much of it changes, the command that runs. */
const summaryOf = (call: CallBlock): string => {
  const textOf = (names: readonly string[]): string | undefined => {
    const name = names.find((each) => typeof call.arguments[each] === "string")
    return name === undefined ? undefined : (call.arguments[name] as string)
  }
  if (call.fault !== undefined) return argumentsLine(call)
  const edit = briefEdit(call)
  const place = textOf(places)
  if (edit) return `${place === undefined ? "" : `${oneLine(place, 200)}  `}+${edit.added} −${edit.removed}`
  const command = textOf(commands)
  if (command === undefined) return argumentsLine(call)
  const about = textOf(["description"])
  return `${oneLine(command, 300)}${about === undefined ? "" : `  # ${oneLine(about, 100)}`}`
}

/** Longer texts are not looked through while rows are drawn. */
const mostLookedThrough = 1_000_000

/** The beginning of an output, or what is around the word that is looked for, where that comes later. */
const previewOf = (output: string, words: readonly string[]): string => {
  if (words.length === 0 || output.length > mostLookedThrough) return oneLine(output.slice(0, 2_000), 300)
  const lower = output.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0))
  if (!Number.isFinite(first) || first < 80) return oneLine(output.slice(0, 2_000), 300)
  return `… ${oneLine(output.slice(first - 40, first + 400).toWellFormed(), 300)}`
}

/** Blocks of a result that are not its text. */
const others = (content: readonly Block[]): ComponentChildren =>
  content.map((block) =>
    block.type === "media" ? (
      <Media block={block} />
    ) : block.type === "opaque" && block.text !== "" ? (
      <p class="media-note">{visible(block.text)}</p>
    ) : null,
  )

export const Call = ({
  row: { call, outcome },
  name,
  notes,
}: {
  readonly row: CallRow
  readonly name: string
  readonly notes?: ComponentChildren
}) => {
  const [open, setOpen] = useFold(name)
  const subagent = useContext(TimelineContext)?.subagentOf(call)
  const { kind, result } = outcome
  const generated = result?.synthetic !== undefined
  const output = result === undefined ? "" : resultText(result)
  const words = useContext(SoughtContext)
  const line = generated ? phrase`no result in the file` : previewOf(output, words)
  const brief = briefEdit(call)
  const bytes = result === undefined || generated ? 0 : blockSize(result)
  const images = result?.content.some(({ type }) => type === "media") === true
  return (
    <div class={`call call-${kind}${generated ? " call-generated" : ""}`} data-call={call.id}>
      <button type="button" class="call-line" aria-expanded={open > 0} onClick={() => setOpen(open > 0 ? 0 : 1)}>
        <OutcomeMark kind={kind} generated={generated} />
        <span class="call-name">{oneLine(call.name, 80) || phrase`(no name)`}</span>
        <span class="call-arguments">{summaryOf(call)}</span>
        <span class="call-size">{bytes > 0 ? size(bytes) : ""}</span>
      </button>
      {open === 0 && brief && brief.lines.length > 0 && <DiffLines lines={brief.lines} name={`${name}:b`} />}
      {open === 0 && (line !== "" || images) && <div class="call-preview">{line === "" ? phrase`(media)` : line}</div>}
      {open > 0 && (
        <div class="call-whole">
          <Arguments call={call} name={`${name}:a`} />
          <div class="result-head">
            <span>{generated ? phrase`${outcomeName(kind)} (generated)` : outcomeName(kind)}</span>
            <code>{oneLine(call.id, 80)}</code>
          </div>
          {output !== "" && <Folded name={`${name}:r`} text={output} tone={kind === "failed" ? "bad" : ""} />}
          {result && others(result.content)}
        </div>
      )}
      {open === 0 && images && result && <div class="call-images">{others(result.content.filter(({ type }) => type === "media"))}</div>}
      {subagent && <SubagentView subagent={subagent} name={`${name}:s`} />}
      {notes}
    </div>
  )
}
