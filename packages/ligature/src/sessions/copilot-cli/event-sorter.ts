/**
 * The order in which the model sees what the events tell. Parallel tools report as they finish, and notices come at any
 * time; the model gets all results of a message together, in the order of its calls, and notices behind them. So
 * results that follow one message are sorted by its calls, and a notice waits while calls are open.
 */
import type { Message } from "../../model/index.ts"

/** A message and the index of its record. */
interface Event {
  readonly message: Message
  readonly index: number
}

export interface Heard extends Event {
  /** Index of the last record among those it was sorted with. */
  readonly end: number
}

const callIdOf = ({ message }: Event): string => {
  const [block] = message.blocks
  return block?.type === "result" ? block.callId : ""
}

export class EventSorter {
  readonly heard: Heard[] = []
  /** Place of each call among those of the last message that has not been answered in full. */
  private order = new Map<string, number>()
  private open = 0
  private results: Event[] = []
  private notices: Event[] = []

  add(heard: Event, isNotice: boolean): void {
    const { message } = heard
    if (message.role === "tool") {
      if (this.order.has(callIdOf(heard))) this.open--
      this.results.push(heard)
      return
    }
    if (isNotice && this.open > 0) {
      this.notices.push(heard)
      return
    }
    this.flush()
    this.heard.push({ ...heard, end: heard.index })
    if (message.role === "assistant") this.expect(message)
  }

  private expect({ blocks }: Message): void {
    this.order = new Map()
    for (const block of blocks) {
      if (block.type !== "call" || block.id === "" || this.order.has(block.id)) continue
      this.order.set(block.id, this.order.size)
    }
    this.open = this.order.size
  }

  flush(): void {
    const last = this.order.size
    const rank = (heard: Event): number => this.order.get(callIdOf(heard)) ?? last
    if (this.results.length > 1) this.results.sort((left, right) => rank(left) - rank(right))
    let end = -1
    for (const { index } of this.results) end = Math.max(end, index)
    for (const { index } of this.notices) end = Math.max(end, index)
    for (const heard of this.results) this.heard.push({ ...heard, end })
    for (const heard of this.notices) this.heard.push({ ...heard, end })
    this.results = []
    this.notices = []
  }
}
