/**
 * ATIF, the trajectory format of Harbor and Terminal-Bench: `{ schema_version: "ATIF-v1.x", session_id, agent, steps }`. A step
 * of the agent is an exchange: its message, its calls, and in `observation` their results. Facts are from the specification
 * (docs/rfcs/0001-trajectory-format.md, v1.0 to v1.7) and trajectories of versions 1.5 and 1.7. New ones are written as v1.7.
 *
 * A result without `source_call_id` belongs to the step and to no call: agents that write their commands as text have only
 * such. It is read as what the user's side said next, and stays in its step.
 */
import {
  type Block,
  type ContentBlock,
  errorMark,
  isContent,
  isWire,
  type MediaBlock,
  readResultContent,
  type ResultBlock,
  type Role,
  text,
  type Wire,
} from "../../model/index.ts"
import { declareHomes } from "../../formats/engine/codec.ts"
import { readUrl, shownText, writeUrl } from "../../formats/engine/media.ts"
import { defineSession } from "../engine/define-session.ts"
import { listOf, nativeIn, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { patch, patchList } from "../engine/patch.ts"
import { callBlock, type OwnParts, readContent } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading, WritePlace } from "../engine/session-format.ts"

const format = "atif"

const version = "ATIF-v1.7"

const roleOf: ReadonlyMap<unknown, Role> = new Map([
  ["system", "system"],
  ["user", "user"],
  ["agent", "assistant"],
] as const)

/** An image lies beside the file or at an address; ours are in the file. */
const readImage = (part: Wire): Block | undefined => {
  const source = wireOf(part["source"])
  const path = textAt(source, "path")
  const mediaType = textAt(source, "media_type")
  return path === undefined ? undefined : { type: "media", kind: "image", ...(mediaType !== undefined && { mediaType }), ...readUrl(path) }
}

const own: OwnParts = { image: readImage }

const readObserved = (result: Wire): readonly ContentBlock[] => readContent(format, result["content"], own).filter(isContent)

const readResult = (result: Wire, callId: string): ResultBlock => ({
  type: "result",
  callId,
  ...readResultContent(readObserved(result), { errorMark: true }),
  native: { [format]: result },
})

const resultsOf = ({ observation }: Wire): readonly Wire[] => listOf(wireOf(observation)["results"]).filter(isWire)

const read = (step: Wire): RecordReading => {
  const role = roleOf.get(step["source"])
  if (role === undefined) return { findings: [{ kind: "malformed-record", what: "Expected a step of the system, the user or the agent" }] }
  const { message, reasoning_content: reasoning, tool_calls: calls, model_name: model } = step
  const results = resultsOf(step)
  const thought: readonly Block[] = typeof reasoning === "string" && reasoning !== "" ? [{ type: "thinking", text: reasoning }] : []
  const asked = listOf(calls)
    .filter(isWire)
    .map((call) => callBlock(format, call, { id: call["tool_call_id"], name: call["function_name"], input: call["arguments"] }))
  const answers = results.flatMap((result) =>
    typeof result["source_call_id"] === "string" ? [readResult(result, result["source_call_id"])] : [],
  )
  const seen = results.filter((result) => typeof result["source_call_id"] !== "string").flatMap(readObserved)
  const blocks = [...thought, ...readContent(format, message, own), ...asked]
  const messages: readonly RecordMessage[] = [
    ...(blocks.length === 0 && results.length > 0
      ? []
      : [{ role, blocks, ...(role === "assistant" && typeof model === "string" && { origin: { model } }) }]),
    ...(answers.length === 0 ? [] : [{ role: "tool" as const, blocks: answers }]),
    ...(seen.length === 0 ? [] : [{ role: "user" as const, blocks: seen }]),
  ]
  return { messages }
}

const writeImage = (block: MediaBlock): Wire | undefined => {
  const path = block.kind === "image" ? writeUrl(block) : undefined
  return path === undefined ? undefined : { type: "image", source: { media_type: block.mediaType ?? "image/png", path } }
}

/** Text alone is a text; only with images it is a list of parts. */
const writeContent = (blocks: readonly Block[], before: unknown): unknown => {
  const parts = blocks.filter(isContent).flatMap((block): readonly Wire[] => {
    const like = nativeIn(block, format)
    if (like && (like["type"] === "text" ? block.type === "text" && like["text"] === block.text : like["type"] === "image")) return [like]
    const image = block.type === "media" ? writeImage(block) : undefined
    const words = image ? "" : shownText(block)
    return image ? [image] : words === "" ? [] : [{ type: "text", text: words }]
  })
  const isPlain = parts.every(({ type }) => type === "text") && !Array.isArray(before)
  return isPlain ? parts.map((part) => stringOf(part["text"])).join("\n") : patchList(before, parts)
}

