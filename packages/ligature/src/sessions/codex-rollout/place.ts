/** Where Codex looks for a session: by the day it began, the name made of that moment and the thread. */
import type { SessionPlace } from "../../formats/engine/session.ts"
import { namedPlace } from "../engine/place-names.ts"
import { epoch, isoOf, millisecondsOf } from "../engine/iso-time.ts"
import { payloadOf, recordsOf, textField } from "./records.ts"

export const place = (value: unknown): SessionPlace => {
  const records = recordsOf(value)
  const record = records.find((one) => payloadOf(one, "session_meta"))
  const meta = payloadOf(record, "session_meta")
  const startedAt = isoOf(millisecondsOf(textField(meta, "timestamp") ?? epoch) ?? 0)
  const [day = "", clock = ""] = startedAt.split("T")
  const moment = `${day}T${clock.slice(0, 8).replaceAll(":", "-")}`
  return namedPlace({
    id: textField(meta, "id"),
    otherwise: "unknown",
    path: (name) => `~/.codex/sessions/${day.replaceAll("-", "/")}/rollout-${moment}-${name}.jsonl`,
    resume: (name) => `codex resume ${name}`,
    note: "CODEX_HOME moves ~/.codex; the list of sessions shows those of the current folder, with --all every one",
  })
}
