/**
 * What a request says beside its history: the tools, how the answer is to be made, how long it may be. One neutral form,
 * which each format reads from its own fields and writes into them, so that a request can move to another API as a whole.
 * What a format says in fields that no other has is named in `left`, never dropped in silence.
 */
import { isWire, type Wire } from "../../model/index.ts"

export interface ToolSettings {
  readonly name: string
  readonly description?: string
  /** JSON schema of the arguments. Absent: any object. */
  readonly schema?: Wire
  readonly strict?: boolean
  /** Takes one free text instead of arguments (custom tools). */
  readonly freeText?: true
  /** The group of tools it was declared in, where the format has groups. */
  readonly group?: string
}

export type ToolChoice = "auto" | "required" | "none" | { readonly tool: string }

export type Effort = "minimal" | "low" | "medium" | "high"

export interface ThinkingSettings {
  /** False: the model is asked not to think. */
  readonly on: boolean
  readonly effort?: Effort
  readonly budgetTokens?: number
}

/** The shape of the answer: any JSON where there is no schema. */
export interface OutputSettings {
  readonly schema?: Wire
  readonly name?: string
  readonly strict?: boolean
}

export interface RequestSettings {
  readonly model?: string
  readonly stream?: boolean
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stop?: readonly string[]
  readonly tools?: readonly ToolSettings[]
  readonly toolChoice?: ToolChoice
  readonly parallelCalls?: boolean
  readonly thinking?: ThinkingSettings
  readonly output?: OutputSettings
  /** Fields, and tools that only this provider can run, that have no place in another format. */
  readonly left: readonly string[]
}

/** What a format knows about its settings. */
export interface SettingsCodec {
  /** Fields of a request that hold its history: no settings. */
  readonly history: readonly string[]
  readonly read: (request: Wire) => RequestSettings
  readonly write: (settings: RequestSettings) => Wire
}

/** Only the members that are given. */
export const given = (fields: Readonly<Record<string, unknown>>): Wire =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

export const flagOf = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined)

export const textIn = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

export const schemaOf = (value: unknown): Wire | undefined => (isWire(value) ? value : undefined)

/** Fields that say something and that nobody here reads. */
export const leftOf = (request: Wire, known: readonly string[]): readonly string[] =>
  Object.keys(request).filter((key) => !known.includes(key) && request[key] !== undefined && request[key] !== null)

/** A tool that takes one text is a function with one argument where a format has no such tools. */
export const freeTextSchema: Wire = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
}

export const parametersOf = ({ schema, freeText }: ToolSettings): Wire =>
  freeText === true ? freeTextSchema : (schema ?? { type: "object", properties: {} })

const efforts: ReadonlySet<unknown> = new Set(["minimal", "low", "medium", "high"])

export const effortOf = (value: unknown): Effort | undefined => {
  if (efforts.has(value)) return value as Effort
  return value === "xhigh" || value === "max" ? "high" : undefined
}

const budgets: Readonly<Record<Effort, number>> = { minimal: 1024, low: 1536, medium: 6144, high: 16384 }

/** Tokens of thinking that an effort stands for, and back. */
export const budgetOf = ({ budgetTokens, effort }: ThinkingSettings): number => budgetTokens ?? budgets[effort ?? "medium"]

export const effortFor = ({ budgetTokens, effort }: ThinkingSettings): Effort => {
  if (effort !== undefined || budgetTokens === undefined || budgetTokens < 0) return effort ?? "medium"
  return budgetTokens < 2048 ? "low" : budgetTokens < 8192 ? "medium" : "high"
}
