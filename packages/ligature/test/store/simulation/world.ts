/**
 * The simulated world: machines with clocks, processes on them, one disk, and a scheduler that decides by a list of numbers
 * who takes the next step. A step is one call to the system, the end of a flush, a timer, or a call of a client; between any
 * two of them everybody else may take any number of steps, a process may be paused or killed, and the power may fail.
 *
 * The number 0 always decides for the simplest: the same process goes on, and nothing goes wrong.
 */
import { type Choices } from "../../../src/testing/index.ts"
import { Disk, systemError } from "./disk.ts"
import type { ClientOutcome, Message, Thread } from "./thread.ts"

/** Where processes run: what a process can tell of its surroundings. */
export interface Machine {
  readonly host: string
  readonly boot: string
  /** Within it, numbers of processes mean the same. */
  readonly namespace: string
  /** Kind of the file system, as the machine sees it. */
  readonly disk: number
  /** How far its clock is ahead of the world's. */
  readonly aheadMs: number
}

interface Pending {
  readonly type: "flush" | "readAsync" | "timer"
  readonly values: readonly unknown[]
  /** Of a timer. */
  readonly due: number
}

export interface Process {
  readonly name: string
  readonly place: number
  readonly machine: Machine
  readonly pid: number
  message: Message
  readonly pending: Map<number, Pending>
  /** Calls of clients that were not answered. */
  open: number
  frozenUntil: number
}

/** How often things go wrong: once in so many chances; 0: never. */
export interface Weather {
  readonly kill: number
  readonly powerCut: number
  readonly freeze: number
  readonly flushError: number
  readonly otherError: number
  /** Now and then everything is backed up by links. */
  readonly backups: boolean
  /** A system that takes the living for dead. No store can have it: it shows that the checks can fail. */
  readonly wrongAboutDeath: boolean
}

export const calm: Weather = { kill: 0, powerCut: 0, freeze: 0, flushError: 0, otherError: 0, backups: false, wrongAboutDeath: false }

export interface Step {
  readonly process: Process
  readonly what: string
  readonly take: () => void
}

/** What the world tells of clients' calls and of what happened to processes. */
export interface Listener {
  readonly answered: (process: Process, outcome: ClientOutcome) => void
  readonly ended: (process: Process) => void
  readonly powerCut: () => void
}

const folder = "/store"
const fallible = new Set(["open", "read", "write", "truncate", "readWhole", "link", "rename", "unlink", "flushFolder"])
const delicate = new Set(["link", "write", "flushNow", "flush", "rename", "unlink", "truncate"])

export class World {
  clock = 1_000_000
  weather: Weather = calm
  readonly disk = new Disk(() => this.clock)
  readonly processes: Process[] = []
  /** What happened, where somebody wants to know. */
  readonly trace: string[] | undefined
  readonly #threads: readonly Thread[]
  readonly #choices: Choices
  readonly #listener: Listener
  readonly #storeOptions: object
  /** Every process there ever was, by namespace and number. */
  readonly #started = new Map<string, { readonly process: Process; readonly started: number }>()
  #hasFailed = false
  #backups = 0
  #nextPid = 100
  #nextPending = 1
  #last: Process | undefined

  constructor(threads: readonly Thread[], choices: Choices, listener: Listener, storeOptions: object, tracing: boolean) {
    this.trace = tracing ? [] : undefined
    this.#threads = threads
    this.#choices = choices
    this.#listener = listener
    this.#storeOptions = storeOptions
    this.disk.makeFolder(folder)
    this.disk.makeFolder(`${folder}/.owners`)
  }

  start(name: string, place: number, machine: Machine): Process {
    const pid = this.#nextPid++
    const thread = this.#threads[place] as Thread
    const process: Process = { name, place, machine, pid, message: thread.message, pending: new Map(), open: 0, frozenUntil: 0 }
    this.#started.set(`${machine.boot} ${machine.namespace} ${pid}`, { process, started: pid * 7 })
    this.processes.push(process)
    this.#say(process, () => "starts")
    this.#answer(process, { type: "start", machine: { ...machine, pid }, options: { folder, ...this.#storeOptions } })
    this.#do(process, true)
    return process
  }

