/** `ligature view`: the page for sessions, in a browser on this machine. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { dirname, join, resolve } from "node:path"
import process from "node:process"
import { phrase } from "../../model/index.ts"
import type { Command, Context, ExitCode } from "../frame/command.ts"
import { UsageError } from "../frame/usage-error.ts"
import { startView } from "../view/view-server.ts"
import { isFolder, ViewSessions } from "../view/view-sessions.ts"
import { isOwnStore } from "../input/own-store.ts"
import { ViewStore } from "../view/view-store.ts"
import { homeOf } from "../sessions/session-files.ts"
import { parseStoreLocation, type StoreLocation, storeOption } from "../store/store-location.ts"
import { fileOf } from "../sessions/session-name.ts"

const portOf = ({ arguments: given }: Context): number => {
  const text = given.text("port") ?? "0"
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port
  throw new UsageError(phrase`--port is a number up to 65535, not ${text}`)
}

/** Where conversations are stored: as it was said, else where the gateway keeps them by itself, if it did. */
const storeOf = async ({ arguments: given, io }: Context): Promise<StoreLocation | undefined> => {
  const named = given.text("store") ?? io.env["LIGATURE_STORE"]
  if (named !== undefined && named !== "") return parseStoreLocation(named, io.cwd)
  const usual = join(homeOf(io), ".ligature", "conversations")
  return (await isFolder(usual)) ? parseStoreLocation(usual, io.cwd) : undefined
}

/** A store that was named like a file: its folder or its database; a log in it stands for all of them. */
const storeAt = async (path: string, cwd: string): Promise<StoreLocation> =>
  parseStoreLocation(/\.(?:db|sqlite3?)$/i.test(path) || (await isFolder(path)) ? path : dirname(path), cwd)

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
}

/** Opens an address in the browser of the user. Where there is none, the address was printed. */
const openBrowser = (address: string): void => {
  const [command = "xdg-open", ...before] = openers[process.platform] ?? []
  const child = spawn(command, [...before, address], { stdio: "ignore", detached: true })
  child.on("error", () => {})
  child.unref()
}

const addressTaken = (error: unknown): boolean => ["EADDRINUSE", "EACCES"].includes((error as NodeJS.ErrnoException).code ?? "")

export const view: Command = {
  summary: "show sessions in the browser: what broke, and what a repair does",
  usage: "[FILE|FOLDER]… [--store PLACE] [--port PORT] [--no-open]",
  help: `Opens a page with the sessions of all agents on this machine and the conversations of a store, or with a file or folder: the exchanges with the outcome of each
call, every finding in its place, and what a repair would do about it. The page reads files itself; nothing leaves this machine.

The server listens on 127.0.0.1 only, and answers nobody but the page it opened. Stops with Ctrl-C.`,
  takesSessions: true,
  options: [
    storeOption,
    { name: "port", value: "PORT", text: "listen on this port (default: any free port)" },
    { name: "no-open", text: "print the address, and do not open a browser" },
  ],
  examples: [
    ["ligature view", "the sessions of all agents"],
    ["ligature view latest", "the newest session of this project"],
    ["ligature view request.json", "one file"],
  ],
  run: async (context): Promise<ExitCode> => {
    const { arguments: given, io, language, out, err } = context
    const port = portOf(context)
    const folders: string[] = []
    const files: string[] = []
    const stores: ViewStore[] = []
    for (const word of given.positionals) {
      const named = context.sessions.get(word)
      const path = named ? fileOf(named) : resolve(io.cwd, word)
      if (!named && (await isOwnStore(path, io))) stores.push(new ViewStore(await storeAt(path, io.cwd)))
      else (!named && (await isFolder(path)) ? folders : files).push(path)
    }
    const location = given.positionals.length > 0 ? undefined : await storeOf(context)
    if (location !== undefined) stores.push(new ViewStore(location))
    const sessions = new ViewSessions([...folders, ...files], io, stores, given.positionals.length === 0)
    const [first] = files.map((path) => sessions.add(path))
    const { address, server } = await startView({
      sessions,
      port,
      language,
      ...(first !== undefined && folders.length === 0 && { first }),
    }).catch((error: unknown) => {
      if (addressTaken(error)) throw new UsageError(phrase`Port ${port} is taken`, phrase`Give another --port, or none.`)
      throw error
    })
    out.line(address)
    err.hint(phrase`Nothing leaves this machine. Stop with Ctrl-C.`)
    if (!given.flag("no-open")) openBrowser(address)
    const stop = (): void => {
      server.close()
      server.closeAllConnections()
    }
    process.once("SIGINT", stop).once("SIGTERM", stop)
    await once(server, "close")
    process.off("SIGINT", stop).off("SIGTERM", stop)
    await sessions.close()
    return 0
  },
}
