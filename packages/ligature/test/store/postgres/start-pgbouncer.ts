/**
 * pgbouncer in transaction mode in front of a PostgreSQL of the tests: connections are handed around after each transaction, so
 * that nothing of a session lasts. Installed from the system's packages; `missingPgbouncer` says why there is none.
 */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { RunningPostgres } from "./start-postgres.ts"

const nobody = 65_534
const isRoot = process.getuid?.() === 0
const command = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => spawnSync(path, ["--version"]).status === 0)

export const missingPgbouncer = (): string | undefined => (command === undefined ? "apt-get install pgbouncer" : undefined)

export interface RunningPgbouncer {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** So few connections that they change hands. */
export const startPgbouncer = async ({ socket }: RunningPostgres, connections = 3): Promise<RunningPgbouncer> => {
  if (command === undefined || socket === undefined) throw new Error("pgbouncer needs a PostgreSQL of the tests")
  const root = mkdtempSync(join(tmpdir(), "ligature-bouncer-"))
  const settings = [
    "[databases]",
    `postgres = host=${dirname(socket)} dbname=postgres user=postgres`,
    "[pgbouncer]",
    "listen_addr =",
    "listen_port = 6432",
    `unix_socket_dir = ${root}`,
    "auth_type = any",
    "pool_mode = transaction",
    `default_pool_size = ${connections}`,
    "max_client_conn = 200",
    "logfile = ",
  ]
  const file = join(root, "pgbouncer.ini")
  writeFileSync(file, `${settings.join("\n")}\n`)
  chmodSync(root, 0o755)
  if (isRoot) for (const path of [root, file]) chownSync(path, nobody, nobody)
  const child = spawn(command, [file], { stdio: ["ignore", "ignore", "pipe"], ...(isRoot && { uid: nobody, gid: nobody }) })
  let said = ""
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()))
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  for (let tries = 0; !said.includes("process up"); tries++) {
    if (tries > 500 || child.exitCode !== null) throw new Error(`pgbouncer did not start: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(root)}&port=6432&pgbouncer=true`,
    stop: async () => {
      child.kill("SIGINT")
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000)
      await ended
      clearTimeout(timer)
      rmSync(root, { recursive: true, force: true })
    },
  }
}
