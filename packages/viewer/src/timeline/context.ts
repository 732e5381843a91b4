/** What rows of a timeline need beside their own content. */
import { createContext } from "preact"
import type { Subagent } from "../history/subagents.ts"
import type { CallBlock } from "../library-types.ts"
import type { History } from "../history/open.ts"

export interface TimelineContext {
  readonly subagentOf: (call: CallBlock) => Subagent | undefined
  /** The conversation of a sub-agent. */
  readonly read: (subagent: Subagent) => Promise<History>
  /** Leaves the timeline for that of a sub-agent. */
  readonly goTo: (subagent: Subagent) => void
}

/** Words that are looked for, in lower case. */
export const SoughtContext = createContext<readonly string[]>([])

export const TimelineContext = createContext<TimelineContext | undefined>(undefined)
