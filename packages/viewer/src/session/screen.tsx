/** A session that was opened, and the ways to look at it. This file and the library behind it load with the first one. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Boundary } from "../app/boundary.tsx"
import { type Tab, tabs, writeRoute } from "../app/route.ts"
import { type History, openContent, type OpenedFile, readHistory, type Reading } from "../history/open.ts"
import { SearchIndex, wordsOf } from "../history/search.ts"
import { type Subagent, subagentsOf } from "../history/subagents.ts"
import type { ListHandle } from "../list/virtual-list.tsx"
import type { LensTab } from "../lens/lens-tab.tsx"
import { isOver } from "../live/events.ts"
import { exchangesByRow } from "../live/place.ts"
import { useFeed } from "../live/use-feed.ts"
import { RepairTab } from "../repair/repair-tab.tsx"
import type { Content, Source } from "../source/source.ts"
import { type TimelineContext as Context, TimelineContext } from "../timeline/context.ts"
import { type Folds, FoldsContext } from "../timeline/folded.tsx"
import { Timeline } from "../timeline/timeline.tsx"
import { usePin } from "../wires/pin.ts"
import { WiresTab } from "../wires/wires-tab.tsx"
import { count, oneLine, phrase, size, visible } from "../words.ts"
import { Problems } from "./facts.tsx"
import { Findings } from "./findings.tsx"
import { Head, PathChoice } from "./head.tsx"
import { isTyping } from "./keys.ts"
import { timed, timedUntilDrawn } from "./timed.ts"

export interface SessionScreen {
  readonly content: Content
  readonly source: Source
  readonly tab: Tab
  readonly part: number
  readonly row: number | undefined
  readonly branch: string | undefined
  /** What is looked for at first. */
  readonly find: string
  readonly onTab: (tab: Tab) => void
  readonly onPart: (part: number) => void
  readonly onRow: (row: number) => void
  readonly onBranch: (branch: string | undefined) => void
}

const tabTitles: Readonly<Record<Tab, () => string>> = {
  timeline: () => phrase`Timeline`,
  repair: () => phrase`Repair`,
  compaction: () => phrase`Compaction`,
  requests: () => phrase`Requests`,
}

/** Rows that have all words, found as one writes. */
const useSearch = (history: History | undefined, first: string) => {
  const [words, setWords] = useState(first)
  const isEmpty = words.trim() === ""
  const index = useMemo(
    () => (isEmpty || history === undefined ? undefined : timed("index", () => new SearchIndex(history.rows))),
    [isEmpty, history],
  )
  const hits = useMemo(() => index && timed("search", () => index.find(words)), [index, words])
  const found = useMemo(() => (hits === undefined ? undefined : new Set(hits)), [hits])
  const terms = useMemo(() => wordsOf(words), [words])
  return { words, setWords, hits, found, terms }
}

/** The compaction lens loads with its tab: meters and strategies are a third of the library. */
const useLens = (isShown: boolean): typeof LensTab | undefined => {
  const [lens, setLens] = useState<{ readonly Tab: typeof LensTab }>()
  useEffect(() => {
    if (isShown) void import("../lens/lens-tab.tsx").then(({ LensTab: Tab }) => setLens({ Tab }))
  }, [isShown])
  return lens?.Tab
}

/** What calls know of the sub-agents they started, and how those are read. */
const useSubagents = (
  history: History | undefined,
  file: OpenedFile,
  source: Source,
  onBranch: (branch: string) => void,
): { readonly context: Context | undefined; readonly others: readonly Subagent[] } =>
  useMemo(() => {
    if (history === undefined) return { context: undefined, others: [] }
    const { ofCall, others } = subagentsOf(history, file.children)
    const read = async (subagent: Subagent): Promise<History> => {
      if (subagent.kind === "path") return readHistory(history.part, { branch: subagent.path.id })
      const { parts } = openContent(await source.open(subagent.child.id, new AbortController().signal))
      const [part] = parts
      if (part === undefined) throw new Error(phrase`It has no conversation.`)
      return readHistory(part)
    }
    const goTo = (subagent: Subagent): void => {
      if (subagent.kind === "path") onBranch(subagent.path.id)
      else location.hash = writeRoute({ session: subagent.child.id, tab: "timeline", part: 0 })
    }
    return { context: { subagentOf: ofCall, read, goTo }, others }
  }, [history, file])

