/** One simulated life of a folder that several processes share; and the smallest list of decisions that goes wrong. */
import { Choices } from "../../../src/testing/index.ts"
import { numbersFromSeed } from "../../../src/testing/damage.ts"
import { Client, conversation } from "./clients.ts"
import { type Call, type History, judgeHistory } from "./history.ts"
import type { Thread } from "./thread.ts"
import { calm, type Machine, type Process, type Weather, World } from "./world.ts"

/** Remembers what was decided, so that it can be repeated, and made simpler. */
class Decisions extends Choices {
  readonly made: number[] = []

  override number(below: number): number {
    const decision = super.number(below)
    this.made.push(decision)
    return decision
  }
}

export interface Verdict {
  /** What went wrong, if anything. */
  readonly wrong: string | undefined
  readonly trace: readonly string[]
  readonly steps: number
  readonly decisions: readonly number[]
}

export interface SimulationOptions {
  readonly tracing?: boolean
  readonly wrongAboutDeath?: boolean
}

const mostSteps = 1_500
const mostCallsPerClient = 7
const localDisk = 0xef53
const networkDisk = 0x6969

/** Several processes of one machine; in containers of their own; on machines of their own. */
const layouts = ["machine", "containers", "machines"] as const
type Layout = (typeof layouts)[number]

/** How often a place, and the machine it is on, was started again. */
interface Starts {
  readonly place: number
  readonly boots: number
  readonly restarts: number
  readonly aheadMs: number
}

const machineOf = (layout: Layout, { place, boots, restarts, aheadMs }: Starts): Machine => {
  const base = { host: "host", boot: `boot-${boots}`, namespace: "pid:[1]", disk: localDisk, aheadMs }
  if (layout === "machine") return base
  if (layout === "containers") return { ...base, host: `container-${place}`, namespace: `pid:[${place}.${restarts}]` }
  return { ...base, host: `host-${place}`, boot: `boot-${place}.${boots}.${restarts}`, disk: networkDisk }
}

/** Most clocks are right. */
const skews = [0, 0, 0, 0, 70, -70, 400 * 24 * 3_600_000] as const

const weathers: readonly Weather[] = [
  calm,
  { ...calm, kill: 200 },
  { ...calm, freeze: 12 },
  { ...calm, freeze: 12, flushError: 6, backups: true },
  { ...calm, kill: 150, freeze: 20, flushError: 10, otherError: 80 },
  { ...calm, powerCut: 300, kill: 300 },
  { ...calm, powerCut: 200, flushError: 8, otherError: 100 },
]

class Simulation {
  readonly #choices: Decisions
  readonly #world: World
  readonly #clients: readonly Client[]
  readonly #calls: Call[] = []
  readonly #open = new Map<Process, Map<number, Call>>()
  readonly #powerCuts: number[] = []
  readonly #layout: Layout
  readonly #weather: Weather
  readonly #places: { restarts: number; readonly aheadMs: number }[]
  #boots = 0
  /** How many calls each client makes, and how many at once. */
  readonly #most: number
  readonly #atOnce: number
  #time = 0
  #count = 0

