#!/usr/bin/env node
/** Where the process starts. Kept tiny: `--version` must cost hardly more than starting Node. */
import process from "node:process"
import { realIo } from "./io.ts"
import { run } from "./run.ts"

process.exitCode = await run(process.argv.slice(2), realIo())
