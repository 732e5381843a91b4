/** Types for what tests use of the benchmark; the code itself is plain JavaScript. */
export interface CanonicalCall {
  readonly id: string
  readonly name: string
  readonly arguments: Readonly<Record<string, unknown>>
}
export interface CanonicalMessage {
  readonly role: "user" | "assistant" | "tool"
  readonly content: string
  readonly calls?: readonly CanonicalCall[]
  readonly call?: string
  readonly error?: true
  readonly summary?: true
}
export interface Trajectory {
  readonly id: string
  readonly group: string
  readonly messages: readonly CanonicalMessage[]
  readonly tokens: readonly number[]
  readonly items: readonly ReadonlyMap<string, string>[]
  readonly argumentItems: readonly ReadonlySet<string>[]
  readonly systemItems: ReadonlySet<string>
}
export interface Use {
  readonly item: string
  readonly type: string
  readonly weight: number
  readonly isArgument: boolean
}
export interface PreparedUse extends Use {
  readonly isHard: boolean
  readonly windows: readonly (readonly string[])[]
}
export interface Cut {
  readonly id: string
  readonly group: string
  readonly trajectory: string
  readonly context: {
    readonly messages: readonly CanonicalMessage[]
    readonly texts: readonly string[]
    readonly tokens: readonly number[]
  }
  readonly total: number
  readonly needed: readonly PreparedUse[]
}
export interface Run {
  readonly id: string
  readonly group: string
  readonly trajectory: string
  readonly rho: number
  readonly missed: readonly string[]
  readonly F: number
  readonly R: number
  readonly Rc: number
}
export interface Answer {
  readonly messages: readonly CanonicalMessage[]
  readonly isSame?: boolean
  readonly failure?: string
}
export interface Gates {
  readonly judge?: (cut: Cut, messages: readonly CanonicalMessage[]) => readonly string[]
  readonly provenance?: (cut: Cut, messages: readonly CanonicalMessage[]) => readonly string[]
}
type Messages = readonly CanonicalMessage[]
export const textOf: (message: CanonicalMessage) => string
export const textOfAll: (messages: Messages) => string
export const toTranscript: (messages: Messages) => never
export const fromMessages: (messages: readonly unknown[]) => { readonly messages: Messages; readonly system: string }
export const summarise: (runs: readonly Run[]) => {
  readonly ALL: { readonly F: number; readonly Rhc?: number }
  readonly AVG: { readonly F: number }
}
export const loadTrajectories: (
  folder: string,
  options: { readonly library: unknown; readonly code: string; readonly groups?: readonly string[] },
) => readonly Trajectory[]
export const withoutRepeats: <T extends { readonly messages: Messages; readonly tokens: readonly number[] }>(
  list: readonly T[],
) => readonly T[]
export const prepareCuts: (
  all: readonly Trajectory[],
  options?: { readonly groups?: readonly string[]; readonly limit?: number; readonly shadow?: boolean; readonly loose?: boolean },
) => readonly Cut[]
export const missedGates: (cut: Cut, budget: number, answer: Answer, gates?: Gates) => readonly string[]
export const pairingFaults: (messages: Messages) => ReadonlySet<string>
export const userText: (context: Messages, text: string) => { readonly all: number; readonly kept: number }
export const judgeWith: (library: unknown) => Required<Gates>
export const itemsOf: (text: string) => ReadonlyMap<string, string>
export const cutsOf: (trajectory: Pick<Trajectory, "messages" | "tokens">) => readonly number[]
export const neededAt: (
  trajectory: Pick<Trajectory, "messages" | "items" | "argumentItems">,
  cut: number,
  weightOf: (item: string) => number,
) => { readonly strict: readonly Use[]; readonly loose: readonly Use[]; readonly isEnough: boolean }
export const prepareNeeded: (context: Cut["context"], needed: readonly Use[]) => readonly PreparedUse[]
export const scoreText: (
  text: string,
  needed: readonly PreparedUse[],
) => {
  readonly R: number
  readonly Rc: number
  readonly F: number
  readonly Rh?: number
  readonly Rhc?: number
}
export const isIn: (text: string, item: string) => boolean
export const isComposable: (text: string, path: string) => boolean
export const windowsOf: (text: string, item: string) => readonly (readonly string[])[]
export const isInContext: (text: string, item: string, windows: readonly (readonly string[])[]) => boolean
export const wordsOf: (text: string) => ReadonlySet<string>
export const weightsFor: (
  frequency: { readonly total: number; readonly seen: ReadonlyMap<string, number> },
  systemItems: ReadonlySet<string>,
) => (item: string) => number
export const budgetOf: (cut: Cut, rho: number) => number
export const judged: (cut: Cut, answer: Answer & { readonly rho: number }, gates?: Gates) => Run
export const baselines: Readonly<
  Record<string, (messages: Messages, budget: number, extras: { readonly needed?: readonly PreparedUse[] }) => Messages | Promise<Messages>>
>
export const fromStrategy: (
  strategy: unknown,
  library: unknown,
  options?: { readonly meter?: "exact" | "estimate" },
) => {
  readonly compactMessages: (messages: Messages, budget: number) => Answer
}
export const hasTokenizer: boolean
