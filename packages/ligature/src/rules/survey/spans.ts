/** Provider-side spans: halves that must be together (L9), and reasoning that must lead to something. */
import type { Message, OpaqueBlock } from "../../model/index.ts"
import { says } from "./text.ts"
import type { Spot } from "./slots.ts"

const isBefore = (left: Spot, right: Spot): boolean =>
  left.message < right.message || (left.message === right.message && left.block < right.block)

/** A turn that was paused goes on in the next assistant message; a message of the user, or the results of a call, end it. */
const inOneTurn = (messages: readonly Message[], from: Spot, to: Spot): boolean => {
  for (let index = from.message; index <= to.message; index++) {
    const message = messages[index]
    if (message?.role !== "assistant") return false
    if (index < to.message && message.blocks.some(({ type }) => type === "call")) return false
  }
  return true
}

export class Spans {
  private readonly halves = new Map<string, { call?: Spot; result?: Spot }>()
  private readonly surplus: Spot[] = []
  readonly tied: Spot[] = []

  half(block: OpaqueBlock, half: "call" | "result", spot: Spot): void {
    const span = block.span ?? ""
    const known = this.halves.get(span)
    if (known?.[half]) this.surplus.push(spot)
    else if (known) known[half] = spot
    else this.halves.set(span, { [half]: spot })
  }

  /** Thinking that must be followed by what it led to. */
  tie(spot: Spot): void {
    this.tied.push(spot)
  }

  /** `openAt`: the message at the tip, where a span may still be open; -1 for none. */
  broken(messages: readonly Message[], openAt: number): readonly Spot[] {
    if (this.halves.size === 0 && this.tied.length === 0) return []
    const broken = [...this.surplus]
    for (const { call, result } of this.halves.values()) {
      if (call && result && isBefore(call, result) && inOneTurn(messages, call, result)) continue
      if (call && !result && call.message === openAt) continue
      if (call) broken.push(call)
      if (result) broken.push(result)
    }
    for (const spot of this.tied) {
      const blocks = messages[spot.message]?.blocks ?? []
      let follower = spot.block + 1
      while (blocks[follower]?.type === "thinking") follower++
      const next = blocks.slice(follower).some((block) => block.type !== "thinking" && says(block))
      if (!next) broken.push(spot)
    }
    return broken
  }
}
