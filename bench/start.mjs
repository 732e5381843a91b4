/**
 * Question: how much later than Node itself does the command line start, and how much CPU does a small check take? Fastest of several,
 * taken in turn.
 */
import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const timed = (node, parameters) => {
  const start = performance.now()
  const { status } = spawnSync(node, parameters, { stdio: "ignore" })
  if (status !== 0) throw new Error(`${parameters.join(" ")} ended with ${status}`)
  return performance.now() - start
}

/** Milliseconds of CPU, user and system, of a process that is the only child of another. */
const cpuOf = (node, parameters) => {
  const script = `
    const { status } = require("node:child_process").spawnSync(process.execPath, ${JSON.stringify(parameters)}, { stdio: "ignore" })
    const fields = require("node:fs").readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")
    console.log(status === 0 ? (Number(fields[13]) + Number(fields[14])) * 10 : "NaN")`
  return Number(spawnSync(node, ["-e", script], { encoding: "utf8" }).stdout)
}

const request = {
  messages: [
    { role: "user", content: "List the files." },
    { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "ls", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: "a.txt" }] },
  ],
}

/** The kernel counts CPU in steps of ten milliseconds: several runs are added up. */
const runsAdded = 10

const measureCpu = (node, main) => {
  if (process.platform !== "linux") return undefined
  const folder = mkdtempSync(join(tmpdir(), "ligature-start-"))
  try {
    const file = join(folder, "request.json")
    writeFileSync(file, JSON.stringify(request))
    const sum = { node: 0, check: 0 }
    for (let run = 0; run < runsAdded; run++) {
      sum.node += cpuOf(node, ["-e", "0"])
      sum.check += cpuOf(node, [main, "check", file])
    }
    return { node: sum.node / runsAdded, check: sum.check / runsAdded }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds; undefined where there is no command line to start. */
export const measureStart = (node, main, runs = 15) => {
  if (!existsSync(main)) return undefined
  const best = { node: Number.POSITIVE_INFINITY, command: Number.POSITIVE_INFINITY }
  for (let run = 0; run < runs; run++) {
    best.node = Math.min(best.node, timed(node, ["-e", "0"]))
    best.command = Math.min(best.command, timed(node, [main, "--version"]))
  }
  const cpu = measureCpu(node, main)
  return { ...best, ...(cpu && { cpu }) }
}
