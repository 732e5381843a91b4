/** Where the agent looks for a session: a folder named after the project's, with every other character made a dash. */
import { shellWord } from "../../model/index.ts"
import type { SessionPlace } from "../../formats/engine/session.ts"
import { namedPlace } from "../engine/place-names.ts"
import { recordsOf, textIn } from "./tree/record.ts"

export const place = (value: unknown): SessionPlace => {
  let id: string | undefined
  let folder: string | undefined
  for (const record of recordsOf(value)) {
    id ??= textIn(record, "sessionId")
    folder ??= textIn(record, "cwd")
    if (id !== undefined && folder !== undefined) break
  }
  const project = (folder ?? "/").replaceAll(/[^a-zA-Z0-9]/g, "-")
  return namedPlace({
    id,
    otherwise: "session",
    path: (name) => `~/.claude/projects/${project}/${name}.jsonl`,
    resume: (name) => `claude --resume ${name}`,
    note: `run it in ${shellWord(folder ?? "/")}: sessions are found by the folder they name`,
  })
}
