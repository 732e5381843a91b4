/**
 * The same clients and the same judge as in the simulation of a folder, for stores whose engine cannot be simulated: their calls
 * interleave, clocks move and differ, leases run out, and clients lose their stores between a call and its answer. What
 * happens between two calls to the system is up to the engine.
 */
import { expect, it } from "vitest"
import type { Store, StoreError } from "../../../src/store/index.ts"
import { Choices } from "../../../src/testing/index.ts"
import { Client, conversation, type Request } from "./clients.ts"
import { type Call, judgeHistory } from "./history.ts"
import { numbersOf } from "./simulate.ts"
import type { ClientOutcome } from "./thread.ts"

export interface SharedStores {
  readonly open: (now: () => number) => Store
  readonly dispose: () => Promise<void>
}

const mostCalls = 24
const mostAtOnce = 2

interface Seat {
  readonly client: Client
  readonly aheadMs: number
  store: Store
  readonly open: Map<number, Call>
}

type Called = Record<string, (...values: readonly unknown[]) => Promise<unknown>>

class Life {
  readonly #choices: Choices
  readonly #stores: SharedStores
  readonly #seats: readonly Seat[]
  readonly #calls: Call[] = []
  readonly #running = new Set<Promise<void>>()
  readonly #left: Store[] = []
  #clock = 1_000_000
  #time = 0

  constructor(stores: SharedStores, numbers: readonly number[]) {
    this.#choices = new Choices(numbers)
    this.#stores = stores
    this.#seats = ["A", "B", "C"].slice(0, 2 + this.#choices.number(2)).map((name) => {
      const aheadMs = [0, 0, 70, -70][this.#choices.number(4)] ?? 0
      return { client: new Client(name, this.#choices), aheadMs, store: this.#open(aheadMs), open: new Map() }
    })
  }

  #open(aheadMs: number): Store {
    return this.#stores.open(() => this.#clock + aheadMs)
  }

  async run(): Promise<string | undefined> {
    const [first] = this.#seats
    await first?.store.create({ id: conversation })
    while (this.#calls.length < mostCalls) await this.#step()
    await Promise.all(this.#running)
    this.#clock += 100 * 86_400_000
    const last = this.#open(0)
    const final = await last.load(conversation)
    const { tip } = await last.append(conversation, [{ kind: "note", id: "Z", name: "n", value: 1 }])
    const after = (await last.load(conversation)).entries.map(({ id }) => id)
    await Promise.all([last, ...this.#left, ...this.#seats.map(({ store }) => store)].map((store) => store.close()))
    if (tip !== "Z" || after.join() !== [...final.entries.map(({ id }) => id), "Z"].join()) return "The next append changed the path"
    return judgeHistory({ calls: this.#calls, powerCuts: [], final })
  }

  async #step(): Promise<void> {
    const seat = this.#seats[this.#choices.number(this.#seats.length)] as Seat
    switch (this.#choices.number(8)) {
      case 1:
        await new Promise((resolve) => setImmediate(resolve))
        return
      case 2:
        this.#clock += [1, 20, 60, 6_000][this.#choices.number(4)] ?? 1
        return
      case 3:
        if (this.#running.size > 0) await Promise.race(this.#running)
        return
      case 4:
        if (this.#choices.chance(4)) this.#crash(seat)
        return
      default:
        if (seat.open.size >= mostAtOnce) await Promise.race(this.#running)
        else this.#call(seat)
    }
  }

  /** The client never hears of what it asked for; whether it happens is up to the store. */
  #crash(seat: Seat): void {
    for (const call of seat.open.values()) seat.client.leftAlone(call, ++this.#time)
    seat.open.clear()
    this.#left.push(seat.store)
    seat.store = this.#open(seat.aheadMs)
  }

  #call(seat: Seat): void {
    const { client, store } = seat
    const { method, values, call }: Request = client.next()
    const number = this.#calls.length + 1
    const made: Call = { ...call, number, client: client.name, from: ++this.#time, until: Number.POSITIVE_INFINITY }
    this.#calls.push(made)
    seat.open.set(number, made)
    const settle = (outcome: Omit<ClientOutcome, "number">): void => {
      if (seat.open.delete(number)) client.told(made, { number, ...outcome }, ++this.#time)
    }
    const refused = (error: StoreError): void =>
      settle({ error: { reason: error.reason, message: error.message, stack: String(error.stack) } })
    const answered = (store as unknown as Called)[method]?.(...values) ?? Promise.resolve()
    const running: Promise<void> = answered.then((value) => settle({ value }), refused).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }
}

/** The first of so many lives in which something goes wrong, and what. */
export const firstWrong = async (lives: number, makeStores: () => Promise<SharedStores>): Promise<string | undefined> => {
  for (let seed = 1; seed <= lives; seed++) {
    const stores = await makeStores()
    const wrong = await new Life(stores, numbersOf(seed)).run()
    await stores.dispose()
    if (wrong !== undefined) return `seed ${seed}: ${wrong}`
  }
  return undefined
}

export const keepsPromisesInterleaved = (lives: number, makeStores: () => Promise<SharedStores>): void => {
  it(`keeps its promises in ${lives} lives with interleaved clients`, { timeout: 60_000 + lives * 2_000 }, async () => {
    expect(await firstWrong(lives, makeStores)).toBeUndefined()
  })
}
