/** A session that was opened: its facts, and the ways to look at it. This file and the library behind it load with the first one. */
import { type Tab, tabs } from "../app/route.ts"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { type History, openBytes, type OpenedFile, readHistory, type Reading } from "../history/open.ts"
import { SearchIndex } from "../history/search.ts"
import type { ListHandle } from "../list/virtual-list.tsx"
import type { Content } from "../source/source.ts"
import { type Folds, FoldsContext } from "../timeline/folded.tsx"
import { Timeline } from "../timeline/timeline.tsx"
import { count, oneLine, phrase, size, translated, visible } from "../words.ts"
import { LensTab } from "../lens/lens-tab.tsx"
import { RepairTab } from "../repair/repair-tab.tsx"
import { WiresTab } from "../wires/wires-tab.tsx"
import { Findings } from "./findings.tsx"
import { isTyping } from "./keys.ts"

const opened = (content: Content): OpenedFile => ("bytes" in content ? openBytes(content.name, content.bytes) : { ...content, bytes: 0 })

const facts = ({ outline, transcript, rows, title, part }: History): readonly string[] => {
  const calls = rows.reduce((sum, row) => sum + row.calls.length, 0)
  const turns = rows.reduce((most, { turn }) => turn ?? most, 0)
  return [
    part.certainty === "certain" ? title : phrase`${title} (likely)`,
    outline?.model ?? "",
    outline?.folder ?? "",
    outline?.startedAt?.slice(0, 16).replace("T", " ") ?? "",
    count(transcript.messages.length, "message"),
    count(turns, "turn"),
    count(calls, "call"),
    ...(outline && outline.compactions.length > 0 ? [phrase`compacted ${count(outline.compactions.length, "time")}`] : []),
  ]
    .filter((fact) => fact !== "")
    .map((fact) => oneLine(fact, 120))
}

