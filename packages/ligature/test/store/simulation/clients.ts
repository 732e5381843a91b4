/** What the clients of the simulated stores do: they take leases, append, look, and try again what they were not told about. */
import type { AppendOptions, Appended, Lease, Loaded, NewEntry } from "../../../src/store/index.ts"
import type { Choices } from "../../../src/testing/index.ts"
import type { Call } from "./history.ts"
import type { ClientOutcome } from "./thread.ts"

export const conversation = "c"

const entry = (id: string): NewEntry => ({ kind: "message", id, message: { role: "user", blocks: [{ type: "text", text: `says ${id}` }] } })

export interface Request {
  readonly method: string
  readonly values: readonly unknown[]
  readonly call: Omit<Call, "number" | "client" | "from" | "until">
}

/** The client of one place; it outlives the processes it uses. */
export class Client {
  readonly name: string
  readonly #choices: Choices
  #count = 0
  lease: Lease | undefined
  #tip: string | null | undefined
  /** An append of which nobody knows whether it was written. */
  #unknown: { readonly ids: readonly string[]; readonly operation: string } | undefined

  constructor(name: string, choices: Choices) {
    this.name = name
    this.#choices = choices
  }

  next(): Request {
    const choices = this.#choices
    const kind = choices.number(12)
    if (this.#unknown && kind < 6) return this.#append(this.#unknown.operation, this.#unknown.ids)
    switch (kind) {
      case 7:
      case 8:
        return this.#acquire()
      case 9:
        return { method: "load", values: [conversation], call: { type: "load" } }
      case 10:
        if (!this.lease) return this.#acquire()
        return { method: "renew", values: [conversation, this.lease, 40], call: { type: "renew", lease: this.lease } }
      case 11:
        if (!this.lease) return { method: "flush", values: [], call: { type: "flush" } }
        return { method: "release", values: [conversation, this.lease], call: { type: "release", lease: this.lease } }
      default: {
        const operation = `${this.name}${++this.#count}`
        return this.#append(operation, choices.chance(3) ? [`${operation}.1`, `${operation}.2`] : [operation])
      }
    }
  }

  /** One entry of this name. */
  append(operation: string): Request {
    return this.#append(operation, [operation])
  }

  #acquire(): Request {
    const durationMs = [30, 120, 5_000][this.#choices.number(3)]
    return { method: "acquire", values: [conversation, { owner: this.name, durationMs }], call: { type: "acquire" } }
  }

  #append(operation: string, ids: readonly string[]): Request {
    const durable = !this.#choices.chance(3)
    const { lease } = this
    const options: AppendOptions = {
      operation,
      durable,
      ...(lease && { lease }),
      ...(this.#tip !== undefined && this.#choices.chance(6) && { expectedTip: this.#tip }),
    }
    const call = { type: "append" as const, operation, ids, durable, ...(lease && { lease }) }
    return { method: "append", values: [conversation, ids.map(entry), options], call }
  }

  /** Takes in what a call came to. */
  told(call: Call, { value, error }: ClientOutcome, now: number): void {
    call.until = now
    if (error) {
      call.outcome = "refused"
      call.message = error.message
      if (error.reason !== undefined) call.reason = error.reason
      if (error.reason === "lease-lost") this.lease = undefined
      this.#mayRepeat(call, error.reason === "unwritable" || error.reason === "unreadable")
      return
    }
    call.outcome = "done"
    if (call.type === "append") {
      call.appended = value as Appended
      this.#tip = call.appended.tip
      this.#mayRepeat(call, false)
    } else if (call.type === "load") call.loaded = value as Loaded
    else if (call.type === "acquire" || call.type === "renew") this.lease = call.granted = value as Lease
    else if (call.type === "release") this.lease = undefined
  }

  /** The process ended before the call was answered. */
  leftAlone(call: Call, now: number): void {
    call.until = now
    call.outcome = "unknown"
    if (call.type === "release" || call.type === "acquire") this.lease = undefined
    this.#mayRepeat(call, true)
  }

  #mayRepeat({ type, operation, ids }: Call, unknown: boolean): void {
    if (type !== "append" || operation === undefined || !ids) return
    if (unknown) this.#unknown = { operation, ids }
    else if (this.#unknown?.operation === operation) this.#unknown = undefined
  }
}
