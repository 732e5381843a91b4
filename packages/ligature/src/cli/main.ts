#!/usr/bin/env node
/**
 * Where the process starts. `--version` is answered before anything else is loaded: it must take hardly longer than
 * starting Node, because editors and scripts often run it.
 */
import process from "node:process"
import { version } from "./frame/package-file.ts"

const given = process.argv.slice(2)

if (given[0] === "--version") process.stdout.write(`${version()}\n`)
else {
  const [{ realIo }, { run }] = await Promise.all([import("./frame/io.ts"), import("./run.ts")])
  process.exitCode = await run(given, realIo())
}