const SessionView = (given: SessionScreen & { readonly file: OpenedFile }) => {
  const { file, content, source, tab, part, row, branch, find, onTab, onPart, onRow, onBranch } = given
  const [chosen, setChosen] = useState<Omit<Reading, "branch">>({})
  const reading = useMemo((): Reading => ({ ...chosen, ...(branch !== undefined && { branch }) }), [chosen, branch])
  const shownPart = file.parts[part] ?? file.parts[0]
  const history = useMemo(
    () => (shownPart === undefined ? undefined : readHistory(shownPart, reading, file.stored)),
    [shownPart, reading, file],
  )
  useLayoutEffect(timedUntilDrawn, [history])
  const path = `${part}:${branch ?? ""}:${chosen.view ?? ""}`
  const folds = useMemo<Folds>(() => new Map(), [path])
  const list = useRef<ListHandle>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const [selected, setSelected] = useState(row ?? 0)
  const [finding, setFinding] = useState(-1)
  // Keys may come faster than the page is drawn: what they go on from is known at once.
  const at = useRef({ row: selected, finding })
  // On a narrow screen it takes room from what there is to read.
  const [panel, setPanel] = useState(() => (history?.findings.length ?? 0) > 0 || matchMedia("(min-width: 821px)").matches)
  const search = useSearch(history, find)
  const { context, others } = useSubagents(history, file, source, onBranch)
  useFeed(source.live)
  const pin = usePin(history)
  const Lens = useLens(tab === "compaction")
  const exchanges = useMemo(() => (file.stored && source.live ? source.live.of(file.stored.id) : []), [file, source.live?.exchanges.length])
  const told = useMemo(() => (history ? exchangesByRow(history, exchanges) : new Map()), [history, exchanges])
  const running = exchanges.filter((each) => !isOver(each))

  useEffect(() => {
    if (row !== undefined && tab === "timeline") list.current?.show(row, "start")
  }, [path, tab])
  // From a search in all sessions to what it found.
  useEffect(() => {
    const [hit] = search.hits ?? []
    if (row === undefined && hit !== undefined && tab === "timeline") select(hit, "start")
  }, [])
  // A link to another row of what is shown already.
  useEffect(() => {
    if (row === undefined || row === at.current.row) return
    at.current.row = row
    setSelected(row)
    if (tab === "timeline") list.current?.show(row, "start")
  }, [row])
  useEffect(() => {
    document.title = `${history?.outline?.title ?? file.stored?.title ?? file.name.replace(/^.*[\\/]/, "")} · Ligature`
  }, [history, file])

  const select = (next: number, where: "start" | "nearest" = "nearest"): void => {
    if (history === undefined) return
    const to = Math.max(0, Math.min(next, history.rows.length - 1))
    at.current.row = to
    setSelected(to)
    onRow(to)
    list.current?.show(to, where)
  }
  const showRow = (next: number): void => {
    onTab("timeline")
    // The list is there after the next drawing.
    setTimeout(() => select(next, "start"), 0)
  }
  const selectFinding = (next: number): void => {
    if (history === undefined || history.findings.length === 0) return
    const to = (next + history.findings.length) % history.findings.length
    at.current.finding = to
    setFinding(to)
    setPanel(true)
    showRow(history.rowOfFinding[to] ?? 0)
  }
  const selectHit = (step: 1 | -1): void => {
    const { hits } = search
    if (hits === undefined || hits.length === 0) return
    const next =
      step > 0 ? (hits.find((each) => each > at.current.row) ?? hits[0]) : (hits.findLast((each) => each < at.current.row) ?? hits.at(-1))
    showRow(next ?? 0)
  }
  const onFindingStable = useCallback((next: number) => selectFinding(next), [history])

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
        "/": () => searchField.current?.focus(),
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
        {file.problems.length === 0 && <p>{phrase`There is no conversation in it.`}</p>}
        {source.read === undefined && (
          <p class="quiet">{phrase`On the command line, ${"ligature view FILE"} also opens databases and compressed files.`}</p>
        )}
        {source.sessions && <a href="#/">{phrase`Back to the list`}</a>}
      </div>
    )
  return (
    <FoldsContext.Provider value={folds}>
      <TimelineContext.Provider value={context}>
        <section class="session">
          <Head
            file={file}
            history={history}
            reading={reading}
            panel={panel}
            search={{
              field: searchField,
              words: search.words,
              hits: search.hits,
              at: selected,
              onWords: search.setWords,
              onNext: selectHit,
            }}
            onBranch={onBranch}
            onPanel={() => setPanel(!panel)}
          />
          <Problems file={file} />
          <div class="tab-row">
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
            <PathChoice
              file={file}
              history={history}
              part={part}
              reading={reading}
              others={others}
              onPart={onPart}
              onBranch={onBranch}
              onReading={(change) => setChosen({ ...chosen, ...change })}
            />
          </div>
          <div class="session-body" id="view" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            <Boundary key={`${tab}:${path}`}>
              {tab === "repair" && <RepairTab file={file} history={history} argument={content.argument} onRow={showRow} />}
              {tab === "compaction" &&
                (Lens ? (
                  <Lens history={history} onRow={showRow} />
                ) : (
                  <p class="loading" role="status">
                    {phrase`Reading…`}
                  </p>
                ))}
              {tab === "requests" && <WiresTab history={history} pin={pin} onPlace={(place) => showRow(history.rowOf(place))} />}
              {tab === "timeline" && (
                <Timeline
                  key={path}
                  history={history}
                  list={list}
                  selected={selected}
                  found={search.found}
                  words={search.terms}
                  pin={pin}
                  exchanges={told}
                  running={
                    running.length > 0 && (
                      <p class="running" role="status">
                        {phrase`${count(running.length, "request")} running…`}
                      </p>
                    )
                  }
                  onBranch={onBranch}
                  onSelect={(next) => {
                    at.current.row = next
                    setSelected(next)
                  }}
                  onFinding={onFindingStable}
                />
              )}
              {tab === "timeline" && panel && (
                <aside class="panel" aria-label={phrase`Findings`}>
                  <Findings
                    history={history}
                    selected={finding}
                    profile={chosen.profile}
                    onRepair={() => onTab("repair")}
                    onSelect={selectFinding}
                    onProfile={(profile) => {
                      at.current.finding = -1
                      setFinding(-1)
                      const { profile: _, ...rest } = chosen
                      setChosen(profile === undefined ? rest : { ...rest, profile })
                    }}
                  />
                </aside>
              )}
            </Boundary>
          </div>
          <footer class="session-foot">
            {file.bytes > 0 ? `${oneLine(file.name, 200)} · ${size(file.bytes)}` : oneLine(file.name, 200)}
          </footer>
        </section>
      </TimelineContext.Provider>
    </FoldsContext.Provider>
  )
}

export const SessionScreen = (given: SessionScreen) => {
  const file = useMemo(() => timed("parse", () => openContent(given.content)), [given.content])
  return <SessionView file={file} {...given} />
}
