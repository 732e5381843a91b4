#!/usr/bin/env node
/** Where the process starts when the gateway is called by its own name. */
import process from "node:process"
import { serve } from "./serve/serve.ts"

process.exitCode = await serve(process.argv.slice(2), { out: (text) => void process.stdout.write(text), err: (text) => void process.stderr.write(text), env: process.env })
