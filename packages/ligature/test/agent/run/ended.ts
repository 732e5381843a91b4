/** How a run ended, whether it resolved or rejected, as one value: for tests that compare both. */
import { LoopError, type PartialRun, type RunResult, type RunStop } from "../../../src/agent/index.ts"

export interface Ended extends PartialRun {
  readonly stop: RunStop | "aborted" | "error"
  readonly error?: LoopError
}

/** Rejects only with what is no `LoopError`: mistakes in the options. */
export const ended = async (running: Promise<RunResult>): Promise<Ended> => {
  try {
    return await running
  } catch (error) {
    if (!(error instanceof LoopError)) throw error
    return { ...error.partial, stop: error.reason === "aborted" ? "aborted" : "error", error }
  }
}
