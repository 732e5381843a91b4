/**
 * The thread in which the simulated processes of one place run, one after the other: the store's own code, as it is built.
 *
 * Every call to the system is handed to the world, and the thread sleeps until the world has done it: so a process can be
 * paused or killed at each of them, also where the code is synchronous. When there is nothing left to do, the world is
 * told so, and says what comes next: a call of a client, the end of a flush, a timer. Time is the world's.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import os from "node:os"
import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import { workerData } from "node:worker_threads"

const { code, memory } = workerData
const control = new Int32Array(memory, 0, 8)
const times = new Float64Array(memory, 32, 2)
const area = Buffer.from(memory, 64)

const { jsonlStore } = await import(pathToFileURL(join(code, "store", "index.js")).href)

/** Hands a message over, waits for the answer. */
const exchange = (message, bytes) => {
  const text = Buffer.from(JSON.stringify(message))
  text.copy(area)
  bytes?.copy(area, text.length)
  control[1] = text.length
  control[2] = bytes?.length ?? 0
  Atomics.store(control, 0, 1)
  Atomics.notify(control, 0)
  while (Atomics.load(control, 0) === 1) Atomics.wait(control, 0, 1)
  const answer = JSON.parse(area.toString("utf8", 0, control[1]))
  if (control[2] > 0) answer.bytes = Buffer.from(area.subarray(control[1], control[1] + control[2]))
  return answer
}

/** What became of the calls of clients since the last message. */
let outcomes = []
const tell = (message, bytes) => {
  const told = outcomes
  outcomes = []
  return exchange({ ...message, outcomes: told }, bytes)
}

/** The process that runs now, if any. */
let current

const failure = ({ code: reason, message }) => Object.assign(new Error(message), { code: reason })

const call = (self, name, values, bytes) => {
  if (self.dead) throw failure({ code: "EKILLED", message: "killed" })
  const answer = tell({ type: "call", name, values }, bytes)
  if (answer.killed) {
    self.dead = true
    throw failure({ code: "EKILLED", message: "killed" })
  }
  if (answer.error) throw failure(answer.error)
  return answer
}

const later = (self, name, values) =>
  new Promise((resolve, reject) => {
    const { value } = call(self, name, values)
    self.pending.set(value, { resolve, reject })
  })

const filesOf = (self) => {
  const value =
    (name) =>
    (...values) =>
      call(self, name, values).value
  const readInto = (into, answer) => answer.bytes?.copy(into) ?? 0
  return {
    open: value("open"),
    close: value("close"),
    read: (file, into, length, position) => readInto(into, call(self, "read", [file, length, position])),
    readAsync: async (file, into, length, position) => readInto(into, await later(self, "readAsync", [file, length, position])),
    write: (file, bytes, from) => call(self, "write", [file], bytes.subarray(from)).value,
    truncate: value("truncate"),
    flush: async (file) => void (await later(self, "flush", [file])),
    flushNow: (file) => {
      call(self, "flushNow", [file])
      return true
    },
    flushFolder: (folder) => {
      call(self, "flushFolder", [folder])
    },
    stateOf: value("stateOf"),
    stateAt: value("stateAt"),
    readWhole: (path) => call(self, "readWhole", [path]).bytes ?? Buffer.alloc(0),
    link: value("link"),
    rename: value("rename"),
    unlink: value("unlink"),
    names: value("names"),
    makeFolder: value("makeFolder"),
    exists: value("exists"),
  }
}

/** What the store asks of its machine, answered by the world. */
const real = { readFileSync: fs.readFileSync, readlinkSync: fs.readlinkSync, statfsSync: fs.statfsSync }
fs.readFileSync = (path, ...rest) => {
  if (typeof path !== "string" || !path.startsWith("/proc/") || !current) return real.readFileSync(path, ...rest)
  if (path.endsWith("boot_id")) return `${current.machine.boot}\n`
  const pid = path.split("/")[2]
  const { value } = call(current, "started", [pid === "self" ? current.machine.pid : Number(pid)])
  return `${pid} (node) S ${"0 ".repeat(18)}${value} 0`
}
fs.readlinkSync = (path, ...rest) =>
  path === "/proc/self/ns/pid" && current ? current.machine.namespace : real.readlinkSync(path, ...rest)
fs.statfsSync = (path, ...rest) => (current ? { type: current.machine.disk } : real.statfsSync(path, ...rest))
os.hostname = () => current?.machine.host ?? "nowhere"
process.kill = (pid, signal) => void call(current, "kill", [pid, signal])
Object.defineProperty(process, "pid", { get: () => current?.machine.pid ?? 0 })
performance.now = () => times[0]
Math.random = () => 0.5
globalThis.setTimeout = (action, ms) => {
  const self = current
  const { value } = call(self, "timer", [ms])
  self.pending.set(value, { resolve: action })
  return { unref: () => {} }
}
syncBuiltinESMExports()

const describeError = (error) => ({
  name: error?.name,
  reason: error?.reason,
  message: String(error?.message ?? error),
  holder: error?.holder,
  stack: String(error?.stack),
})

const commands = {
  start: ({ machine, options }) => {
    const self = { machine, dead: false, pending: new Map() }
    current = self
    self.store = jsonlStore({ ...options, files: filesOf(self), now: () => times[1] })
  },
  client: ({ number, method, values }) => {
    const self = current
    const settle = (outcome) => {
      if (!self.dead) outcomes.push({ number, ...outcome })
    }
    const answered = async () => self.store[method](...values)
    answered().then(
      (value) => settle({ value }),
      (error) => settle({ error: describeError(error) }),
    )
  },
  complete: ({ pending, error, value, bytes }) => {
    const waiting = current.pending.get(pending)
    current.pending.delete(pending)
    if (error) waiting.reject(failure(error))
    else waiting.resolve({ value, bytes })
  },
  kill: () => {
    current.dead = true
    current = undefined
  },
}

/** Says that nothing is left to do, and does what the world says; its consequences run before the next turn. */
const turn = () => {
  const command = tell({ type: "idle" })
  try {
    commands[command.type](command)
  } catch (error) {
    if (error?.code !== "EKILLED") tell({ type: "broken", error: describeError(error) })
  }
  setImmediate(turn)
}
setImmediate(turn)
