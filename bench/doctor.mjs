/**
 * Question: what does `doctor` cost for a home of many sessions, as a multiple of JSON.parse over the same bytes, and what does a second
 * run cost, which reads only what changed? Everything runs in processes of its own, one after another; CPU time is told, which other
 * work on the machine changes less than the time on the clock.
 *
 * LIGATURE_CORPUS=DIR node bench/doctor.mjs DIST [MEGABYTES]   prints one JSON line.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"

const [dist, megabytes = "500"] = process.argv.slice(2)
const corpus = process.env.LIGATURE_CORPUS
const rounds = 3

/** Where agents keep these files. */
const places = {
  "claude-code": (name) => `.claude/projects/-p/${name}.jsonl`,
  "codex-rollout": (name) => `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${name}.jsonl`,
  pi: (name) => `.pi/agent/sessions/--p--/${name}.jsonl`,
  "copilot-cli": (name) => `.copilot/session-state/${name}/events.jsonl`,
}

const fill = (home) => {
  let [files, bytes] = [0, 0]
  for (let round = 0; bytes < Number(megabytes) * 1e6; round++) {
    for (const [folder, place] of Object.entries(places)) {
      for (const name of readdirSync(join(corpus, folder))) {
        const content = readFileSync(join(corpus, folder, name))
        const path = join(home, place(`${round}-${name.replaceAll(/\W/g, "")}`))
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, content)
        files++
        bytes += content.length
      }
    }
  }
  return { files, bytes }
}

const floor = `
  import { readdirSync, readFileSync } from "node:fs"
  for (const entry of readdirSync(process.env.HOME, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".jsonl")) continue
    const bytes = readFileSync(entry.parentPath + "/" + entry.name)
    for (let from = 0; from < bytes.length; ) {
      const next = bytes.indexOf(10, from)
      const to = next < 0 ? bytes.length : next
      try { JSON.parse(bytes.toString("utf8", from, to)) } catch {}
      from = to + 1
    }
  }
`

/** Seconds of CPU and on the clock of a process, which is the only child of another. */
const told = (args, env) => {
  const script = `
    import { spawnSync } from "node:child_process"
    import { readFileSync } from "node:fs"
    const started = performance.now()
    spawnSync(process.execPath, ${JSON.stringify(args)}, { stdio: "ignore" })
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ")
    console.log(JSON.stringify({ cpu: (Number(fields[13]) + Number(fields[14])) / 100, clock: (performance.now() - started) / 1000 }))
  `
  const run = spawnSync(process.execPath, ["--input-type=module", "-e", script], { env: { ...process.env, ...env }, encoding: "utf8" })
  return JSON.parse(run.stdout)
}

const home = mkdtempSync(join(tmpdir(), "ligature-doctor-"))
try {
  const what = fill(home)
  const main = resolve(dist, "cli/main.js")
  const best = {}
  for (let round = 0; round < rounds; round++) {
    const runs = {
      floor: told(["--input-type=module", "-e", floor], { HOME: home }),
      doctor: told([main, "doctor", "--json"], { HOME: home, LIGATURE_CACHE: "off" }),
      first: told([main, "doctor", "--json"], { HOME: home, LIGATURE_CACHE: join(home, `cache-${round}`) }),
      again: told([main, "doctor", "--json"], { HOME: home, LIGATURE_CACHE: join(home, `cache-${round}`) }),
    }
    for (const [name, run] of Object.entries(runs)) if (best[name] === undefined || run.cpu < best[name].cpu) best[name] = run
  }
  console.log(JSON.stringify({ ...what, ...best, ratio: best.doctor.cpu / best.floor.cpu }))
} finally {
  rmSync(home, { recursive: true, force: true })
}
