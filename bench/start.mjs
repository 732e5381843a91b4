/** Question: how much later than Node itself does the command line start? Fastest of several, taken in turn. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"

const timed = (node, parameters) => {
  const start = performance.now()
  const { status } = spawnSync(node, parameters, { stdio: "ignore" })
  if (status !== 0) throw new Error(`${parameters.join(" ")} ended with ${status}`)
  return performance.now() - start
}

/** Milliseconds; undefined where there is no command line to start. */
export const measureStart = (node, main, runs = 15) => {
  if (!existsSync(main)) return undefined
  const best = { node: Number.POSITIVE_INFINITY, command: Number.POSITIVE_INFINITY }
  for (let run = 0; run < runs; run++) {
    best.node = Math.min(best.node, timed(node, ["-e", "0"]))
    best.command = Math.min(best.command, timed(node, [main, "--version"]))
  }
  return best
}