  call(process: Process, number: number, method: string, values: readonly unknown[]): void {
    process.open++
    this.#say(process, () => `${method} ${JSON.stringify(values).slice(0, 200)}`)
    this.#answer(process, { type: "client", number, method, values })
  }

  /** Nothing it would have done afterwards happens. */
  kill(process: Process): void {
    this.#say(process, () => "is killed")
    this.#forget(process)
    if (process.message.type === "call") this.#answer(process, { killed: true })
    this.#answer(process, { type: "kill" })
  }

  killAll(): void {
    for (let process = this.processes[0]; process; process = this.processes[0]) this.kill(process)
  }

  #forget(process: Process): void {
    const index = this.processes.indexOf(process)
    if (index !== -1) this.processes.splice(index, 1)
    if (this.#last === process) this.#last = undefined
    this.disk.closeAll(process.name)
    this.#listener.ended(process)
  }

  powerCut(): void {
    this.trace?.push("the power fails")
    this.killAll()
    this.disk.loseCache((below) => this.#choices.number(below))
    this.#listener.powerCut()
  }

  /** Somebody keeps links to all files elsewhere, as backups do: from now on a file that is removed here still has a name. */
  linkElsewhere(): void {
    this.trace?.push("a backup links all files")
    this.#backups++
    const elsewhere = `/backup-${this.#backups}`
    this.disk.makeFolder(elsewhere)
    for (const name of this.disk.names(folder)) if (!name.startsWith(".")) this.disk.link(`${folder}/${name}`, `${elsewhere}/${name}`)
  }

  freeze(process: Process, ms: number): void {
    this.#say(process, () => `is paused for ${ms} ms`)
    process.frozenUntil = this.clock + ms
  }

  /** What could happen next; first what the process would do that took the last step. */
  steps(): readonly Step[] {
    const awake = this.processes.filter((process) => process.frozenUntil <= this.clock)
    const sorted = awake.toSorted((left, right) => Number(right === this.#last) - Number(left === this.#last))
    return sorted.flatMap((process) => this.#stepsOf(process))
  }

  /** Time goes on until somebody wakes up. False: nobody ever does. */
  wait(): boolean {
    const until = Math.min(...this.processes.map(({ frozenUntil }) => frozenUntil).filter((time) => time > this.clock))
    if (!Number.isFinite(until)) return false
    this.clock = until
    return true
  }

  take(step: Step): void {
    this.#last = step.process
    this.clock += 0.01
    step.take()
  }

  #stepsOf(process: Process): readonly Step[] {
    const { message } = process
    if (message.type === "call") return [{ process, what: message.name, take: () => this.#do(process, false) }]
    const pending = [...process.pending].filter(([, { type }]) => type !== "timer")
    const timers = [...process.pending].filter(([, { type }]) => type === "timer")
    const [first] = timers.toSorted(([, left], [, right]) => left.due - right.due)
    return [...pending, ...(first ? [first] : [])].map(([number, one]) => ({
      process,
      what: one.type,
      take: () => this.#complete(process, number, one),
    }))
  }

  #complete(process: Process, number: number, { type, values, due }: Pending): void {
    if (type === "flush" && this.#mayFreeze(process)) return
    process.pending.delete(number)
    if (type === "timer") {
      this.clock = Math.max(this.clock, due)
      this.#answer(process, { type: "complete", pending: number })
      return
    }
    try {
      const [value, bytes] = type === "flush" ? this.#flush(values[0] as number) : this.#read(values)
      this.#say(process, () => `${type} ${values.join(" ")} is through`)
      this.#answer(process, { type: "complete", pending: number, value }, bytes)
    } catch (error) {
      this.#say(process, () => `${type} ${values.join(" ")}: ${String(error)}`)
      this.#answer(process, { type: "complete", pending: number, error: errorOf(error) })
    }
  }

  /** Does the call that a process waits for. */
  #do(process: Process, quiet: boolean): void {
    const { message } = process
    if (message.type !== "call") return
    const { name, values, bytes } = message
    if (!quiet && delicate.has(name) && this.#mayFreeze(process)) return
    try {
      if (!quiet) this.#mayFail(name)
      const [value, found] = this.#system(process, name, values, bytes)
      this.#say(process, () => `${name} ${values.map(short).join(" ")}${value === undefined ? "" : ` = ${short(value)}`}`)
      this.#answer(process, { value }, found)
    } catch (error) {
      this.#say(process, () => `${name} ${values.map(short).join(" ")}: ${String(error)}`)
      this.#answer(process, { error: errorOf(error) })
    }
    if (quiet) this.#do(process, quiet)
  }

  #mayFreeze(process: Process): boolean {
    const { freeze } = this.weather
    if (freeze === 0 || !this.#choices.chance(freeze)) return false
    this.freeze(process, [20, 60, 150, 400][this.#choices.number(4)] ?? 20)
    return true
  }

  #mayFail(name: string): void {
    const { otherError } = this.weather
    if (otherError === 0 || !fallible.has(name) || !this.#choices.chance(otherError)) return
    throw systemError(name === "write" ? "ENOSPC" : "EIO", "injected")
  }

  #system(process: Process, name: string, values: readonly unknown[], bytes: Buffer): readonly [unknown, Buffer?] {
    const { disk } = this
    switch (name) {
      case "open":
        return [disk.open(process.name, values[0] as string, values[1] as "read")]
      case "read":
        return this.#read(values)
      case "write": {
        const { otherError } = this.weather
        const isShort = otherError > 0 && bytes.length > 1 && this.#choices.chance(otherError)
        const taken = isShort ? bytes.subarray(0, 1 + this.#choices.number(bytes.length - 1)) : bytes
        disk.write(values[0] as number, Buffer.from(taken))
        return [taken.length]
      }
      case "flushNow":
        return this.#flush(values[0] as number)
      case "readWhole":
        return [undefined, disk.readWhole(values[0] as string)]
      case "flush":
      case "readAsync":
      case "timer": {
        const number = this.#nextPending++
        process.pending.set(number, { type: name, values, due: this.clock + (name === "timer" ? (values[0] as number) : 0) })
        return [number]
      }
      case "kill":
      case "started":
        return [this.#processCall(process, name, values[0] as number)]
      default: {
        const action = disk[name as "unlink"] as unknown as (...values: readonly unknown[]) => unknown
        return [action.apply(disk, [...values])]
      }
    }
  }

  #processCall({ machine }: Process, name: "kill" | "started", pid: number): unknown {
    const found = this.#started.get(`${machine.boot} ${machine.namespace} ${pid}`)
    if (!found || !this.processes.includes(found.process) || (name === "kill" && this.weather.wrongAboutDeath)) {
      throw systemError(name === "kill" ? "ESRCH" : "ENOENT", `process ${pid}`)
    }
    return name === "kill" ? undefined : found.started
  }

  #read([file, length, position]: readonly unknown[]): readonly [unknown, Buffer] {
    return [undefined, this.disk.read(file as number, length as number, position as number)]
  }

  #flush(file: number): readonly [unknown] {
    const { flushError } = this.weather
    // Never twice in a row: what one process knows of a disk that fails for good, another one cannot.
    const fails = flushError > 0 && !this.#hasFailed && this.#choices.chance(flushError)
    this.#hasFailed = fails
    if (fails) {
      this.disk.failFlush(file, (below) => this.#choices.number(below))
      throw systemError("EIO", "flush failed")
    }
    this.disk.flush(file)
    return [undefined]
  }

  #answer(process: Process, answer: object, bytes?: Buffer): void {
    const thread = this.#threads[process.place] as Thread
    process.message = thread.answer(answer, bytes, this.clock, Math.floor(this.clock + process.machine.aheadMs))
    if (process.message.type === "broken") throw new Error(`The simulated process broke: ${process.message.error.stack}`)
    for (const outcome of process.message.outcomes) {
      process.open--
      const { value, error } = outcome
      this.#say(process, () => `call ${outcome.number} → ${error ? `${error.reason ?? error.name}: ${error.message}` : short(value)}`)
      this.#listener.answered(process, outcome)
    }
  }

  #say({ name }: Process, what: () => string): void {
    this.trace?.push(`${this.clock.toFixed(2)} ${name}: ${what()}`)
  }
}

const errorOf = (error: unknown): { readonly code: string; readonly message: string } => ({
  code: error instanceof Error && "code" in error ? String(error.code) : "EIO",
  message: String(error instanceof Error ? error.message : error),
})

const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "")
  return text.length > 120 ? `${text.slice(0, 120)}…` : text
}
