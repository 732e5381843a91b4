/**
 * Before and after a repair, aligned: on the left the messages of the file, on the right the row they became. A block that is somewhere
 * else now says where; what is left out is struck through; what was added is marked as generated.
 */
import { useMemo, useState } from "preact/hooks"
import type { History, OpenedFile } from "../history/open.ts"
import { fatesOf, messagesOf, policyOfRule, repairCommand, repairedText, repairHistory } from "../history/repaired.ts"
import type { Row } from "../history/rows.ts"
import { blockLine, callLine, defaultPolicies, policyNames, policyValues } from "../library.ts"
import type { Block, Policies, ReportEntry } from "../library-types.ts"
import { CopyButton } from "../session/copy-button.tsx"
import { download } from "../session/save.ts"
import { OutcomeMark } from "../timeline/call.tsx"
import { entryKinds } from "../timeline/row.tsx"
import { count, oneLine, phrase, visible } from "../words.ts"

const policyTitles: Readonly<Record<keyof Policies, () => string>> = {
  unansweredCall: () => phrase`A call without result`,
  orphanResult: () => phrase`A result without call`,
  duplicateResult: () => phrase`A second result`,
  foreignThinking: () => phrase`Thinking that cannot be verified`,
  textBesideDroppedCall: () => phrase`Text beside a dropped call`,
}

type FateOf = ReturnType<typeof fatesOf>

const BeforeBlock = ({
  block,
  row,
  fateOf,
  onRow,
}: {
  readonly block: Block
  readonly row: number
  readonly fateOf: FateOf
  readonly onRow: (row: number) => void
}) => {
  const fate = fateOf(block, row)
  return (
    <div class={`line line-${fate.kind}`}>
      <span class="line-text">{blockLine(block)}</span>
      {fate.kind === "moved" && (
        <button type="button" class="joint" onClick={() => onRow(fate.row)} title={phrase`moved to #${fate.row + 1}`}>
          → #{fate.row + 1}
        </button>
      )}
      {fate.kind === "gone" && <span class="line-note">{phrase`changed or left out`}</span>}
    </div>
  )
}

const After = ({ row, cameFrom }: { readonly row: Row; readonly cameFrom: (block: Block) => number | undefined }) => {
  const { item } = row
  const origin = (block: Block) => {
    const from = cameFrom(block)
    return from === undefined ? null : <span class="joint-note">{phrase`from message ${from + 1}`}</span>
  }
  if (item.role !== "exchange")
    return (
      <>
        {item.blocks.map((block) => (
          <div class="line">
            <span class="line-text">{blockLine(block)}</span>
            {origin(block)}
          </div>
        ))}
      </>
    )
  return (
    <>
      {item.message.blocks.map((block) =>
        block.type === "call" ? null : (
          <div class="line">
            <span class="line-text">{blockLine(block)}</span>
          </div>
        ),
      )}
      {row.calls.map(({ call, outcome }) => (
        <div class="pair">
          <OutcomeMark kind={outcome.kind} generated={outcome.result?.synthetic !== undefined} />
          <div class="line">
            <span class="line-text">{callLine(call)}</span>
          </div>
          {outcome.result && (
            <div class={`line${outcome.result.synthetic === undefined ? "" : " line-added"}`}>
              <span class="line-text">{blockLine(outcome.result)}</span>
              {origin(outcome.result)}
            </div>
          )}
        </div>
      ))}
      {item.reply?.blocks.map((block) => (
        <div class="line">
          <span class="line-text">{blockLine(block)}</span>
        </div>
      ))}
    </>
  )
}

const Change = ({
  entry,
  policies,
  onPolicy,
}: {
  readonly entry: ReportEntry
  readonly policies: Policies
  readonly onPolicy: (name: keyof Policies, value: string) => void
}) => {
  const policy = policyOfRule[entry.rule]
  const others = policy === undefined ? [] : (policyValues[policy] as readonly string[]).filter((value) => value !== policies[policy])
  return (
    <li class={`change change-${entry.kind}`}>
      <span class="note-rule">{entry.rule}</span> {visible(entry.what)} <span class="quiet">({entryKinds[entry.kind]()})</span>
      {policy !== undefined && (
        <span class="otherwise">
          {phrase`otherwise:`}
          {others.map((value) => (
            <button type="button" class="fold" onClick={() => onPolicy(policy, value)}>
              {value}
            </button>
          ))}
        </span>
      )}
    </li>
  )
}

interface RepairTabProperties {
  readonly file: OpenedFile
  readonly history: History
  readonly argument: string | undefined
  readonly onRow: (row: number) => void
}

/** More would take long to draw, and nobody looks at more at once. */
const most = 400

