/**
 * Obeys `DEBUG=ligature:*` (or single topics) in Node: lines of the library go to stderr. Imported by the entry modules that
 * run in Node, for its effect; without the setting it has none.
 */
import process, { stderr } from "node:process"
import { setDebugSink, visible } from "../model/index.ts"
import { wantsTopic } from "./wants-topic.ts"

export * from "./index.ts"

const setting = process.env["DEBUG"]

if (setting?.includes("ligature") === true || setting?.includes("*") === true) {
  setDebugSink((topic) =>
    wantsTopic(setting, topic) ? (line) => void stderr.write(`ligature:${topic} ${visible(line).replaceAll("\n", "\\n")}\n`) : undefined,
  )
}
