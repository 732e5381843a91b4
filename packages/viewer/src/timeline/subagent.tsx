/** What a sub-agent did, nested under the call that started it; read when it is opened. */
import { useContext, useEffect, useState } from "preact/hooks"
import type { History } from "../history/open.ts"
import type { Subagent } from "../history/subagents.ts"
import { count, oneLine, phrase } from "../words.ts"
import { TimelineContext } from "./context.ts"
import { useFold } from "./folded.tsx"
import { RowView } from "./row.tsx"

/** More are read on a page of their own. */
const most = 60

const Nested = ({ subagent, name }: { readonly subagent: Subagent; readonly name: string }) => {
  const context = useContext(TimelineContext)
  const [history, setHistory] = useState<History | string>()
  useEffect(() => {
    let isGone = false
    context?.read(subagent).then(
      (read) => !isGone && setHistory(read),
      (failure: unknown) => !isGone && setHistory(failure instanceof Error ? failure.message : String(failure)),
    )
    return () => {
      isGone = true
    }
  }, [subagent])
  if (history === undefined) return <p class="quiet">{phrase`Reading…`}</p>
  if (typeof history === "string") return <p class="note note-error">{history}</p>
  const { rows, findings } = history
  return (
    <>
      {rows.slice(0, most).map((row) => (
        <RowView key={row.index} row={row} findings={findings} name={`${name}:${row.index}`} onFinding={() => {}} onSelect={() => {}} />
      ))}
      <button type="button" class="fold" onClick={() => context?.goTo(subagent)}>
        {rows.length > most ? phrase`Open the subagent: ${count(rows.length, "message")}` : phrase`Open the subagent alone`}
      </button>
    </>
  )
}

export const SubagentView = ({ subagent, name }: { readonly subagent: Subagent; readonly name: string }) => {
  const [open, setOpen] = useFold(name)
  const title = subagent.kind === "path" ? subagent.path.title : subagent.child.title
  return (
    <section class="subagent" aria-label={phrase`subagent`}>
      <button type="button" class="thinking-line" aria-expanded={open > 0} onClick={() => setOpen(open > 0 ? 0 : 1)}>
        <span class="subagent-label">{phrase`subagent`}</span>
        <span class="thinking-text">
          {oneLine(title ?? "", 200)}
          {subagent.kind === "path" && ` · ${count(subagent.path.messages, "message")}`}
        </span>
      </button>
      {open > 0 && (
        <div class="subagent-rows">
          <Nested subagent={subagent} name={name} />
        </div>
      )}
    </section>
  )
}
