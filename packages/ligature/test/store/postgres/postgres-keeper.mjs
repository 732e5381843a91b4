/**
 * Runs a PostgreSQL server for as long as somebody holds its stdin: node postgres-keeper.mjs <root> <uid> <command> <arguments…>.
 * When stdin ends, because the tests are over or because their process died, the server is stopped and its folder deleted.
 */
import { spawn } from "node:child_process"
import { rmSync } from "node:fs"

const [root, user, command, ...parameters] = process.argv.slice(2)
const identity = user === "" ? {} : { uid: Number(user), gid: Number(user) }
const server = spawn(command, parameters, { stdio: ["ignore", "inherit", "inherit"], cwd: root, ...identity })
const stop = () => server.kill("SIGQUIT")
process.stdin.resume()
process.stdin.once("end", stop)
process.stdin.once("error", stop)
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, stop)
server.once("close", (code) => {
  rmSync(root, { recursive: true, force: true })
  process.exit(code ?? 0)
})
