export interface GeneratedCall {
  readonly id: string
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface GeneratedResult {
  readonly id: string
  readonly name: string
  readonly text: string
  readonly error: boolean
}

export type GeneratedMessage =
  | { readonly role: "user"; readonly text: string }
  | {
      readonly role: "assistant"
      readonly thinking?: { readonly text: string; readonly signature: string }
      readonly text?: string
      readonly calls: readonly GeneratedCall[]
    }
  | {
      readonly role: "results"
      readonly results: readonly GeneratedResult[]
    }

export declare const generateHistory: (count: number, seed?: number) => readonly GeneratedMessage[]