export const RepairTab = ({ file, history, argument, onRow }: RepairTabProperties) => {
  const [policies, setPolicies] = useState<Policies>(defaultPolicies)
  const [all, setAll] = useState(false)
  const repaired = useMemo(() => repairHistory(history, policies), [history, policies])
  const fateOf = useMemo(() => fatesOf(repaired.rows), [repaired])
  const cameFrom = useMemo(() => {
    const rowOfMessage = new Map<number, number>()
    for (const row of repaired.rows) for (const message of row.messages) rowOfMessage.set(message, row.index)
    const from = new Map<unknown, number>()
    repaired.transcript.messages.forEach(({ blocks }, message) => {
      for (const block of blocks) {
        const fate = fateOf(block, rowOfMessage.get(message) ?? -1)
        if (fate.kind !== "moved") continue
        from.set(block, message)
        if (block.type === "result") from.set(block.content, message)
      }
    })
    return (block: Block) => from.get(block) ?? (block.type === "result" ? from.get(block.content) : undefined)
  }, [repaired, fateOf])
  const set = (name: keyof Policies, value: string): void => setPolicies({ ...policies, [name]: value })
  const changed = repaired.rows.filter((row) => row.entries.length > 0)
  const near = new Set(changed.flatMap(({ index }) => [index - 1, index, index + 1]))
  const shown = repaired.rows.filter(({ index }) => all || near.has(index)).slice(0, most)
  const others = repaired.entries.filter((entry) => !changed.some((row) => row.entries.includes(entry)))
  return (
    <div class="tab repair">
      <div class="tab-head">
        <h2>{repaired.entries.length === 0 ? phrase`Nothing to repair` : count(repaired.entries.length, "change")}</h2>
        <div class="tab-tools">
          {argument !== undefined && (
            <>
              <code class="command">{visible(repairCommand(argument, policies))}</code>
              <CopyButton text={repairCommand(argument, policies)} label={phrase`Copy command`} />
            </>
          )}
          <button
            type="button"
            class="small-button primary"
            disabled={repaired.entries.length === 0}
            onClick={() =>
              download(file.name.replace(/^.*[\\/]/, "").replace(/(\.[^.]*)?$/, ".repaired$1"), repairedText(file, history.part, repaired))
            }
          >
            {phrase`Download repaired file`}
          </button>
        </div>
      </div>
      <div class="policies">
        {policyNames.map((name) => (
          <label>
            <span>{policyTitles[name]()}</span>
            <select value={policies[name]} onChange={(event) => set(name, event.currentTarget.value)}>
              {policyValues[name].map((value) => (
                <option value={value}>{value}</option>
              ))}
            </select>
          </label>
        ))}
        <label class="check">
          <input type="checkbox" checked={all} onChange={() => setAll(!all)} /> {phrase`Show unchanged messages too`}
        </label>
      </div>
      {others.length > 0 && (
        <ul class="changes">
          {others.map((entry) => (
            <Change entry={entry} policies={policies} onPolicy={set} />
          ))}
        </ul>
      )}
      <div class="sides" role="table" aria-label={phrase`Before and after the repair`}>
        <div class="sides-head" role="row">
          <span role="columnheader">{phrase`In the file`}</span>
          <span role="columnheader">{phrase`Repaired`}</span>
        </div>
        {shown.map((row, at) => (
          <>
            {at > 0 && (shown[at - 1]?.index ?? 0) + 1 < row.index && (
              <div class="gap" aria-hidden="true">
                ⋯
              </div>
            )}
            <div class={`side-row${row.entries.length > 0 ? " is-changed" : ""}`} role="row">
              <div class="side" role="cell">
                {messagesOf(repaired, row).map(([index, message]) => (
                  <div class="side-message">
                    <span class="side-role">
                      {message.role} <span class="quiet">{index + 1}</span>
                    </span>
                    {message.blocks.length === 0 && <div class="line line-gone">{phrase`(no content)`}</div>}
                    {message.blocks.map((block) => (
                      <BeforeBlock block={block} row={row.index} fateOf={fateOf} onRow={onRow} />
                    ))}
                  </div>
                ))}
              </div>
              <div class="side" role="cell">
                <span class="side-role">
                  {row.kind === "exchange" ? phrase`assistant` : oneLine(row.item.role)} <span class="quiet">#{row.index + 1}</span>
                </span>
                <After row={row} cameFrom={cameFrom} />
                {row.entries.length > 0 && (
                  <ul class="changes">
                    {row.entries.map((entry) => (
                      <Change entry={entry} policies={policies} onPolicy={set} />
                    ))}
                  </ul>
                )}
              </div>
            </div>
          </>
        ))}
      </div>
      {shown.length === most && <p class="quiet">{phrase`Only the first ${most} rows are shown here.`}</p>}
    </div>
  )
}
