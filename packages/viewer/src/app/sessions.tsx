/** The sessions of all agents on this machine, each with its health as it becomes known, and the way to go on with it. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { CopyButton } from "../session/copy-button.tsx"
import { isTyping } from "../session/keys.ts"
import type { Hit, SessionEntry, Source } from "../source/source.ts"
import { count, oneLine, phrase, size, translated } from "../words.ts"
import { type Choice, chosen, orders, type OrderName, states, stateNames } from "./choose.ts"

const day = (milliseconds: number): string => {
  const date = new Date(milliseconds)
  const two = (number: number): string => String(number).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

/** A command can be copied; what is clicked can be read. */
const isCommand = (resume: string): boolean => /^(?:cd |[a-z]+ (?:--|resume ))/.test(resume)

interface EntryProperties {
  readonly entry: SessionEntry
  readonly hit: Hit | undefined
  readonly onOpen: (id: string, tab?: "repair", find?: string) => void
}

const Entry = ({ entry, hit, onOpen }: EntryProperties) => {
  const { id, state, causes = [], resume } = entry
  const isIll = state === "errors" || state === "warnings"
  return (
    <li class="session-item">
      <button type="button" class="session-entry" onClick={() => onOpen(id)}>
        <span
          class={`dot dot-${state ?? "unknown"}`}
          role="img"
          aria-label={state === undefined ? phrase`not examined yet` : stateNames[state]()}
        />
        <span class="entry-title">{oneLine(entry.title ?? entry.session ?? entry.file, 200)}</span>
        <span class="entry-facts">
          <span class="entry-agent">{entry.agent}</span>
          {entry.project !== undefined && <span class="entry-project">{oneLine(entry.project, 200)}</span>}
          <span>{day(entry.modified)}</span>
          {entry.bytes !== undefined && <span>{size(entry.bytes)}</span>}
          {entry.messages !== undefined && <span>{count(entry.messages, "message")}</span>}
        </span>
        {isIll && (
          <span class={`entry-state entry-${state}`}>
            {stateNames[state]()}
            {causes.length > 0 && `: ${causes.map(translated).join("; ")}`}
          </span>
        )}
        {hit && (
          <span class="entry-excerpt">
            {oneLine(hit.excerpt, 240)} <span class="quiet">×{hit.times}</span>
          </span>
        )}
      </button>
      <div class="entry-actions">
        {isIll && (
          <button type="button" class="small-button" onClick={() => onOpen(id, "repair")}>
            {phrase`Repair`}
          </button>
        )}
        {resume !== undefined &&
          (isCommand(resume) ? (
            <CopyButton text={resume} label={phrase`Copy resume command`} title={resume} />
          ) : (
            <span class="quiet entry-resume">{oneLine(resume, 80)}</span>
          ))}
      </div>
    </li>
  )
}

interface SessionsProperties {
  readonly source: Source
  /** `find`: what its contents were found by. */
  readonly onOpen: (id: string, tab?: "repair", find?: string) => void
}

/** What a page shows at first; a click shows as many again. */
const page = 300

/** The choice outlives a look at a session. */
let remembered: Choice = { words: "", agent: "", state: "", order: "newest" }
let known: ReadonlyMap<string, SessionEntry> = new Map()

