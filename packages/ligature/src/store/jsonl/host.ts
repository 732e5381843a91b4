/**
 * Which process this is, and whether another one that left its name in the folder still lives.
 *
 * "Dead" is said only where it is certain, because the lock of a dead process is taken away, and a process that was only
 * paused would write afterwards as if it still had it. Certain are three cases:
 *
 * - The process ran in the same system (one kernel since it was started, one container): the system knows its processes.
 * - It ran before this machine was started, and both of us see the folder on a disk of our own. Such a disk has one kernel
 *   at a time, so the other one is gone, whatever it was.
 * - Its name cannot be read, on a disk of our own where files can be linked. Names appear by a link to a file that was
 *   whole, so only a power cut can have taken the contents.
 *
 * Of everybody else nothing is known: other containers of this machine, other machines that share the folder.
 */
import { readFileSync, readlinkSync, statfsSync } from "node:fs"
import { hostname } from "node:os"
import { isWire } from "../../model/index.ts"
import { newConversationId } from "../inputs.ts"
import { attempt, errorCode } from "./files.ts"

export interface Badge {
  readonly badge: string
  /** For people. */
  readonly host: string
  /** Where process numbers mean the same: host, kernel since it was started, container; separated by spaces. */
  readonly system: string
  readonly pid: number
  /** When the process started, where the system tells. */
  readonly started?: string
  /** Whether the folder is on a disk that only this machine has, and files in it can be linked. Unknown in badges of older versions. */
  readonly disk?: "own" | "shared"
}

export type Life = "alive" | "dead" | "unknown"

/** Linux file systems that one kernel mounts at a time, and that have links: ext, XFS, Btrfs, ZFS, F2FS, bcachefs, tmpfs, overlay. */
const ownDisks = new Set([0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x794c7630])

const diskOf = (folder: string): "own" | "shared" => {
  let type = 0
  attempt(() => void (type = statfsSync(folder).type))
  return ownDisks.has(type) ? "own" : "shared"
}

interface ProcessState {
  readonly started: string | undefined
  readonly isOver: boolean
}

/** From /proc/<pid>/stat; the name before the fields may contain spaces and parentheses. */
const stateOf = (pid: number | "self"): ProcessState => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    // Over, and only waiting for somebody to ask how it ended.
    return { started: fields[19], isOver: fields[0] === "Z" || fields[0] === "X" }
  } catch {
    return { started: undefined, isOver: false }
  }
}

const systemHere = (): string => {
  const parts = [hostname().replaceAll(" ", "_")]
  attempt(() => void parts.push(readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()))
  attempt(() => void parts.push(readlinkSync("/proc/self/ns/pid")))
  return parts.join(" ")
}

/** The folder must be there. */
export const ownBadge = (folder: string): Badge => {
  const { started } = stateOf("self")
  return {
    badge: newConversationId(),
    host: hostname(),
    system: systemHere(),
    pid: process.pid,
    ...(started !== undefined && { started }),
    disk: diskOf(folder),
  }
}

/** What a badge says; undefined when it cannot be read. */
export const readBadge = (text: string): Badge | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    if (!isWire(value)) return undefined
    const { badge, host, system, pid, started, disk } = value
    if (typeof badge !== "string" || typeof host !== "string" || typeof pid !== "number") return undefined
    return {
      badge,
      host,
      system: typeof system === "string" ? system : "",
      pid,
      ...(typeof started === "string" && { started }),
      ...((disk === "own" || disk === "shared") && { disk }),
    }
  } catch {
    return undefined
  }
}

const isAlive = ({ pid, started }: Badge): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (errorCode(error) === "ESRCH") return false
  }
  const now = stateOf(pid)
  if (now.isOver) return false
  // Numbers of processes are used again.
  return started === undefined || now.started === undefined || now.started === started
}

/** The kernel that ran the process, since it was started; the host's name where that is all there is. */
const kernelOf = ({ system }: Badge): { readonly kernel: string; readonly container: string; readonly isExact: boolean } => {
  const [host = "", boot, container = ""] = system.split(" ")
  return { kernel: boot ?? host, container, isExact: boot !== undefined }
}

/** Whether the other process runs, or ran, on another machine, or on this one before it was started. */
export const isElsewhere = (other: Badge, own: Badge): boolean => kernelOf(other).kernel !== kernelOf(own).kernel

/** Undefined: a badge that cannot be read. */
export const lifeOf = (other: Badge | undefined, own: Badge): Life => {
  if (other === undefined) return own.disk === "own" ? "dead" : "unknown"
  const [there, here] = [kernelOf(other), kernelOf(own)]
  if (there.kernel === here.kernel && there.container === here.container) return isAlive(other) ? "alive" : "dead"
  const bothExact = there.isExact && here.isExact && there.kernel !== here.kernel
  const seesOwnDisk = other.disk === undefined ? other.host === own.host : other.disk === "own"
  return bothExact && own.disk === "own" && seesOwnDisk ? "dead" : "unknown"
}

export const nameOf = ({ pid, host }: Badge): string => `process ${pid} on ${host}`
