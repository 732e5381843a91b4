/** The recall tool as it is declared to every provider, and what a model asks of it, whatever shape it gives its arguments. */
import { isWire, type JsonObject } from "../../model/index.ts"

export interface ToolDefinition {
  readonly name: string
  readonly description: string
  /** JSON schema, in the part of it that every provider understands. */
  readonly parameters: JsonObject
}

export const recallToolName = "recall"

export const recallTool: ToolDefinition = {
  name: recallToolName,
  description:
    "Reads back parts of this conversation that were taken out of sight to save room. Stubs and summaries name them " +
    "by handles: #12 is the twelfth item, #12.2 the result of its second call, #12.2:5-9 lines 5 to 9 of that " +
    "result, #3-#7 items 3 to 7, one at a time. Images and files come with a whole item or result. Give a handle, or " +
    "a text to search the whole history for.",
  parameters: {
    type: "object",
    properties: {
      handle: {
        type: "string",
        description: "What to read: #12, #12.2, #12.2:5-9 or #3-#7. With search: where to start.",
      },
      search: { type: "string", description: "Text to look for in everything that was said so far." },
    },
  },
}

/** What is asked of `recall`. */
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
