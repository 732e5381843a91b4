/** The sessions of all agents on this machine, newest first, each with its health as it becomes known. */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { SessionEntry, Source, State } from "../source/source.ts"
import { count, oneLine, phrase, size } from "../words.ts"

const stateNames: Readonly<Record<State, () => string>> = {
  healthy: () => phrase`healthy`,
  open: () => phrase`open`,
  warnings: () => phrase`warnings`,
  errors: () => phrase`errors`,
}

const day = (milliseconds: number): string => {
  const date = new Date(milliseconds)
  const two = (number: number): string => String(number).padStart(2, "0")
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}

interface SessionsProperties {
  readonly source: Source
  readonly onOpen: (id: string) => void
}

export const Sessions = ({ source, onOpen }: SessionsProperties) => {
  const [entries, setEntries] = useState<readonly SessionEntry[]>([])
  const [isDone, setDone] = useState(false)
  const [error, setError] = useState("")
  const [filter, setFilter] = useState("")
  useEffect(() => {
    const stop = new AbortController()
    const known = new Map<string, SessionEntry>()
    source
      .sessions?.((added) => {
        for (const entry of added) known.set(entry.id, { ...known.get(entry.id), ...entry })
        setEntries([...known.values()])
      }, stop.signal)
      .then(
        () => setDone(true),
        (failure: unknown) => {
          if (!stop.signal.aborted) setError(String(failure))
        },
      )
    return () => stop.abort()
  }, [source])
  const shown = useMemo(() => {
    const words = filter.toLowerCase().split(/\s+/)
    return entries.filter(({ agent, title, project, file, state }) => {
      const text = [agent, title, project, file, state].join(" ").toLowerCase()
      return words.every((word) => text.includes(word))
    })
  }, [entries, filter])
  return (
    <section class="sessions">
      <header class="sessions-head">
        <h1>{phrase`Sessions`}</h1>
        <input
          type="search"
          placeholder={phrase`Filter`}
          aria-label={phrase`Filter`}
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span class="quiet" role="status">
          {count(shown.length, "session")}
          {isDone ? "" : " …"}
        </span>
      </header>
      {error !== "" && <p class="note-error">{error}</p>}
      <ul class="session-list">
        {shown.slice(0, 500).map((entry) => (
          <li key={entry.id}>
            <button type="button" class="session-entry" onClick={() => onOpen(entry.id)}>
              <span class={`dot dot-${entry.state ?? "unknown"}`} title={entry.state === undefined ? "" : stateNames[entry.state]()} />
              <span class="entry-title">{oneLine(entry.title ?? entry.session ?? entry.file, 200)}</span>
              <span class="entry-state">{entry.causes?.join(", ") ?? ""}</span>
              <span class="entry-agent">{entry.agent}</span>
              <span class="entry-project">{oneLine(entry.project ?? "", 200)}</span>
              <span class="entry-size">{size(entry.bytes)}</span>
              <span class="entry-date">{day(entry.modified)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
