/** What a gateway tells of its exchanges: the contract is in packages/gateway/README.md. */
import type { Place, RepairKind } from "../library-types.ts"

export interface LiveBegin {
  readonly id: string
  /** Milliseconds since 1970. */
  readonly time: number
  readonly conversation: string
  readonly parent?: string
  readonly wire: string
  readonly upstream: string
  readonly model?: string
  readonly bytes: number
  readonly question?: { readonly role: "user" | "tool" | "system" | "assistant"; readonly text: string }
}

export interface LiveChange {
  readonly rule: string
  readonly kind: RepairKind
  readonly place: Place
  readonly what: string
  readonly found?: string
  readonly ids: readonly string[]
}

export interface LiveEnd extends LiveBegin {
  readonly status: number
  readonly ended: "complete" | "upstream-broke" | "client-left"
  readonly look: "grown" | "whole" | "converted" | "none"
  readonly ms: number
  readonly repaired: readonly LiveChange[]
  readonly more?: number
  readonly refusal?: { readonly status: number; readonly text: string; readonly healed?: readonly string[] }
  readonly usage?: {
    readonly inputTokens?: number
    readonly outputTokens?: number
    readonly cacheReadTokens?: number
    readonly cacheWriteTokens?: number
  }
  readonly error?: string
}

/** An exchange that runs, or one that is over. */
export type LiveExchange = LiveBegin | LiveEnd

export const isOver = (exchange: LiveExchange): exchange is LiveEnd => "status" in exchange

/** Server-sent events of a text that comes in pieces. */
export class EventReader {
  #rest = ""

  /** Whole events in what has come. */
  take(piece: string): readonly { readonly event: string; readonly data: unknown }[] {
    this.#rest += piece
    const blocks = this.#rest.split("\n\n")
    this.#rest = blocks.pop() ?? ""
    return blocks.flatMap((block) => {
      let event = ""
      let data = ""
      for (const line of block.split("\n")) {
        if (line.startsWith("event: ")) event = line.slice(7)
        else if (line.startsWith("data: ")) data += line.slice(6)
      }
      return data === "" ? [] : [{ event, data: JSON.parse(data) as unknown }]
    })
  }
}
