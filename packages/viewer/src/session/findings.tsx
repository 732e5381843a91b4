/** What is wrong, in the order of the timeline: each finding with its rule, why it matters, and what a repair does about it. */
import { useEffect, useRef } from "preact/hooks"
import type { History } from "../history/open.ts"
import { findCodec, isSessionCodec, profileNames, profiles } from "../library.ts"
import type { ProfileName } from "../library-types.ts"
import { count, phrase, translated, visible } from "../words.ts"
import { changeKinds } from "../live/exchange-notes.tsx"

interface FindingsProperties {
  readonly history: History
  readonly selected: number
  /** Also what this provider requires. */
  readonly profile: ProfileName | undefined
  readonly onSelect: (finding: number) => void
  readonly onProfile: (profile: ProfileName | undefined) => void
  readonly onRepair: () => void
}

const severities = { error: () => phrase`error`, warning: () => phrase`warning`, info: () => phrase`note` } as const

/** A history of thousands of findings has the same one, thousands of times. */
const most = 300

const Requirements = ({ profile, onProfile }: Pick<FindingsProperties, "profile" | "onProfile">) => (
  <label class="requirements">
    <span>{phrase`Also check the requirements of`}</span>
    <select
      value={profile ?? ""}
      onChange={(event) => onProfile(event.currentTarget.value === "" ? undefined : (event.currentTarget.value as ProfileName))}
    >
      <option value="">{phrase`no provider in particular`}</option>
      {profileNames.map((name) => (
        <option value={name}>{profiles[name].title}</option>
      ))}
    </select>
  </label>
)

/** What the findings come to: whether the session goes on as it is. */
const Verdict = ({ history: { findings, part, stored, title }, onRepair }: Pick<FindingsProperties, "history" | "onRepair">) => {
  const codec = stored ? undefined : findCodec(part.format)
  const session = codec !== undefined && isSessionCodec(codec) ? codec.session : undefined
  const errors = findings.filter(({ severity, repair }) => severity === "error" && repair !== undefined)
  if (errors.length === 0) return null
  const isHealed = errors.every(({ rule }) => session?.heals?.includes(rule) === true)
  return (
    <p class={`verdict ${isHealed ? "verdict-warning" : "verdict-error"}`}>
      {stored
        ? phrase`Requests are repaired when they are sent.`
        : session === undefined
          ? phrase`A provider would reject this.`
          : isHealed
            ? phrase`${title} can resume this session all the same. A provider or another agent would reject it.`
            : phrase`A provider would reject the next request of this session. Repair it before ${title} resumes it.`}{" "}
      <button type="button" class="fold" onClick={onRepair}>
        {phrase`See the repair`}
      </button>
    </p>
  )
}

export const Findings = ({ history, selected, profile, onSelect, onProfile, onRepair }: FindingsProperties) => {
  const { findings, rowOfFinding } = history
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    list.current?.querySelector("[aria-current=true]")?.scrollIntoView({ block: "nearest" })
  }, [selected])
  const requirements = <Requirements profile={profile} onProfile={onProfile} />
  if (findings.length === 0)
    return (
      <>
        {requirements}
        <div class="findings-none">
          <span class="mark mark-done" aria-hidden="true">
            ✓
          </span>
          <p>{phrase`No findings: this history is valid.`}</p>
        </div>
      </>
    )
  const start = Math.max(0, Math.min(selected - most / 2, findings.length - most))
  return (
    <>
      <Verdict history={history} onRepair={onRepair} />
      {requirements}
      {start > 0 && <p class="quiet findings-more">{phrase`${count(start, "finding")} before`}</p>}
      <ol class="findings-list" ref={list}>
        {findings.slice(start, start + most).map((finding, at) => {
          const index = start + at
          const isOpen = index === selected
          return (
            <li key={index} class={`finding finding-${finding.severity}`} aria-current={isOpen}>
              <button type="button" class="finding-line" aria-expanded={isOpen} onClick={() => onSelect(index)}>
                <span class={`severity severity-${finding.severity}`}>{severities[finding.severity]()}</span>
                <span class="finding-rule">{finding.rule}</span>
                <span class="finding-row">#{(rowOfFinding[index] ?? 0) + 1}</span>
                <span class="finding-what">{visible(translated(finding.what))}</span>
              </button>
              {isOpen && (
                <dl class="finding-more">
                  <dt>{phrase`Who rejects it`}</dt>
                  <dd>{history.refusedBy(finding)}</dd>
                  <dt>{phrase`Why it matters`}</dt>
                  <dd>{visible(translated(finding.why))}</dd>
                  {finding.repair && (
                    <>
                      <dt>{phrase`What a repair does`}</dt>
                      <dd>
                        {visible(translated(finding.repair.what))} <span class="quiet">({changeKinds[finding.repair.kind]()})</span>
                      </dd>
                    </>
                  )}
                  <dt>{phrase`What to do`}</dt>
                  <dd>{visible(translated(finding.help))}</dd>
                  {finding.place.line !== undefined && (
                    <>
                      <dt>{phrase`Line`}</dt>
                      <dd>{finding.place.line}</dd>
                    </>
                  )}
                </dl>
              )}
            </li>
          )
        })}
      </ol>
      {findings.length > start + most && (
        <p class="quiet findings-more">{phrase`${count(findings.length - start - most, "finding")} after`}</p>
      )}
    </>
  )
}