const Problems = ({ file }: { readonly file: OpenedFile }) => {
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

const kinds = { active: () => phrase`active path`, abandoned: () => phrase`abandoned branch`, subagent: () => phrase`subagent` } as const

export interface SessionScreen {
  readonly content: Content
  readonly tab: Tab
  readonly part: number
  readonly row: number | undefined
  readonly onTab: (tab: Tab) => void
  readonly onPart: (part: number) => void
  readonly onRow: (row: number) => void
}

const tabTitles: Readonly<Record<Tab, () => string>> = {
  timeline: () => phrase`Timeline`,
  repair: () => phrase`Repair`,
  compaction: () => phrase`Compaction`,
  requests: () => phrase`Requests`,
}

const SessionView = ({ file, content, tab, part, row, onTab, onPart, onRow }: SessionScreen & { readonly file: OpenedFile }) => {
  const [reading, setReading] = useState<Reading>({})
  const chosen = file.parts[part] ?? file.parts[0]
  const history = useMemo(() => (chosen === undefined ? undefined : readHistory(chosen, reading)), [chosen, reading])
  const folds = useMemo<Folds>(() => new Map(), [history])
  const list = useRef<ListHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const [selected, setSelected] = useState(row ?? 0)
  const [finding, setFinding] = useState(-1)
  // Keys may come faster than the page is drawn: what they go on from is known at once.
  const at = useRef({ row: selected, finding })
  const [panel, setPanel] = useState(true)
  const [words, setWords] = useState("")
  const index = useMemo(
    () => (words.trim() === "" || history === undefined ? undefined : new SearchIndex(history.rows)),
    [words.trim() === "", history],
  )
  const hits = useMemo(() => index?.find(words), [index, words])
  const found = useMemo(() => (hits === undefined ? undefined : new Set(hits)), [hits])

  useEffect(() => {
    if (row !== undefined && tab === "timeline") list.current?.show(row, "start")
  }, [history, tab])

  const select = (next: number, where: "start" | "nearest" = "nearest"): void => {
    if (history === undefined) return
    const to = Math.max(0, Math.min(next, history.rows.length - 1))
    at.current.row = to
    setSelected(to)
    onRow(to)
    list.current?.show(to, where)
  }
  const selectFinding = (next: number): void => {
    if (history === undefined || history.findings.length === 0) return
    const to = (next + history.findings.length) % history.findings.length
    at.current.finding = to
    setFinding(to)
    setPanel(true)
    showRow(history.rowOfFinding[to] ?? 0)
  }
  const showRow = (next: number): void => {
    onTab("timeline")
    // The list is there after the next drawing.
    setTimeout(() => select(next, "start"), 0)
  }
  const selectHit = (step: 1 | -1): void => {
    if (hits === undefined || hits.length === 0) return
    const next =
      step > 0 ? (hits.find((each) => each > at.current.row) ?? hits[0]) : (hits.findLast((each) => each < at.current.row) ?? hits.at(-1))
    select(next ?? 0, "start")
  }

  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === "Escape" && isTyping(event)) {
        ;(event.target as HTMLElement).blur()
        return
      }
      // A dialog is in front of it.
      if (isTyping(event) || document.querySelector("dialog[open]")) return
      const actions: Readonly<Record<string, () => void>> = {
        j: () => select(at.current.row + 1),
        k: () => select(at.current.row - 1),
        g: () => select(0, "start"),
        G: () => select(Number.MAX_SAFE_INTEGER),
        n: () => selectFinding(at.current.finding + 1),
        p: () => selectFinding(Math.max(at.current.finding, 0) - 1),
        f: () => setPanel(!panel),
        o: () => list.current?.open(at.current.row),
        1: () => onTab("timeline"),
        2: () => onTab("repair"),
        3: () => onTab("compaction"),
        4: () => onTab("requests"),
        "/": () => search.current?.focus(),
      }
      const action = actions[event.key]
      if (action === undefined) return
      event.preventDefault()
      action()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  })

  if (history === undefined)
    return (
      <div class="empty">
        <h1>{visible(file.name)}</h1>
        <Problems file={file} />
      </div>
    )
  const errors = history.findings.filter(({ severity }) => severity === "error").length
  const { outline } = history
  const title = oneLine(outline?.title ?? chosen?.name ?? file.name.replace(/^.*[\\/]/, ""), 160)
  return (
    <FoldsContext.Provider value={folds}>
      <section class="session">
        <header class="session-head">
          <div class="session-title">
            <h1 title={title}>{title}</h1>
            <p class="facts">{facts(history).join(" · ")}</p>
          </div>
          <div class="session-tools">
            {file.parts.length > 1 && (
              <select aria-label={phrase`Conversation`} value={part} onChange={(event) => onPart(Number(event.currentTarget.value))}>
                {file.parts.map((each, at) => (
                  <option value={at}>{oneLine(each.name ?? phrase`conversation ${at + 1}`, 60)}</option>
                ))}
              </select>
            )}
            {outline !== undefined && outline.paths.length > 1 && (
              <select
                aria-label={phrase`Branch`}
                value={reading.branch ?? ""}
                onChange={(event) => setReading(event.currentTarget.value === "" ? {} : { ...reading, branch: event.currentTarget.value })}
              >
                {outline.paths.map(({ id, kind, title: name, messages }) => (
                  <option value={kind === "active" ? "" : id}>
                    {oneLine(`${kinds[kind]()}: ${count(messages, "message")}${name === undefined ? "" : ` · ${name}`}`, 80)}
                  </option>
                ))}
              </select>
            )}
            <label class="search">
              <span class="hidden">{phrase`Search in this session`}</span>
              <input
                ref={search}
                type="search"
                placeholder={phrase`Search  /`}
                value={words}
                onInput={(event) => setWords(event.currentTarget.value)}
                onKeyDown={(event) => {
                  if (event.key === "Enter") selectHit(event.shiftKey ? -1 : 1)
                }}
              />
              {hits && <span class="search-count">{hits.length}</span>}
            </label>
            <button
              type="button"
              class={`findings-button${errors > 0 ? " has-errors" : ""}`}
              aria-pressed={panel}
              onClick={() => setPanel(!panel)}
            >
              {count(history.findings.length, "finding")}
            </button>
          </div>
        </header>
        <Problems file={file} />
        <div class="tabs" role="tablist" aria-label={phrase`Views`}>
          {tabs.map((each) => (
            <button
              type="button"
              role="tab"
              id={`tab-${each}`}
              aria-selected={tab === each}
              aria-controls="view"
              class="tab-name"
              onClick={() => onTab(each)}
            >
              {tabTitles[each]()}
            </button>
          ))}
        </div>
        <div class="session-body" id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {tab === "repair" && <RepairTab file={file} history={history} argument={content.argument} onRow={showRow} />}
          {tab === "compaction" && <LensTab history={history} onRow={showRow} />}
          {tab === "requests" && <WiresTab history={history} onPlace={(place) => showRow(history.rowOf(place))} />}
          {tab === "timeline" && (
            <Timeline
              history={history}
              list={list}
              selected={selected}
              found={found}
              onSelect={(next) => {
                at.current.row = next
                setSelected(next)
              }}
              onFinding={selectFinding}
            />
          )}
          {tab === "timeline" && panel && (
            <aside class="panel" aria-label={phrase`Findings`}>
              <Findings history={history} selected={finding} onSelect={selectFinding} />
            </aside>
          )}
        </div>
        <footer class="session-foot">
          {file.bytes > 0 ? `${oneLine(file.name, 200)} · ${size(file.bytes)}` : oneLine(file.name, 200)}
        </footer>
      </section>
    </FoldsContext.Provider>
  )
}

export const SessionScreen = ({ content, ...rest }: SessionScreen) => {
  const file = useMemo(() => opened(content), [content])
  return <SessionView file={file} content={content} {...rest} />
}
