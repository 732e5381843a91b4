/**
 * The order in which the model sees what the events tell. Parallel tools report as they finish, and notices come at any
 * time; the model gets all results of a message together, in the order of its calls, and notices behind them. So
 * results that follow one message are sorted by its calls, and a notice waits while calls are open.
 */
import type { Message } from "../../../model/index.ts"

export interface Heard {
  readonly message: Message
  /** Index of its record. */
  readonly index: number
}

const callIdOf = ({ message }: Heard): string => {
  const [block] = message.blocks
  return block?.type === "result" ? block.callId : ""
}

export class EventSorter {
  readonly heard: Heard[] = []
  /** Place of each call among those of the last message that has not been answered in full. */
  private order = new Map<string, number>()
  private open = 0
  private results: Heard[] = []
  private notices: Heard[] = []

  add(heard: Heard, isNotice: boolean): void {
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
    this.heard.push(heard)
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
    const rank = (heard: Heard): number => this.order.get(callIdOf(heard)) ?? last
    if (this.results.length > 1) this.results.sort((left, right) => rank(left) - rank(right))
    for (const heard of this.results) this.heard.push(heard)
    for (const heard of this.notices) this.heard.push(heard)
    this.results = []
    this.notices = []
  }
}