export const Sessions = ({ source, onOpen }: SessionsProperties) => {
  const [entries, setEntries] = useState<readonly SessionEntry[]>([...known.values()])
  const [isDone, setDone] = useState(false)
  const [error, setError] = useState("")
  const [choice, setChoice] = useState(remembered)
  const [hits, setHits] = useState<ReadonlyMap<string, Hit>>()
  const [isSearching, setSearching] = useState(false)
  const [most, setMost] = useState(page)
  const search = useRef<AbortController>(undefined)
  const list = useRef<HTMLUListElement>(null)
  const filter = useRef<HTMLInputElement>(null)

  const choose = (change: Partial<Choice>): void => {
    remembered = { ...choice, ...change }
    setChoice(remembered)
    setMost(page)
  }
  useEffect(() => {
    const stop = new AbortController()
    source
      .sessions?.((added) => {
        const next = new Map(known)
        for (const entry of added) next.set(entry.id, { ...next.get(entry.id), ...entry })
        known = next
        setEntries([...next.values()])
      }, stop.signal)
      .then(
        () => setDone(true),
        (failure: unknown) => {
          if (!stop.signal.aborted) setError(failure instanceof Error ? failure.message : String(failure))
        },
      )
    return () => {
      stop.abort()
      search.current?.abort()
    }
  }, [source])

  const searchContents = (words: string): void => {
    search.current?.abort()
    setHits(undefined)
    setSearching(false)
    if (words.trim() === "" || !source.search) return
    const stop = new AbortController()
    search.current = stop
    const found = new Map<string, Hit>()
    setHits(found)
    setSearching(true)
    source
      .search(
        words.trim(),
        (hit) => {
          found.set(hit.id, hit)
          setHits(new Map(found))
        },
        stop.signal,
      )
      .catch((failure: unknown) => {
        if (!stop.signal.aborted) setError(failure instanceof Error ? failure.message : String(failure))
      })
      .finally(() => {
        if (search.current === stop) setSearching(false)
      })
  }

  const step = (by: number): void => {
    const all = [...(list.current?.querySelectorAll<HTMLElement>(".session-entry") ?? [])]
    const at = all.indexOf(document.activeElement as HTMLElement)
    all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus()
  }
  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return
      if (isTyping(event)) {
        if (event.key === "Escape" || event.key === "ArrowDown") step(1)
        return
      }
      const by = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key]
      if (by !== undefined) step(by)
      else if (event.key === "/") filter.current?.focus()
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])

  const inContents = useMemo(() => (hits === undefined ? undefined : new Set(hits.keys())), [hits])
  const shown = useMemo(() => chosen(entries, choice, inContents), [entries, choice, inContents])
  const agents = useMemo(() => [...new Set(entries.map(({ agent }) => agent))].toSorted(), [entries])
  const tally = states.map((state) => [state, entries.filter((entry) => entry.state === state).length] as const)
  return (
    <section class="sessions">
      <header class="sessions-head">
        <h1>{phrase`Sessions`}</h1>
        <div class="state-chips" role="group" aria-label={phrase`Health`}>
          {tally.map(([state, number]) =>
            number === 0 && choice.state !== state ? null : (
              <button
                type="button"
                class="chip"
                aria-pressed={choice.state === state}
                onClick={() => choose({ state: choice.state === state ? "" : state })}
              >
                <span class={`dot dot-${state}`} aria-hidden="true" /> {stateNames[state]()} <span class="chip-count">{number}</span>
              </button>
            ),
          )}
        </div>
        <span class="quiet sessions-count" role="status">
          {count(shown.length, "session")}
          {isDone ? "" : ` ${phrase`(examining…)`}`}
        </span>
      </header>
      <form
        class="sessions-tools"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          searchContents(choice.words)
        }}
      >
        <input
          ref={filter}
          type="search"
          placeholder={phrase`Filter; Enter searches contents`}
          aria-label={phrase`Filter; Enter searches contents`}
          value={choice.words}
          onInput={(event) => {
            choose({ words: event.currentTarget.value })
            if (hits) searchContents("")
          }}
        />
        <button type="submit" class="small-button" disabled={choice.words.trim() === "" || !source.search}>
          {isSearching ? phrase`Searching…` : phrase`Search contents`}
        </button>
        <select aria-label={phrase`Agent`} value={choice.agent} onChange={(event) => choose({ agent: event.currentTarget.value })}>
          <option value="">{phrase`All agents`}</option>
          {agents.map((agent) => (
            <option value={agent}>{agent}</option>
          ))}
        </select>
        <select
          aria-label={phrase`Order`}
          value={choice.order}
          onChange={(event) => choose({ order: event.currentTarget.value as OrderName })}
        >
          {(Object.keys(orders) as OrderName[]).map((name) => (
            <option value={name}>{orders[name].title()}</option>
          ))}
        </select>
      </form>
      {error !== "" && (
        <p class="note note-error" role="alert">
          {error}
        </p>
      )}
      {isDone && entries.length === 0 && (
        <p class="empty">{phrase`No sessions found in the default folders of agents. Drop a file on this page to open it.`}</p>
      )}
      <ul class="session-list" ref={list} aria-label={phrase`Sessions`}>
        {shown.slice(0, most).map((entry) => (
          <Entry
            key={entry.id}
            entry={entry}
            hit={hits?.get(entry.id)}
            onOpen={(id, tab) => onOpen(id, tab, hits?.has(id) === true ? `"${choice.words.trim()}"` : undefined)}
          />
        ))}
        {shown.length > most && (
          <li class="session-more">
            <button type="button" class="small-button" onClick={() => setMost(most + page)}>
              {phrase`Show ${Math.min(page, shown.length - most)} more`}
            </button>
          </li>
        )}
      </ul>
    </section>
  )
}
