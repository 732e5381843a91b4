/**
 * `ligature/debug`: what the library reports about its work, for whoever wants to see it elsewhere than on stderr. In Node
 * the setting DEBUG is obeyed without this; in a browser nothing is, until a sink is given.
 *
 *     import { debugTo } from "ligature/debug"
 *     debugTo((topic, line) => console.debug(`ligature:${topic}`, line))
 */
import { type DebugTopic, setDebugSink } from "../model/index.ts"

export type { DebugTopic }

/** Every line goes to this function. Gives what takes it out again. */
export const debugTo = (write: (topic: DebugTopic, line: string) => void): (() => void) => {
  const before = setDebugSink((topic) => (line) => write(topic, line))
  return () => void setDebugSink(before)
}
