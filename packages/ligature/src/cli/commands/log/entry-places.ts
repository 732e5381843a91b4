/** Where in a log something was changed for a view: the entry of the message. */
import type { Locate } from "../../output/report.ts"

export const entryPlaces =
  (sources: readonly string[]): Locate =>
  ({ message }) => {
    const entry = message === undefined ? undefined : sources[message]
    return entry === undefined ? undefined : { path: `entry ${entry}` }
  }
