#!/usr/bin/env node
/**
 * Where the process starts. `--version` is answered before anything else is loaded: it must take hardly longer than
 * starting Node, because editors and scripts often run it.
 */
import process from "node:process"
import { version } from "../files/package-file.ts"

const given = process.argv.slice(2)

// Sessions of some agents are in databases, and Node warns of its own reader of them, which nobody can act on.
const { emitWarning } = process
process.emitWarning = (warning: string | Error, ...rest: readonly unknown[]): void => {
  if (!String(warning).includes("SQLite is an experimental feature")) Reflect.apply(emitWarning, process, [warning, ...rest])
}

if (given[0] === "--version") process.stdout.write(`${version()}\n`)
else {
  const [{ realIo }, { run }] = await Promise.all([import("./frame/io.ts"), import("./run.ts")])
  process.exitCode = await run(given, realIo())
}
