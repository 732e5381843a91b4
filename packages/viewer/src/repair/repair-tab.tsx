/** A repair before and after: two columns aligned by exchange, each change with its rule, and policies that can be switched. */
import { useMemo, useState } from "preact/hooks"
import { fatesOf, messagesOf, repairCommand, repairedText, repairHistory } from "../history/repaired.ts"
import type { History, OpenedFile } from "../history/open.ts"
import { defaultPolicies, policyNames, policyValues } from "../library.ts"
import type { Policies, Role } from "../library-types.ts"
import { CopyButton } from "../session/copy-button.tsx"
import { download } from "../session/save.ts"
import { count, phrase, visible } from "../words.ts"
import { Change } from "./change.tsx"
import { JointLines } from "./joint-lines.tsx"
import { jointsOf } from "./joints.ts"
import { After, BeforeBlock } from "./sides.tsx"

const roles: Readonly<Record<Role, () => string>> = {
  system: () => phrase`system`,
  user: () => phrase`user`,
  assistant: () => phrase`assistant`,
  tool: () => phrase`tool`,
}

const policyTitles: Readonly<Record<keyof Policies, () => string>> = {
  unansweredCall: () => phrase`A call without result`,
  orphanResult: () => phrase`A result without call`,
  duplicateResult: () => phrase`A second result`,
  foreignThinking: () => phrase`Thinking that cannot be verified`,
  textBesideDroppedCall: () => phrase`Text beside a dropped call`,
}

interface RepairTabProperties {
  readonly file: OpenedFile
  readonly history: History
  readonly argument: string | undefined
  readonly onRow: (row: number) => void
}

/** A step that is done in a shell. */
const Way = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <li>
    <span class="way-label">{label}</span>
    <code class="command">{visible(text)}</code>
    <CopyButton text={text} label={phrase`Copy command`} />
  </li>
)

/** More would take long to draw, and nobody looks at more at once. */
const most = 400

export const RepairTab = ({ file, history, argument, onRow }: RepairTabProperties) => {
  const [policies, setPolicies] = useState<Policies>(defaultPolicies)
  const [all, setAll] = useState(false)
  const repaired = useMemo(() => repairHistory(history, policies), [history, policies])
  const fateOf = useMemo(() => fatesOf(repaired.rows), [repaired])
  const joints = useMemo(() => jointsOf(repaired, fateOf), [repaired, fateOf])
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
          {history.stored ? (
            <p class="quiet">{phrase`A store is not rewritten: this is done whenever the conversation is sent.`}</p>
          ) : (
            <button
              type="button"
              class="small-button primary"
              disabled={repaired.entries.length === 0}
              onClick={() =>
                download(
                  file.name.replace(/^.*[\\/]/, "").replace(/(\.[^.]*)?$/, ".repaired$1"),
                  repairedText(file, history.part, repaired),
                )
              }
            >
              {phrase`Download repaired file`}
            </button>
          )}
        </div>
      </div>
      {(argument !== undefined || history.resume !== undefined) && !history.stored && (
        <ol class="ways">
          {argument !== undefined && repaired.entries.length > 0 && (
            <Way text={repairCommand(argument, policies)} label={phrase`Repair it where it is; the original is kept as FILE.bak`} />
          )}
          {history.resume !== undefined && <Way text={history.resume} label={phrase`Go on with the session`} />}
        </ol>
      )}
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
        <JointLines drawn={`${all} ${shown.length} ${JSON.stringify(policies)}`} />
        {shown.map((row, at) => (
          <>
            {at > 0 && (shown[at - 1]?.index ?? 0) + 1 < row.index && (
              <div class="gap" aria-hidden="true">
                ⋯
              </div>
            )}
            <div class={`side-row${row.entries.length > 0 ? " is-changed" : ""}`} role="row">
              <div class="side" role="cell" data-side={phrase`In the file`}>
                {messagesOf(repaired, row).map(([index, message]) => (
                  <div class="side-message">
                    <span class="side-role">
                      {roles[message.role]()} <span class="quiet">{index + 1}</span>
                    </span>
                    {message.blocks.length === 0 && <div class="line line-gone">{phrase`(no content)`}</div>}
                    {message.blocks.map((block) => (
                      <BeforeBlock block={block} row={row.index} fateOf={fateOf} joints={joints} onRow={onRow} />
                    ))}
                  </div>
                ))}
              </div>
              <div class="side" role="cell" data-side={phrase`Repaired`}>
                <span class="side-role">
                  {row.item.role === "exchange" ? phrase`assistant` : roles[row.item.role]()} <span class="quiet">#{row.index + 1}</span>
                </span>
                <After row={row} joints={joints} />
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
