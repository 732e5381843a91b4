/**
 * What library functions report about their work, for whoever looks for a fault: one line each, under a topic. They have no
 * terminal, no environment and no clock; an entry module installs a sink that does (`ligature/debug`). Without one, asking
 * for a topic is all it costs.
 *
 * Lines name ids, rules, places and numbers, and no content: they may go where a conversation must not.
 */

/** `ligature:session`, …: see docs/guides/loop.md. */
export type DebugTopic = "session" | "settle" | "check" | "convert" | "compact" | "resume" | "import"

/** Takes one line. */
export type DebugWriter = (line: string) => void

/** Gives the writer of a topic; undefined: nobody wants to hear of it. */
export type DebugSink = (topic: DebugTopic) => DebugWriter | undefined

let sink: DebugSink | undefined

/** From now on lines go there; undefined: nowhere. Gives what was there before. */
export const setDebugSink = (next: DebugSink | undefined): DebugSink | undefined => {
  const before = sink
  sink = next
  return before
}

/** Where lines of a topic go; undefined while nobody listens, so that they need not be made. */
export const debugFor = (topic: DebugTopic): DebugWriter | undefined => sink?.(topic)
