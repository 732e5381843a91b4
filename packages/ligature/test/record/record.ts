/** Shortcuts of these tests: a stream in one line. */
import { type Message, type Transcript, user } from "../../src/model/index.ts"
import {
  createRecorder,
  type EndCause,
  type Recorded,
  type RecordedFormat,
  type RecorderOptions,
  type RecordEvent,
} from "../../src/record/index.ts"

export const record = (
  format: RecordedFormat,
  events: readonly unknown[],
  options: RecorderOptions & { readonly cause?: EndCause } = {},
): Recorded => {
  const { cause = "complete", ...rest } = options
  const recorder = createRecorder(format, rest)
  for (const event of events) recorder.push(event)
  return recorder.end(cause)
}

export const recordEvents = (format: RecordedFormat, events: readonly unknown[]): readonly RecordEvent[] => {
  const recorder = createRecorder(format)
  return events.flatMap((event) => recorder.push(event))
}

/** The history a recorded message is in. */
export const historyOf = (format: string, recorded: Recorded, ...rest: readonly Message[]): Transcript => ({
  format,
  messages: [user("go"), recorded.message, ...rest],
  ...(recorded.ids && { ids: recorded.ids }),
})