  constructor(threads: readonly Thread[], numbers: readonly number[], { tracing = false, wrongAboutDeath = false }: SimulationOptions) {
    const choices = new Decisions(numbers)
    this.#choices = choices
    this.#layout = layouts[choices.number(layouts.length)] ?? "machine"
    this.#weather = { ...(weathers[choices.number(weathers.length)] ?? calm), wrongAboutDeath }
    const places = 2 + choices.number(threads.length - 1)
    this.#most = 1 + choices.number(mostCallsPerClient)
    this.#atOnce = 1 + choices.number(2)
    this.#clients = Array.from({ length: places }, (_, place) => new Client("ABC"[place] ?? "D", choices))
    this.#places = this.#clients.map(() => ({ restarts: 0, aheadMs: skews[choices.number(skews.length)] ?? 0 }))
    const listener = {
      answered: (process: Process, outcome: Parameters<Client["told"]>[1]) => {
        const call = this.#open.get(process)?.get(outcome.number)
        if (!call) return
        this.#open.get(process)?.delete(outcome.number)
        this.#clients[process.place]?.told(call, outcome, ++this.#time)
      },
      ended: (process: Process) => {
        for (const call of this.#open.get(process)?.values() ?? []) this.#clients[process.place]?.leftAlone(call, ++this.#time)
        this.#open.delete(process)
      },
      powerCut: () => void this.#powerCuts.push(++this.#time),
    }
    this.#world = new World(threads, choices, listener, { lockWaitMs: 25, checkpointBytes: [1 << 19, 1, 300][choices.number(3)] }, tracing)
  }

  run(): Verdict {
    const world = this.#world
    try {
      return this.#live()
    } catch (error) {
      return { wrong: `It broke: ${String(error)}`, trace: world.trace ?? [], steps: 0, decisions: this.#choices.made }
    } finally {
      world.killAll()
    }
  }

  #live(): Verdict {
    const world = this.#world
    const first = this.#start(0)
    this.#ask(first, "create", [{ id: conversation }])
    this.#finish(first)
    for (let place = 1; place < this.#clients.length; place++) this.#start(place)
    world.weather = this.#weather
    let steps = 0
    while (steps < mostSteps && this.#step()) steps++
    world.weather = calm
    world.killAll()
    const final = this.#look()
    const history: History = { calls: this.#calls, powerCuts: this.#powerCuts, final }
    return { wrong: judgeHistory(history), trace: world.trace ?? [], steps, decisions: this.#choices.made }
  }

  #start(place: number): Process {
    const { restarts, aheadMs } = this.#places[place] ?? { restarts: 0, aheadMs: 0 }
    const name = `${this.#clients[place]?.name ?? ""}${this.#count++}`
    const process = this.#world.start(name, place, machineOf(this.#layout, { place, boots: this.#boots, restarts, aheadMs }))
    this.#open.set(process, new Map())
    return process
  }

  #ask(process: Process, method: string, values: readonly unknown[]): void {
    this.#world.call(process, 0, method, values)
  }

  /** Lets one process go on alone until nothing is left to do. */
  #finish(process: Process): void {
    for (;;) {
      const step = this.#world.steps().find((one) => one.process === process)
      if (!step) return
      this.#world.take(step)
    }
  }

  #step(): boolean {
    const world = this.#world
    if (this.#mayEnd()) return true
    const steps = world.steps()
    const callers = world.processes.filter((process) => this.#mayCall(process))
    const total = steps.length + callers.length
    if (total === 0) return world.wait() || this.#restart()
    const next = this.#choices.number(4) === 0 || total === 1 ? 0 : this.#choices.number(total)
    const step = steps[next]
    if (step) world.take(step)
    else this.#call(callers[next - steps.length] as Process)
    return true
  }

  #mayCall(process: Process): boolean {
    const made = this.#calls.filter(({ client }) => client === this.#clients[process.place]?.name).length
    return process.message.type === "idle" && process.open < this.#atOnce && process.frozenUntil <= this.#world.clock && made < this.#most
  }

  #call(process: Process): void {
    const client = this.#clients[process.place] as Client
    const { method, values, call } = client.next()
    const number = this.#calls.length + 1
    const made: Call = { ...call, number, client: client.name, process: process.name, from: ++this.#time, until: Number.POSITIVE_INFINITY }
    this.#calls.push(made)
    this.#open.get(process)?.set(number, made)
    this.#world.call(process, number, method, values)
  }

  #mayEnd(): boolean {
    const world = this.#world
    const { kill, powerCut, backups } = world.weather
    if (powerCut > 0 && this.#choices.chance(powerCut)) {
      world.powerCut()
      this.#boots++
      return true
    }
    if (backups && this.#choices.chance(60)) world.linkElsewhere()
    if (kill === 0 || world.processes.length === 0 || !this.#choices.chance(kill)) return false
    const victim = world.processes[this.#choices.number(world.processes.length)] as Process
    world.kill(victim)
    // Sometimes the whole container or machine goes, and comes back as another one.
    const place = this.#places[victim.place]
    if (place && this.#choices.chance(3)) place.restarts++
    return true
  }

  /** A process in a place that has none. False: there is one everywhere, or nothing is left to do. */
  #restart(): boolean {
    const place = this.#clients.findIndex(({ name }, index) => {
      const made = this.#calls.filter(({ client }) => client === name).length
      return made < this.#most && !this.#world.processes.some((process) => process.place === index)
    })
    if (place === -1) return false
    this.#start(place)
    return true
  }

  /**
   * A new process reads everything and goes on; a person helps only where nobody could know that a holder is gone. Another
   * process finds the same.
   */
  #look(): History["final"] {
    const world = this.#world
    world.clock += 60_000
    const process = this.#start(0)
    const loaded = this.#finally(process, "load", [conversation])
    if (!loaded.loaded) throw new Error(`The log cannot be read: ${loaded.message}`)
    const { method, values } = new Client("Z", this.#choices).append("Z")
    let appended = this.#finally(process, method, values)
    if (appended.reason === "held" && this.#mayNeedHelp()) {
      this.#finally(process, "unlock", [conversation, { force: true }])
      appended = this.#finally(process, method, values)
    }
    if (appended.outcome !== "done") throw new Error(`The log cannot be written: ${appended.message}`)
    world.kill(process)
    const again = this.#finally(this.#start(0), "load", [conversation])
    world.killAll()
    const [before, after] = [loaded.loaded, again.loaded].map((one) => one?.entries.map(({ id }) => id) ?? [])
    if (JSON.stringify([...(before ?? []), "Z"]) !== JSON.stringify(after))
      throw new Error(`The next append changed the path to ${after?.join(" ")}`)
    return loaded.loaded
  }

  /** Whoever died in another container, or on another machine, cannot be known to be dead; nor can a wrong clock be waited for. */
  #mayNeedHelp(): boolean {
    return this.#layout !== "machine" || this.#places.some(({ aheadMs }) => aheadMs > 0)
  }

  #finally(process: Process, method: string, values: readonly unknown[]): Call {
    const number = 1_000_000 + this.#count++
    const type = method === "append" ? "append" : "load"
    const made: Call = { number, client: "final", type, from: 0, until: 0 }
    this.#open.get(process)?.set(number, made)
    this.#world.call(process, number, method, values)
    this.#finish(process)
    return made
  }
}

export const simulate = (threads: readonly Thread[], numbers: readonly number[], options: SimulationOptions = {}): Verdict => {
  const simulation = new Simulation(threads, numbers, options)
  return simulation.run()
}

/** Neighbouring seeds begin alike, so the beginning is left out. */
export const numbersOf = (seed: number): readonly number[] => numbersFromSeed(Math.imul(seed, 0x9e3779b1), 6_000).slice(20)
