/** The frame of the page: where one is, what is open, and files that are dropped anywhere. */
import type { ComponentType } from "preact"
import { useEffect, useState } from "preact/hooks"
import { isTyping } from "../session/keys.ts"
import type { SessionScreen } from "../session/screen.tsx"
import { isOver } from "../live/events.ts"
import type { LiveFeed } from "../live/feed.ts"
import { LiveScreen } from "../live/live-screen.tsx"
import type { GatewaySource } from "../source/gateway.ts"
import type { Content, Source } from "../source/source.ts"
import { oneLine, phrase } from "../words.ts"
import { Help } from "./help.tsx"
import { Boundary } from "./boundary.tsx"
import type { Language } from "./language.ts"
import { parseRoute, type Route, type Tab, writeRoute } from "./route.ts"
import { Sessions } from "./sessions.tsx"

/** Files that were dropped, under names that no server gives, and that no earlier load of the page gave. */
const dropped = new Map<string, Content>()
const droppedPrefix = `dropped-${Date.now().toString(36)}-`

/** What a page cannot take apart by itself: databases, archives, compressed files. */
const isPacked = (bytes: Uint8Array): boolean =>
  [
    [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20],
    [0x50, 0x4b, 3, 4],
    [0x28, 0xb5, 0x2f, 0xfd],
  ].some((magic) => magic.every((byte, at) => bytes[at] === byte))

const Welcome = ({ onFiles }: { readonly onFiles: (files: Iterable<File>) => void }) => (
  <section class="welcome">
    <h1>Ligature</h1>
    <p>{phrase`Drop a session, a request or a log here to see what is in it and what is wrong with it.`}</p>
    <label class="choose">
      {phrase`Choose a file`}
      <input type="file" multiple class="hidden" onChange={(event) => onFiles(event.currentTarget.files ?? [])} />
    </label>
    <p class="quiet">{phrase`Nothing leaves this machine.`}</p>
  </section>
)

/** Asked again at most so often while a conversation grows. */
const growthMs = 400

type Loaded = { readonly id: string; readonly content: Content } | { readonly id: string; readonly error: string }

const isGateway = (source: Source): source is GatewaySource & { readonly live: LiveFeed } => source.live !== undefined

interface AppProperties {
  readonly source: Source
  readonly language: Language
  readonly onLanguage: (language: Language) => void
}

