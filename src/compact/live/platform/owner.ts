/**
 * Who holds a lease, as a name that identifies its process: so that the lease of a process that died on this
 * machine need not be waited for. On another machine nothing can be asked, and the lease has to run out.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname } from "node:os"
import { hexHash } from "../../../model/index.ts"

import process from "node:process"

const readOr = (read: () => string): string => {
  try {
    return read().trim()
  } catch {
    return ""
  }
}

/** Where process numbers mean the same: one machine since it was started, outside or inside of one container. */
const system = hexHash(
  [
    hostname(),
    readOr(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    readOr(() => readlinkSync("/proc/self/ns/pid")),
  ].join(" "),
  12,
)

/** When a process started, where the system shows it: process ids are reused. */
const startOf = (pid: number | "self"): string => {
  const text = readOr(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

export const newOwner = (unique: string): string =>
  `ligature ${hostname()} ${process.pid} ${startOf("self") || "-"} ${system} ${unique}`

/** True only when it is certain that this process no longer runs. */
export const isDeadOwner = (owner: string): boolean => {
  const [mark, , number, started, where] = owner.split(" ")
  const pid = Number(number)
  if (mark !== "ligature" || where !== system || !Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  const now = startOf(pid)
  return started !== undefined && started !== "-" && now !== "" && now !== started
}
