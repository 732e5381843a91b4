/**
 * A file layer in which the n-th call fails, once or for good. Failing for good is a process that dies there: nothing it
 * would have done afterwards happens, not even its cleaning up.
 */
import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Files, nodeFiles } from "../../src/store/jsonl/files.ts"

export interface Fault {
  /** Which call, counted from 0. */
  readonly call: number
  readonly code: string
  /** `once`: the next call works again. `dead`: none does. */
  readonly lasts: "once" | "dead"
  /** A write takes this share of its bytes before it fails. */
  readonly share?: number
}

export interface FaultyFiles {
  readonly files: Files
  readonly calls: () => number
  /** Names of the calls made, for finding out what a number means. */
  readonly names: readonly string[]
}

const failing = (code: string, name: string): Error => Object.assign(new Error(`${code}: injected into ${name}`), { code })

export const faultyFiles = (fault?: Fault): FaultyFiles => {
  const names: string[] = []
  const files = Object.fromEntries(
    Object.entries(nodeFiles).map(([name, real]) => [
      name,
      (...parameters: unknown[]): unknown => {
        const call = names.length
        names.push(name)
        const action = real as (...values: unknown[]) => unknown
        const fails = fault !== undefined && (call === fault.call || (fault.lasts === "dead" && call > fault.call))
        if (!fails) return action(...parameters)
        if (name === "write" && call === fault.call && fault.share !== undefined) {
          const [file, bytes, from] = parameters as [number, Buffer, number]
          const length = Math.floor((bytes.length - from) * fault.share)
          if (length > 0) nodeFiles.write(file, bytes.subarray(from, from + length), 0)
          // The rest of a short write is the caller's to write; a dead one never does.
          if (fault.lasts === "once" && fault.code === "SHORT") return length
        }
        if (fault.code === "SHORT") return action(...parameters)
        const error = failing(fault.code, name)
        if (name === "readAsync" || name === "flush") return Promise.reject(error)
        throw error
      },
    ]),
  ) as unknown as Files
  return { files, calls: () => names.length, names }
}

/** The number of a process that has ended. */
export const deadPid = (): number => spawnSync(process.execPath, ["--version"]).pid

/** Makes the badges in a folder those of a dead process, as if whoever wrote them had been killed. */
export const killOwners = (folder: string, pid: number): void => {
  const owners = join(folder, ".owners")
  for (const name of readdirSync(owners)) {
    if (name.endsWith(".tmp")) continue
    const path = join(owners, name)
    const text = readFileSync(path, "utf8")
    // A process that died while it wrote its badge never had a lock.
    if (text.endsWith("}")) writeFileSync(path, JSON.stringify({ ...(JSON.parse(text) as object), pid }))
  }
}
