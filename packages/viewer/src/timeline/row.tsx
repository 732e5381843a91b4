/** One row of the timeline: a message, or an exchange with its calls joined to their results. */
import type { ComponentChildren } from "preact"
import type { LiveEnd } from "../live/events.ts"
import { changeKinds, ExchangeNotes } from "../live/exchange-notes.tsx"
import type { Block, Diagnostic, ReportEntry, SessionPath } from "../library-types.ts"
import type { Row } from "../history/rows.ts"
import { Markdown } from "../markdown/markdown.tsx"
import { count, oneLine, phrase, size, translated, visible } from "../words.ts"
import { Call, Media } from "./call.tsx"
import { Folded, useFold } from "./folded.tsx"

const Thinking = ({ text, name }: { readonly text: string; readonly name: string }) => {
  const [open, setOpen] = useFold(name)
  if (text.trim() === "") return <p class="thinking-none">{phrase`thinking without text`}</p>
  return (
    <div class="thinking">
      <button type="button" class="thinking-line" aria-expanded={open > 0} onClick={() => setOpen(open > 0 ? 0 : 1)}>
        <span class="thinking-label">{phrase`thinking`}</span>
        {open === 0 && <span class="thinking-text">{oneLine(text, 300)}</span>}
      </button>
      {open > 0 && <Folded name={`${name}:t`} text={text} draw={(shown) => <Markdown text={shown} />} />}
    </div>
  )
}

const BlockView = ({ block, name }: { readonly block: Block; readonly name: string }) => {
  switch (block.type) {
    case "text":
      return <Folded name={name} text={block.text} draw={(shown) => <Markdown text={shown} />} />
    case "thinking":
      return <Thinking text={block.redacted === true ? phrase`(redacted)` : block.text} name={name} />
    case "media":
      return <Media block={block} />
    case "opaque":
      return (
        <div class="opaque">
          <span class="opaque-kind">{oneLine(block.kind, 80)}</span>
          {block.text !== "" && <Folded name={name} text={block.text} />}
        </div>
      )
    case "call":
    case "result":
      return null
  }
}

const Blocks = ({ blocks, name }: { readonly blocks: readonly Block[]; readonly name: string }) => (
  <>
    {blocks.map((block, index) => (
      <BlockView key={index} block={block} name={`${name}:${index}`} />
    ))}
  </>
)

const entryMarks = { safe: "↔", synthetic: "+", demote: "↓", drop: "−" } as const

const repairText = (what: string): string => visible(phrase`Repair: ${translated(what)}`)

const Notes = ({
  row,
  findings,
  onFinding,
}: {
  readonly row: Row
  readonly findings: readonly Diagnostic[]
  readonly onFinding: (index: number) => void
}) => {
  const isTold = (entry: ReportEntry): boolean =>
    row.findings.some((index) => findings[index]?.rule === entry.rule && findings[index].ids.join() === entry.ids.join())
  // What a repair put here because of something elsewhere.
  const others = row.entries.filter((entry) => !isTold(entry)).slice(0, 4)
  if (row.findings.length + others.length === 0) return null
  const shown = row.findings.slice(0, 6)
  return (
    <ul class="notes">
      {shown.map((index) => {
        const finding = findings[index]
        if (finding === undefined) return null
        const change = row.entries.find(({ rule, ids }) => rule === finding.rule && ids.join() === finding.ids.join())
        return (
          <li class={`note note-${finding.severity}`}>
            <button type="button" class="note-line" onClick={() => onFinding(index)}>
              <span class="note-rule">{finding.rule}</span> {visible(translated(finding.what))}
            </button>
            {change && (
              <span class={`note-change change-${change.kind}`}>
                <span aria-hidden="true">{entryMarks[change.kind]}</span> {repairText(change.what)}
              </span>
            )}
          </li>
        )
      })}
      {others.map((entry) => (
        <li class="note">
          <span class="note-rule">{entry.rule}</span> {repairText(entry.what)} <span class="quiet">({changeKinds[entry.kind]()})</span>
        </li>
      ))}
      {row.findings.length > shown.length && (
        <li class="note quiet">{phrase`and ${count(row.findings.length - shown.length, "more finding")}`}</li>
      )}
    </ul>
  )
}

const speakers: Readonly<Record<Row["kind"], () => string>> = {
  system: () => phrase`system`,
  user: () => phrase`user`,
  summary: () => phrase`summary`,
  exchange: () => phrase`assistant`,
}

/** What a system prompt is like at first. */
const System = ({ row, name }: { readonly row: Row; readonly name: string }) => {
  const [open, setOpen] = useFold(name)
  if (row.item.role === "exchange") return null
  const text = row.item.blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n")
  return (
    <>
      <button type="button" class="thinking-line" aria-expanded={open > 0} onClick={() => setOpen(open > 0 ? 0 : 1)}>
        {open === 0 && <span class="thinking-text">{oneLine(text, 300)}</span>}
        <span class="quiet">{open > 0 ? phrase`Show less` : size(text.length)}</span>
      </button>
      {open > 0 && <Blocks blocks={row.item.blocks} name={`${name}:b`} />}
    </>
  )
}

