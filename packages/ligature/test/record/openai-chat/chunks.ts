/** Chunks of Chat Completions, written short. */
import type { CallBlock } from "../../../src/model/index.ts"
import type { Recorded, RecorderOptions } from "../../../src/record/index.ts"
import { record } from "../record.ts"

export const chunk = (delta: unknown, finish: string | null = null): object => ({
  id: "c1",
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
})

export const calls = (...entries: readonly object[]): object => chunk({ tool_calls: entries })

export const fn = (name: string | undefined, args: unknown, more: object = {}): object => ({
  ...more,
  function: { ...(name !== undefined && { name }), arguments: args },
})

export const done = [chunk({}, "tool_calls"), "[DONE]"]

export const recordChat = (events: readonly unknown[], options: RecorderOptions = {}): Recorded =>
  record("openai-chat", [...events, ...done], options)

export const callsOf = ({ message }: Recorded): readonly CallBlock[] =>
  message.blocks.filter((block): block is CallBlock => block.type === "call")

/** `[id, name, raw, fault?]` of each call. */
export const said = (recorded: Recorded): readonly unknown[] =>
  callsOf(recorded).map(({ id, name, raw, fault }) => (fault ? [id, name, raw, fault] : [id, name, raw]))
