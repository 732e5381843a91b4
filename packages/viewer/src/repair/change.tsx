/** One change of a repair, with its rule, and the policies that would do otherwise. */
import { policyOfRule } from "../history/repaired.ts"
import { policyValues } from "../library.ts"
import type { Policies, ReportEntry } from "../library-types.ts"
import { changeKinds } from "../live/exchange-notes.tsx"
import { phrase, translated, visible } from "../words.ts"

export const Change = ({
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
      <span class="note-rule">{entry.rule}</span> {visible(translated(entry.what))} <span class="quiet">({changeKinds[entry.kind]()})</span>
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