const Content = ({ row, name }: { readonly row: Row; readonly name: string }): ComponentChildren => {
  const { item } = row
  if (item.role !== "exchange")
    return row.kind === "system" ? <System row={row} name={name} /> : <Blocks blocks={item.blocks} name={name} />
  return (
    <>
      <Blocks blocks={item.message.blocks} name={name} />
      {row.calls.length > 0 && (
        <div class="calls">
          {row.calls.map((call, index) => (
            <Call key={index} row={call} name={`${name}:c${index}`} />
          ))}
        </div>
      )}
      {item.reply && (
        <div class="reply">
          <Blocks blocks={item.reply.blocks} name={`${name}:reply`} />
        </div>
      )}
      {item.message.blocks.length === 0 && !item.reply && <p class="quiet">{phrase`(no content)`}</p>}
    </>
  )
}

interface RowView {
  readonly row: Row
  /** What was folded is kept under it. */
  readonly name?: string
  /** Paths that leave this one after the row. */
  readonly forks?: readonly SessionPath[]
  /** What a gateway did to the request that the row answers. */
  readonly exchanges?: readonly LiveEnd[]
  /** What a provider said of it. */
  readonly refusal?: string
  readonly onBranch?: (branch: string) => void
  readonly findings: readonly Diagnostic[]
  readonly onFinding: (index: number) => void
  readonly onSelect: (index: number) => void
}

const worst = (row: Row, findings: readonly Diagnostic[]): string => {
  const severities = row.findings.map((index) => findings[index]?.severity)
  return severities.includes("error") ? "error" : severities.includes("warning") ? "warning" : severities.length > 0 ? "info" : ""
}

/** A branch as a narrow line at the side, which leaves the line of the timeline here. */
const Fork = ({ path, onBranch }: { readonly path: SessionPath; readonly onBranch: ((branch: string) => void) | undefined }) => (
  <div class="fork">
    <svg class="fork-line" width="22" height="26" viewBox="0 0 22 26" aria-hidden="true">
      <path d="M3 0v6c0 8 6 8 12 8" fill="none" stroke="currentColor" stroke-width="1.5" />
      <circle cx="18" cy="14" r="2.5" fill="currentColor" />
    </svg>
    <button type="button" class="fork-name" onClick={() => onBranch?.(path.id)}>
      {phrase`abandoned branch`}: {count(path.messages, "message")}
      {path.title !== undefined && <span class="quiet"> · {oneLine(path.title, 90)}</span>}
    </button>
  </div>
)

export const RowView = ({ row, findings, name, forks, exchanges, refusal, onBranch, onFinding, onSelect }: RowView) => {
  const damage = worst(row, findings)
  return (
    <>
      {row.turn !== undefined && (
        <div class="turn">
          <span>{phrase`turn ${row.turn}`}</span>
        </div>
      )}
      {row.kind === "summary" && <div class="compacted">{phrase`compaction: everything above is summarised`}</div>}
      <article class={`row row-${row.kind}${damage === "" ? "" : ` row-${damage}`}`} onClick={() => onSelect(row.index)}>
        <header class="row-head">
          <span class="speaker">{speakers[row.kind]()}</span>
          <span class="row-number">#{row.index + 1}</span>
        </header>
        <div class="row-body">
          <Content row={row} name={name ?? String(row.index)} />
          <Notes row={row} findings={findings} onFinding={onFinding} />
          {refusal !== undefined && (
            <p class="note note-error refusal">
              <span class="note-rule">{phrase`provider's error`}</span> {oneLine(refusal, 600)}
            </p>
          )}
          {exchanges?.map((exchange) => (
            <ExchangeNotes key={exchange.id} exchange={exchange} />
          ))}
        </div>
      </article>
      {forks?.map((path) => (
        <Fork key={path.id} path={path} onBranch={onBranch} />
      ))}
    </>
  )
}

/** How high a row may be before it was drawn: from its first characters and calls, never from all of its text. */
export const guessHeight = (row: Row): number => {
  const { item } = row
  const blocks = item.role === "exchange" ? [...item.message.blocks, ...(item.reply?.blocks ?? [])] : item.blocks
  let height = 44 + (row.turn === undefined ? 0 : 44)
  if (row.kind === "system") return height + 28
  for (const block of blocks) {
    if (block.type === "text") height += 24 * Math.min(14, Math.ceil(block.text.length / 90)) + 8
    else if (block.type !== "call") height += 28
  }
  return height + 52 * row.calls.length + 40 * Math.min(6, row.findings.length)
}