const writeResult = (result: ResultBlock): Wire => {
  const like = nativeIn(result, format)
  const before = like && "source_call_id" in like ? like : undefined
  const [first, ...rest] = result.content
  const isMarked = result.error === true && result.synthetic === undefined
  const content = isMarked
    ? [text(`${errorMark}${first?.type === "text" ? first.text : ""}`), ...(first?.type === "text" ? rest : result.content)]
    : result.content
  const same = before && writeContent(content, before["content"]) === before["content"]
  return same && before["source_call_id"] === result.callId
    ? before
    : patch(before, { source_call_id: result.callId, content: writeContent(content, before?.["content"]) })
}

const write = (messages: readonly RecordMessage[], like: Wire | undefined, { time, origin, previous }: WritePlace): Wire => {
  const said = messages.find(({ role }) => role !== "tool")
  const isAgent = said === undefined || messages.some(({ role }) => role === "assistant")
  const spoken = isAgent ? messages.filter(({ role }) => role === "assistant") : messages
  const blocks = spoken.flatMap((message) => message.blocks)
  const words = blocks.filter((block) => isContent(block))
  const thought = blocks.flatMap((block) => (block.type === "thinking" && block.text !== "" ? [block.text] : [])).join("\n\n")
  const calls = blocks.flatMap((block): readonly Wire[] =>
    block.type === "call"
      ? [patch(nativeIn(block, format), { tool_call_id: block.id, function_name: block.name, arguments: block.arguments })]
      : [],
  )
  const results = messages.flatMap((message) => message.blocks).flatMap((block) => (block.type === "result" ? [writeResult(block)] : []))
  const seen = isAgent ? messages.filter(({ role }) => role === "user") : []
  const observed = seen.flatMap((message) => message.blocks)
  const beside = observed.length === 0 ? [] : [{ content: writeContent(observed, undefined) }]
  const before = listOf(wireOf(like?.["observation"])["results"])
  const all = [...results, ...beside]
  const model = said?.origin?.model ?? origin?.model
  const count = previous?.["step_id"]
  const step = like ?? {
    step_id: typeof count === "number" ? count + 1 : 1,
    timestamp: time,
    source: isAgent ? "agent" : (said?.role ?? "user"),
  }
  return patch(step, {
    source: isAgent ? "agent" : said?.role === "system" ? "system" : "user",
    ...(!like && isAgent && model !== undefined && { model_name: model }),
    message: writeContent(words, like?.["message"]),
    reasoning_content: thought === "" ? undefined : thought,
    tool_calls: calls.length === 0 ? undefined : patchList(like?.["tool_calls"], calls),
    observation:
      all.length === 0
        ? undefined
        : patch(isWire(like?.["observation"]) ? like["observation"] : undefined, { results: patchList(before, all) }),
  })
}

/** Steps count from 1 without gaps. */
const numbered = (records: readonly unknown[]): readonly unknown[] =>
  records.map((step, index) => (isWire(step) ? patch(step, { step_id: index + 1 }) : step))

const isTrajectory = (value: unknown): value is Wire =>
  isWire(value) && Array.isArray(value["steps"]) && /^ATIF-v\d/.test(stringOf(value["schema_version"]))

const isHeader = (record: unknown): record is Wire => isWire(record) && "schema_version" in record

export const atif = defineSession({
  format,
  title: "ATIF trajectory",
  agent: "Harbor",
  aliases: ["harbor", "trajectory"],
  sources:
    "the ATIF specification v1.0 to v1.7 (harbor-framework/harbor docs/rfcs/0001-trajectory-format.md); trajectories of v1.5 and v1.7",
  capabilities: declareHomes({
    native: ["result-image", "thinking", "parallel-calls", "call-grouping", "call-id", "system-in-the-middle", "empty-result"],
    convention: ["result-error"],
  }),
  layout: "value",
  listKey: "steps",
  view: "whole",
  idsRepeat: true,
  records: (value) => (Array.isArray(value) ? value : listOf(wireOf(value)["steps"])),
  wrap: (value, records) => {
    const [first, ...rest] = records
    if (isHeader(first)) return { ...first, steps: rest }
    const file = wireOf(value)
    return records === file["steps"] ? file : { ...file, steps: records }
  },
  read,
  write,
  results: "with-call",
  header: ({ session: { id }, origin }) => [
    {
      schema_version: version,
      session_id: id,
      agent: { name: "ligature", version: "1", ...(origin?.model !== undefined && { model_name: origin.model }) },
    },
  ],
  afterWrite: numbered,
  facts: ({ timestamp, model_name: model }) => ({ startedAt: textOf(timestamp), model: textOf(model) }),
  about: (value) => {
    const { session_id: id, agent, continued_trajectory_ref: next } = wireOf(value)
    return {
      id: textOf(id),
      model: textAt(agent, "model_name"),
      agentVersion: textAt(agent, "version"),
      ...(typeof next === "string" && { needs: `the later part of the run, in ${next}` }),
    }
  },
  marks: [],
  valueMarks: [{ certainty: "certain", evidence: "it names a version of ATIF and has steps", isOn: isTrajectory }],
})