export const App = ({ source, language, onLanguage }: AppProperties) => {
  const [route, setRoute] = useState<Route>(() => {
    const found = parseRoute(location.hash)
    return found.session === undefined && source.first !== undefined ? { session: source.first, tab: "timeline", part: 0 } : found
  })
  const [loaded, setLoaded] = useState<Loaded>()
  const [Screen, setScreen] = useState<ComponentType<SessionScreen>>()
  const [isDragged, setDragged] = useState(false)
  const [isHelp, setHelp] = useState(false)

  const go = (next: Route): void => {
    location.hash = writeRoute(next)
    setRoute(next)
  }
  useEffect(() => {
    const changed = (): void => setRoute(parseRoute(location.hash))
    addEventListener("hashchange", changed)
    if (route.session !== undefined) history.replaceState(null, "", writeRoute(route))
    return () => removeEventListener("hashchange", changed)
  }, [])

  const { session } = route
  useEffect(() => {
    if (session === undefined || loaded?.id === session) return undefined
    const stop = new AbortController()
    setLoaded(undefined)
    // The reader is fetched while the file is.
    const screen = import("../session/screen.tsx")
    const local = dropped.get(session)
    const opened =
      local ??
      (session.startsWith("dropped-")
        ? Promise.reject(new Error(phrase`A dropped file is gone when the page is loaded again. Drop it once more.`))
        : source.open(session, stop.signal))
    Promise.all([opened, screen]).then(
      ([content, { SessionScreen }]) => {
        if (stop.signal.aborted) return
        setScreen(() => SessionScreen)
        setLoaded({ id: session, content })
      },
      (failure: unknown) => {
        if (!stop.signal.aborted) setLoaded({ id: session, error: failure instanceof Error ? failure.message : String(failure) })
      },
    )
    return () => stop.abort()
  }, [session])

  useEffect(() => {
    const pressed = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return
      if (event.key === "?") setHelp(true)
      else if (event.key === "l" && source.sessions) location.hash = "#/"
      else return
      event.preventDefault()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [source])

  // A conversation that is looked at grows with each exchange of the gateway.
  const { live } = source
  useEffect(() => {
    if (live === undefined || session === undefined || dropped.has(session)) return undefined
    let over = -1
    let timer: ReturnType<typeof setTimeout> | undefined
    const stopAsking = new AbortController()
    const ask = (): void => {
      timer = undefined
      source.open(session, stopAsking.signal).then(
        (content) => setLoaded({ id: session, content }),
        () => {},
      )
    }
    const stop = live.watch(() => {
      const now = live.of(session).filter(isOver).length
      if (over >= 0 && now > over) timer ??= setTimeout(ask, growthMs)
      over = now
    })
    return () => {
      stop()
      stopAsking.abort()
      clearTimeout(timer)
    }
  }, [live, session])

  const read = async (file: File): Promise<Content> => {
    const bytes = new Uint8Array(await file.arrayBuffer())
    return isPacked(bytes) && source.read ? source.read(file.name, bytes) : { name: file.name, bytes }
  }
  /** Files that were dropped together, other than the first. */
  const [others, setOthers] = useState<readonly { readonly id: string; readonly name: string }[]>([])
  const take = async (files: Iterable<File>): Promise<void> => {
    const all: { readonly id: string; readonly name: string }[] = []
    for (const file of [...files].slice(0, 20)) {
      const id = `${droppedPrefix}${dropped.size + 1}`
      // A folder is dropped like a file, and cannot be read like one.
      const content = await read(file).catch((failure: unknown): Content => {
        const what = failure instanceof DOMException ? phrase`It is a folder, or cannot be read.` : String((failure as Error).message)
        return { name: file.name, parts: [], problems: [{ kind: "binary", severity: "error", what, wayOut: "" }] }
      })
      dropped.set(id, content)
      all.push({ id, name: file.name })
    }
    const [first] = all
    if (first === undefined) return
    setOthers(all.length > 1 ? all : [])
    go({ session: first.id, tab: "timeline", part: 0 })
  }
  useEffect(() => {
    const over = (event: DragEvent): void => {
      event.preventDefault()
      setDragged(true)
    }
    const left = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false)
    }
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setDragged(false)
      void take(event.dataTransfer?.files ?? [])
    }
    addEventListener("dragover", over)
    addEventListener("dragleave", left)
    addEventListener("drop", drop)
    return () => {
      removeEventListener("dragover", over)
      removeEventListener("dragleave", left)
      removeEventListener("drop", drop)
    }
  }, [])

  return (
    <>
      <nav class="bar" aria-label={phrase`Page`}>
        <a class="brand" href="#/">
          <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true">
            <path
              d="M5 17V7a4 4 0 0 1 8 0M2.5 9.5h11V17"
              fill="none"
              stroke="currentColor"
              stroke-width="1.8"
              stroke-linecap="round"
              stroke-linejoin="round"
            />
          </svg>
          Ligature
        </a>
        {isGateway(source) && (
          <div class="bar-links">
            <a href="#/" aria-current={session === undefined && route.list !== true ? "page" : undefined}>
              {phrase`Live`}
            </a>
            <a href="#/?list" aria-current={session === undefined && route.list === true ? "page" : undefined}>
              {phrase`Conversations`}
            </a>
          </div>
        )}
        <span class="bar-note">{isGateway(source) ? "" : phrase`Nothing leaves this machine.`}</span>
        <div class="bar-tools">
          <button type="button" class="bar-button" aria-label={phrase`Keys`} title={phrase`Keys`} onClick={() => setHelp(true)}>
            ?
          </button>
          <button
            type="button"
            class="bar-button"
            lang={language === "en" ? "zh-CN" : "en"}
            onClick={() => onLanguage(language === "en" ? "zh-CN" : "en")}
          >
            {language === "en" ? "中文" : "English"}
          </button>
          <label class="bar-button">
            {phrase`Open a file`}
            <input type="file" multiple class="hidden" onChange={(event) => void take(event.currentTarget.files ?? [])} />
          </label>
        </div>
      </nav>
      {others.length > 0 && session !== undefined && dropped.has(session) && (
        <nav class="dropped" aria-label={phrase`Dropped files`}>
          {others.map(({ id, name }) => (
            <a class="chip" href={writeRoute({ session: id, tab: "timeline", part: 0 })} aria-current={id === session ? "page" : undefined}>
              {oneLine(name, 60)}
            </a>
          ))}
        </nav>
      )}
      <main>
        {session === undefined ? (
          isGateway(source) && route.list !== true ? (
            <LiveScreen feed={source.live} onKey={source.useKey} onOpen={(id) => go({ session: id, tab: "timeline", part: 0 })} />
          ) : source.sessions ? (
            <Sessions
              source={source}
              onOpen={(id, tab: Tab = "timeline", find) => go({ session: id, tab, part: 0, ...(find !== undefined && { find }) })}
            />
          ) : (
            <Welcome onFiles={(files) => void take(files)} />
          )
        ) : loaded === undefined || loaded.id !== session ? (
          <p class="loading" role="status">
            {phrase`Reading…`}
          </p>
        ) : "error" in loaded ? (
          <div class="failed" role="alert">
            <h1>{loaded.error}</h1>
            {source.sessions && <a href="#/">{phrase`Back to the list`}</a>}
          </div>
        ) : (
          Screen && (
            <Boundary key={session}>
              <Screen
                content={loaded.content}
                source={source}
                tab={route.tab}
                part={route.part}
                row={route.row}
                branch={route.branch}
                find={route.find ?? ""}
                onTab={(tab: Tab) => go({ ...route, tab })}
                onPart={(part) => go({ session, tab: route.tab, part })}
                onBranch={(branch) => go({ session, tab: "timeline", part: route.part, ...(branch !== undefined && { branch }) })}
                onRow={(row) =>
                  setRoute((now) => {
                    // Who has left already is not called back: the address says so before the page does.
                    if (parseRoute(location.hash).session !== session) return now
                    const next = { ...now, session, row }
                    history.replaceState(null, "", writeRoute(next))
                    return next
                  })
                }
              />
            </Boundary>
          )
        )}
      </main>
      {isHelp && <Help onClose={() => setHelp(false)} />}
      {isDragged && (
        <div class="drop" aria-hidden="true">
          <p>{phrase`Drop to open`}</p>
        </div>
      )}
    </>
  )
}
