/**
 * How time is taken: every task once per round, round after round, and the fastest run of each counts. Interleaving
 * makes ratios robust on a loaded machine, and the minimum leaves out what other processes did to us. Each round begins
 * with another task: in a fixed order, the collector tends to fall into step with the rounds and to interrupt the same
 * task every time (measured at 1,000 messages: one collection of 5 ms in every run of one task, none in the others).
 */

const collect = typeof globalThis.gc === "function" ? globalThis.gc : () => {}

/** What is alive leaves the young generation at its second collection; compiled code stays. */
const settleYoung = () => {
  for (let times = 0; times < 2; times++) collect({ type: "minor" })
}

/**
 * Histories from this size on start each run with a collected heap, so that no task pays for another's garbage. A full
 * collection also drops compiled code, which costs JavaScript dearly and the built-in JSON functions nothing (measured:
 * 1.5 becomes 2.8 at 1,000 messages on Node 20). So each task is run on a small history after it, until it is hot again.
 */
const collectFrom = 10_000
const warmRuns = 20

/**
 * Milliseconds of the fastest run per task. A task is a function, or `{ run, prepare?, warm? }`: `prepare` makes an
 * input for one run, `warm` does the same work on little; neither is counted. A promise is awaited inside the time.
 */
export const fastest = async (tasks, { size, rounds }) => {
  const best = Object.fromEntries(Object.keys(tasks).map((name) => [name, Number.POSITIVE_INFINITY]))
  const names = Object.keys(tasks)
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const name = names[(round + turn) % names.length]
      const task = tasks[name]
      const { run, prepare, warm } = typeof task === "function" ? { run: task } : task
      if (size >= collectFrom) {
        collect()
        for (let times = 0; warm && times < warmRuns; times++) await warm()
      }
      // After the warm runs: what a check found is kept for the very next settle, and a warm run would take it.
      const input = prepare?.()
      if (prepare && size >= collectFrom) settleYoung()
      const start = performance.now()
      const value = run(input)
      if (value instanceof Promise) await value
      best[name] = Math.min(best[name], performance.now() - start)
    }
  }
  return best
}

/** Small histories take next to no time, and need their rounds: a factor below one is for the large ones. */
export const roundsFor = (size, factor = 1) => {
  if (size <= 1000) return Math.round(Math.max(1, factor) * (size <= 100 ? 300 : 60))
  return Math.max(2, Math.round(factor * (size <= 10_000 ? 12 : 3)))
}

/** Slope of log time over log size, least squares: 1 is linear, 2 quadratic. `points` are `[size, milliseconds]`. */
export const growthExponent = (points) => {
  const logs = points.map(([size, time]) => [Math.log(size), Math.log(time)])
  const mean = (index) => logs.reduce((sum, pair) => sum + pair[index], 0) / logs.length
  const [meanSize, meanTime] = [mean(0), mean(1)]
  let above = 0
  let below = 0
  for (const [size, time] of logs) {
    above += (size - meanSize) * (time - meanTime)
    below += (size - meanSize) ** 2
  }
  return below === 0 ? Number.NaN : above / below
}

/** Bytes of heap that stay in use after `make`, and what it made. */
export const retained = (make) => {
  collect()
  const before = process.memoryUsage().heapUsed
  const value = make()
  collect()
  return { bytes: process.memoryUsage().heapUsed - before, value }
}
