/**
 * Long output on a terminal goes through a pager, as git does it: what was printed is kept until the end, and shown at once where it
 * fits on one screen. `LIGATURE_PAGER` comes before `PAGER`; `cat` or nothing means none.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import process from "node:process"
import type { OptionSpec } from "./arguments.ts"
import type { Io } from "./io.ts"

export const pagerOption: OptionSpec = { name: "no-pager", text: "print at once, also what is longer than the terminal" }

const pagerOf = ({ env }: Io): string | undefined => {
  const named = (env["LIGATURE_PAGER"] ?? env["PAGER"] ?? (process.platform === "win32" ? "more" : "less")).trim()
  return named === "" || named === "cat" || env["TERM"] === "dumb" ? undefined : named
}

/** False where it could not be started. */
const showIn = async (pager: string, text: string, { cwd, env }: Io): Promise<boolean> => {
  // Quit if one screen is enough, show colours, leave the text on the screen.
  const child = spawn(pager, {
    cwd,
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { ...env, LESS: env["LESS"] ?? "FRX", LV: env["LV"] ?? "-c" },
  })
  // Ctrl-C is for the pager.
  const ignore = (): void => {}
  process.on("SIGINT", ignore)
  try {
    child.stdin.on("error", ignore)
    child.stdin.end(text)
    const [code] = (await once(child, "close")) as [number | null]
    // What a shell says of a program that it cannot run.
    return code !== 127 && code !== 126
  } catch {
    return false
  } finally {
    process.off("SIGINT", ignore)
  }
}

interface Paged {
  readonly io: Io
  /** Shows what was printed. */
  readonly end: () => Promise<void>
}

export const unpaged = (io: Io): Paged => ({ io, end: async () => {} })

export const paged = (io: Io): Paged => {
  const { stdout } = io
  const pager = pagerOf(io)
  const { rows, isTerminal } = stdout
  if (pager === undefined || rows === undefined || !isTerminal) return unpaged(io)
  const pieces: (string | Uint8Array)[] = []
  const end = async (): Promise<void> => {
    const text = pieces.map((piece) => (typeof piece === "string" ? piece : Buffer.from(piece).toString("utf8"))).join("")
    const lines = text.split("\n").length
    if (lines > rows && (await showIn(pager, text, io))) return
    stdout.write(text)
  }
  return { io: { ...io, stdout: { ...stdout, write: (content) => void pieces.push(content) } }, end }
}
