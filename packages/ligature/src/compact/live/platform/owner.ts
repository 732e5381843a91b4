/**
 * Who holds a lease, as a name that identifies its process: so that nobody has to wait for the lease of a process that
 * died on this machine. On another machine nothing can be asked, and the lease has to run out. The modules of Node are
 * asked for at run time and not imported, so that this bundles for browsers and edge runtimes, where a name is only unique.
 */
import { hexHash } from "../../../model/index.ts"

const { process: node } = globalThis as { readonly process?: Partial<NodeJS.Process> }
const fs = node?.getBuiltinModule?.("node:fs")
const os = node?.getBuiltinModule?.("node:os")

const readOr = (read: () => string | undefined): string => {
  try {
    return read()?.trim() ?? ""
  } catch {
    return ""
  }
}

const host = readOr(() => os?.hostname()) || "-"

/** Where process ids mean the same: one machine since it was started, outside or inside of one container. */
const system = hexHash(
  [
    host,
    readOr(() => fs?.readFileSync("/proc/sys/kernel/random/boot_id", "latin1")),
    readOr(() => fs?.readlinkSync("/proc/self/ns/pid")),
  ].join(" "),
  12,
)

/** When a process started, where the system shows it: process ids are reused. */
const startOf = (pid: number | "self"): string => {
  const text = readOr(() => fs?.readFileSync(`/proc/${pid}/stat`, "latin1"))
  return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

export const newOwner = (unique: string): string =>
  `ligature ${host} ${node?.pid ?? "-"} ${startOf("self") || "-"} ${system} ${unique}`

/** True only when it is certain that this process no longer runs. */
export const isDeadOwner = (owner: string): boolean => {
  const [mark, , number, started, where] = owner.split(" ")
  const pid = Number(number)
  if (mark !== "ligature" || where !== system || !Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    node?.kill?.(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ESRCH"
  }
  const now = startOf(pid)
  return started !== undefined && started !== "-" && now !== "" && now !== started
}
