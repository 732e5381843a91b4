/** What is asked of `recall`. */
import { isWire } from "../../model/index.ts"

export interface RecallRequest {
  readonly handle?: string
  /** Text to look for, upper and lower case alike. With a handle: from there on. */
  readonly search?: string
}

/** The arguments of a call, which some providers hand over as JSON text; any other text is taken for a handle. */
const objectIn = (text: string): unknown => {
  if (!text.trimStart().startsWith("{")) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const wordOf = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

/** What a model asked for, whatever shape it gave its arguments. Fields of no use are left out. */
export const readRecallRequest = (given: unknown): RecallRequest => {
  if (typeof given === "number") return { handle: String(given) }
  const asked = typeof given === "string" ? objectIn(given) ?? { handle: given } : given
  if (!isWire(asked)) return {}
  const [handle, search] = [wordOf(asked["handle"]), wordOf(asked["search"])]
  return { ...(handle !== undefined && { handle }), ...(search !== undefined && { search }) }
}
