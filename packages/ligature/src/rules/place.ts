/** Where a finding is, in every way the source lets us say it. */
import type { Place, Transcript } from "../model/index.ts"
import type { Spot } from "./survey/index.ts"

export const placeOf = (transcript: Transcript, spot: Spot): Place => {
  const line = transcript.messages[spot.message]?.line
  return {
    message: spot.message,
    ...(spot.block >= 0 && { block: spot.block }),
    ...(line !== undefined && { line }),
    ...(transcript.source !== undefined && { file: transcript.source }),
  }
}
