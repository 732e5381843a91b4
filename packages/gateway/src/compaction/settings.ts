/** Whether and how conversations are compacted on their way to a provider. */
import type { SettingsChoice } from "ligature/compact"

export interface CompactionSettings {
  /** Those of the compactor: window, trigger, target, what is kept, by model. */
  readonly settings: SettingsChoice
  /** The model that is asked for summaries; without one, none is asked. */
  readonly summary?: { readonly upstream: string; readonly model: string }
  /** The request goes on while a compaction is being made, unless it would be refused without one. */
  readonly background: boolean
  /** The model gets a tool that reads back what is out of sight. */
  readonly recall: boolean
}
