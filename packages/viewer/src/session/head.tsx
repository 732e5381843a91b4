/** The head of a session: what it is, which of its paths is read, how to go on with it, and the search. */
import type { RefObject } from "preact"
import { writeRoute } from "../app/route.ts"
import type { History, OpenedFile, Reading } from "../history/open.ts"
import type { Subagent } from "../history/subagents.ts"
import { count, oneLine, phrase } from "../words.ts"
import { CopyButton } from "./copy-button.tsx"
import { factsOf } from "./facts.tsx"

const kinds = { active: () => phrase`active path`, abandoned: () => phrase`abandoned branch`, subagent: () => phrase`subagent` } as const

interface ChoiceProperties {
  readonly file: OpenedFile
  readonly history: History
  readonly part: number
  readonly reading: Reading
  /** Sub-agents of which no call is known. */
  readonly others: readonly Subagent[]
  readonly onPart: (part: number) => void
  readonly onBranch: (branch: string | undefined) => void
  readonly onReading: (change: Pick<Reading, "view">) => void
}

interface HeadProperties {
  readonly file: OpenedFile
  readonly history: History
  readonly reading: Reading
  readonly panel: boolean
  readonly search: {
    readonly field: RefObject<HTMLInputElement | null>
    readonly words: string
    readonly hits: readonly number[] | undefined
    /** The selected row. */
    readonly at: number
    readonly onWords: (words: string) => void
    readonly onNext: (step: 1 | -1) => void
  }
  readonly onBranch: (branch: string | undefined) => void
  readonly onPanel: () => void
}

const Paths = ({ history: { outline }, reading, onBranch }: Pick<ChoiceProperties, "history" | "reading" | "onBranch">) => {
  if (outline === undefined || outline.paths.length < 2) return null
  return (
    <select
      aria-label={phrase`Branch`}
      value={reading.branch ?? ""}
      onChange={(event) => onBranch(event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
    >
      {outline.paths.map(({ id, kind, title, messages }) => (
        <option value={kind === "active" ? "" : id}>
          {oneLine(`${kinds[kind]()}: ${count(messages, "message")}${title === undefined ? "" : ` · ${title}`}`, 80)}
        </option>
      ))}
    </select>
  )
}

/** Which of its conversations and paths is read, and how much of it. */
export const PathChoice = ({ file, history, part, reading, others, onPart, onBranch, onReading }: ChoiceProperties) => {
  const { outline } = history
  return (
    <div class="paths">
      {file.parts.length > 1 && (
        <select aria-label={phrase`Conversation`} value={part} onChange={(event) => onPart(Number(event.currentTarget.value))}>
          {file.parts.map((each, at) => (
            <option value={at}>{oneLine(each.name ?? phrase`conversation ${at + 1}`, 60)}</option>
          ))}
        </select>
      )}
      <Paths history={history} reading={reading} onBranch={onBranch} />
      {others.length > 0 && (
        <select
          aria-label={phrase`Subagents`}
          value=""
          onChange={(event) => {
            const chosen = others[Number(event.currentTarget.value)]
            if (chosen?.kind === "path") onBranch(chosen.path.id)
            else if (chosen) location.hash = writeRoute({ session: chosen.child.id, tab: "timeline", part: 0 })
          }}
        >
          <option value="">{count(others.length, "subagent")}</option>
          {others.map((each, index) => (
            <option value={index}>{oneLine((each.kind === "path" ? each.path.title : each.child.title) ?? phrase`subagent`, 80)}</option>
          ))}
        </select>
      )}
      {outline !== undefined && outline.compactions.length > 0 && (
        <select
          aria-label={phrase`How much of it`}
          value={reading.view ?? "whole"}
          onChange={(event) => onReading({ view: event.currentTarget.value as "whole" | "effective" })}
        >
          <option value="whole">{phrase`the whole history`}</option>
          <option value="effective">{phrase`what the agent sends next`}</option>
        </select>
      )}
    </div>
  )
}

export const Head = (given: HeadProperties) => {
  const { file, history, reading, panel, search, onBranch, onPanel } = given
  const { outline, findings, resume } = history
  const errors = findings.filter(({ severity }) => severity === "error").length
  const title = oneLine(outline?.title ?? history.part.name ?? file.stored?.title ?? file.name.replace(/^.*[\\/]/, ""), 160)
  const branch = outline?.paths.find(({ id }) => id === reading.branch)
  return (
    <>
      <header class="session-head">
        <div class="session-title">
          <h1 title={title}>{title}</h1>
          <p class="facts">{factsOf(history).join(" · ")}</p>
        </div>
        <div class="session-tools">
          <label class="search">
            <span class="hidden">{phrase`Search in this session`}</span>
            <input
              ref={search.field}
              type="search"
              placeholder={phrase`Search  /`}
              value={search.words}
              onInput={(event) => search.onWords(event.currentTarget.value)}
              onKeyDown={(event) => {
                if (event.key === "Enter") search.onNext(event.shiftKey ? -1 : 1)
              }}
            />
            {search.hits !== undefined && (
              <span class="search-count" role="status">
                {search.hits.includes(search.at) ? `${search.hits.indexOf(search.at) + 1}/${search.hits.length}` : search.hits.length}
              </span>
            )}
          </label>
          {resume !== undefined && <CopyButton text={resume} label={phrase`Copy resume command`} title={resume} />}
          <button type="button" class={`findings-button${errors > 0 ? " has-errors" : ""}`} aria-pressed={panel} onClick={onPanel}>
            {count(findings.length, "finding")}
          </button>
        </div>
      </header>
      {branch && branch.kind !== "active" && (
        <p class="branch-note" role="status">
          {branch.kind === "abandoned"
            ? phrase`This is a branch that was left. The agent does not see it any more.`
            : phrase`This is the conversation of a subagent.`}{" "}
          <button type="button" class="fold" onClick={() => onBranch(undefined)}>
            {phrase`Back to the active path`}
          </button>
        </p>
      )}
    </>
  )
}
