/** A role and its blocks, as a transcript holds it: any block may be in any message, because real files do that. */
import type { Block, Native } from "./block.ts"

export type Role = "system" | "user" | "assistant" | "tool"

/** Who produced an assistant message. Opaque data is replayed only to where it came from (L10). */
export interface Origin {
  readonly provider?: string
  readonly model?: string
}

export interface Message {
  readonly role: Role
  readonly blocks: readonly Block[]
  /** The id the source gave this message, if any. */
  readonly id?: string
  /** Speaker, where the format names one. */
  readonly name?: string
  readonly origin?: Origin
  /** The turn is unfinished on purpose and goes back as it is (Anthropic `pause_turn`): it may end in an open span. */
  readonly paused?: true
  /** Stands for messages that a compaction took out of sight: written by the agent, not said by its role. */
  readonly summary?: true
  readonly native?: Native
  /** One-based line in a JSONL source. */
  readonly line?: number
}
