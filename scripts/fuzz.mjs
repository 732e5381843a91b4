/**
 * `npm run fuzz`: compiles the fuzzer with the sources it tries, since Node 20 runs no TypeScript, and starts it.
 *
 *   npm run fuzz -- --seconds 300 --seed 7
 *   npm run fuzz -- --help
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const compiled = join(root, "node_modules/.cache/ligature-fuzz")
const compile = [join(root, "node_modules/typescript/bin/tsc"), "-p", join(root, "scripts/fuzz"), "--outDir", compiled]
const { status } = spawnSync(process.execPath, compile, { stdio: "inherit" })
if (status !== 0) process.exit(status ?? 1)
const { main } = await import(pathToFileURL(join(compiled, "scripts/fuzz/main.js")).href)
process.exitCode = await main(root, process.argv.slice(2))
