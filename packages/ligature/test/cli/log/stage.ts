/** A store in a folder of its own, for the commands of `ligature log`. */
import { join } from "node:path"
import { assistant, call, result, user } from "../../../src/model/index.ts"
import { jsonlStore } from "../../../src/store/index.ts"
import { cli, type CliResult, folder } from "../cli.ts"

export interface Place {
  readonly cwd: string
  readonly log: (...argv: readonly string[]) => Promise<CliResult>
  /** The parsed stdout of a command that is given --json. */
  readonly json: (...argv: readonly string[]) => Promise<Record<string, unknown>>
}

export const store = (files: Readonly<Record<string, unknown>> = {}, location = "conversations"): Place => {
  const cwd = folder(files)
  const options = { cwd, env: { LIGATURE_STORE: location } }
  return {
    cwd,
    log: (...argv) => cli(["log", ...argv], options),
    json: async (...argv) => JSON.parse((await cli(["log", ...argv, "--json"], options)).stdout) as Record<string, unknown>,
  }
}

/** A conversation `c` with known entry ids. */
export const filled = async (): Promise<Place> => {
  const place = store()
  const writer = jsonlStore({ folder: join(place.cwd, "conversations"), now: () => Date.UTC(2026, 0, 2, 3, 4) })
  await writer.create({ id: "c", title: "Two files" })
  await writer.append("c", [
    { kind: "message", id: "u1", message: user("List the files") },
    { kind: "message", id: "a1", message: assistant("I look.", call("call_1", "ls", { path: "." })) },
    { kind: "result", id: "r1", result: result("call_1", "a.ts b.ts") },
    { kind: "message", id: "a2", message: assistant("Two.") },
    { kind: "message", id: "u2", message: user("Thanks") },
  ])
  await writer.close()
  return place
}
