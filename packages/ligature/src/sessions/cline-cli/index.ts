/**
 * Sessions of the Cline CLI since version 3: `~/.cline/data/sessions/<id>/<id>.messages.json`, Anthropic messages in an
 * envelope. Facts are from its sources (sdk/packages/core/src/services/session-data.ts) and files of version 3.0.65.
 *
 * A file beside it, `<id>.compaction.json`, has the same shape and what the agent would send of a compacted session; a
 * manifest, `<id>.json`, makes the agent find the session at all. Results are in messages of the user, their content often a
 * list of values that are no blocks: the model sees those as JSON.
 */
import { type Block, isWire, phrase, type ResultBlock, text, type Wire } from "../../model/index.ts"
import { readBlock } from "../../formats/anthropic/decode.ts"
import { encodeBlock } from "../../formats/anthropic/encode.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { previewOf } from "../../formats/engine/malformed.ts"
import { defineSession } from "../engine/define-session.ts"
import { listIn, listOf, nativeIn, stringOf, textOf, wireOf } from "../engine/fields.ts"
import { isoOf, millisecondsOf } from "../engine/iso-time.ts"
import { patch, patchList } from "../engine/patch.ts"
import { fileNameOf } from "../engine/place-names.ts"
import { unproved } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading, WritePlace } from "../engine/session-format.ts"

const format = "cline-cli"

const isBlock = (part: unknown): boolean => isWire(part) && typeof part["type"] === "string"

/** Values of the tool, one for each command or file it was asked for. */
const isStructured = ({ content }: Wire): boolean => Array.isArray(content) && content.length > 0 && !content.every(isBlock)

const readResult = (wire: Wire): ResultBlock => ({
  type: "result",
  callId: stringOf(wire["tool_use_id"]),
  content: [text(JSON.stringify(wire["content"]))],
  structured: true,
  ...(wire["is_error"] === true && { error: true }),
  native: { [format]: wire },
})

/** A file that the user pointed at, with its content. */
const readFile = (wire: Wire): Block => ({
  type: "opaque",
  kind: "file",
  text: `<file path=${JSON.stringify(stringOf(wire["path"]))}>\n${stringOf(wire["content"])}\n</file>`,
  native: { [format]: wire },
})

const read = (wire: unknown): Block | readonly Block[] => {
  if (!isWire(wire)) return readBlock(wire)
  if (wire["type"] === "file" && typeof wire["content"] === "string") return readFile(wire)
  if (wire["type"] !== "tool_result") return readBlock(wire)
  const block = isStructured(wire) ? readResult(wire) : readBlock(wire)
  const name = textOf(wire["name"])
  return name !== undefined && "type" in block && block.type === "result" ? { ...block, name } : block
}

/** The agent asks any provider: thinking of one that signs nothing is whole without a signature. */
const blocksIn = ({ content }: Wire): readonly Block[] =>
  typeof content === "string" ? (content === "" ? [] : [text(content)]) : listOf(content).flatMap(read).map(unproved)

/** How the agent wraps what the user typed. */
const typed = /^<user_input[^>]*>([\s\S]*)<\/user_input>$/

const isSummary = ({ metadata }: Wire): boolean => wireOf(metadata)["kind"] === "compaction_summary"

const readRecord = (record: Wire): RecordReading => {
  const { role, id, modelInfo } = record
  if (role !== "user" && role !== "assistant") {
    return {
      findings: [
        { kind: "malformed-record", what: `Expected a message of the user or the assistant, got ${previewOf(role).slice(0, 40)}` },
      ],
    }
  }
  const blocks = blocksIn(record)
  const areResults = blocks.length > 0 && blocks.every(({ type }) => type === "result")
  const [first] = blocks
  const title = first?.type === "text" ? typed.exec(first.text.trim())?.[1] : undefined
  const { id: model, provider } = wireOf(modelInfo)
  const origin = {
    ...(textOf(provider) !== undefined && { provider: stringOf(provider) }),
    ...(textOf(model) !== undefined && { model: stringOf(model) }),
  }
  const message: RecordMessage = {
    role: areResults ? "tool" : role,
    blocks,
    ...(typeof id === "string" && { id }),
    ...(isWire(modelInfo) && { origin }),
    ...(isSummary(record) && { summary: true }),
  }
  const summary = textOf(wireOf(record["metadata"])["summary"])
  return {
    messages: blocks.length > 0 ? [message] : [],
    ...(isSummary(record) && { compaction: { kind: "summary", ...(summary !== undefined && { summary }) } }),
    ...(title !== undefined && { title }),
  }
}

const isUnchanged = (block: Block, before: readonly RecordMessage[]): boolean => before.some(({ blocks }) => blocks.includes(block))

const writeBlock = (block: Block, { before, callOf }: WritePlace): Wire => {
  const own = nativeIn(block, format)
  if (own && (block.type !== "result" || isUnchanged(block, before))) return own
  if (block.type === "thinking" && block.signature === undefined && block.redacted !== true) {
    return patch(nativeIn(block, anthropic.format), { type: "thinking", thinking: block.text })
  }
  if (block.type !== "result") return encodeBlock(block)
  const { native: _, ...plain } = block
  const name = block.name ?? callOf(block.callId)?.call.name
  const [only, ...others] = block.content
  // The agent sends a list as JSON text.
  const isText = only?.type === "text" && others.length === 0
  const written = { ...encodeBlock(own ? plain : block), ...(isText && block.error !== true && { content: only.text }) }
  return name === undefined ? { ...own, ...written } : patch({ ...own, ...written }, { name })
}

const isSayable = (block: Block): boolean =>
  block.type !== "opaque" || block.text !== "" || nativeIn(block, format) !== undefined || nativeIn(block, anthropic.format) !== undefined

const write = (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace): Wire | readonly Wire[] => {
  const blocks = messages.flatMap((message) => message.blocks).filter(isSayable)
  const [first] = messages
  if (blocks.length === 0 || !first) return []
  const content = patchList(
    like?.["content"],
    blocks.map((block) => writeBlock(block, place)),
  )
  if (like) return patch(like, { content })
  const { role, origin = place.origin, summary } = first
  return {
    id: place.id,
    role: role === "assistant" ? "assistant" : "user",
    content,
    ts: millisecondsOf(place.time) ?? 0,
    ...(role === "assistant" && origin?.model !== undefined && { modelInfo: { id: origin.model, provider: origin.provider ?? "unknown" } }),
    ...(summary && {
      metadata: {
        kind: "compaction_summary",
        summary: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n"),
      },
    }),
  }
}

const folderIn = (value: unknown): string | undefined =>
  /^\d*\.? ?Working Directory: (\S.*)$/m.exec(stringOf(wireOf(value)["system_prompt"]).slice(0, 20_000))?.[1]

const roles: ReadonlySet<unknown> = new Set(["lead", "subagent", "teammate"])

const started = (value: unknown): number | undefined => {
  const time = listIn(value, "messages")
    .map((record) => wireOf(record)["ts"])
    .find((ts) => typeof ts === "number")
  return typeof time === "number" && Number.isFinite(time) ? time : undefined
}

/** What the agent lists and opens a session by. It goes on with the provider and the model that are set, whatever is named here. */
const manifest = (id: string, path: string, startedAt: string, folder: string): string =>
  JSON.stringify({
    version: 1,
    session_id: id,
    source: "cli",
    pid: 0,
    started_at: startedAt,
    status: "completed",
    interactive: true,
    provider: "unknown",
    model: "unknown",
    cwd: folder,
    workspace_root: folder,
    enable_tools: true,
    enable_spawn: true,
    enable_teams: false,
    messages_path: path,
  })

export const clineCli = defineSession({
  format,
  title: "Cline CLI session",
  agent: "Cline CLI",
  sources:
    "cline/cline sdk/packages/core/src/services/session-data.ts and session-artifacts.ts (August 2026); sessions of version 3.0.65, which was run",
  capabilities: {
    homes: {
      ...anthropic.capabilities.homes,
      "result-tool-name": "native",
      "structured-result": "convention",
      "compaction-marks": "convention",
    },
  },
  wraps: "anthropic",
  layout: "value",
  listKey: "messages",
  view: "whole",
  profile: "anthropic",
  records: (value) => listIn(value, "messages"),
  wrap: (value, records, change) => {
    if (isWire(value) && !change) return value
    if (value !== undefined) return patch(wireOf(value), { messages: records })
    const [envelope, ...messages] = records
    const { system_prompt: system, ...rest } = wireOf(envelope)
    return { ...rest, messages, ...(system !== undefined && { system_prompt: system }) }
  },
  system: {
    read: (value) => textOf(wireOf(value)["system_prompt"]),
    write: (value, system) => patch(value, { system_prompt: system }),
  },
  read: readRecord,
  effective: (path) =>
    path.slice(
      Math.max(
        0,
        path.findLastIndex(({ record }) => isSummary(record)),
      ),
    ),
  write,
  results: "together",
  header: ({ session, time, system }) => [
    {
      version: 1,
      updated_at: time,
      agent: "lead",
      sessionId: session.id,
      origin: { source: "cli", mode: "user", sessionId: session.id },
      ...(system !== "" && { system_prompt: system }),
    },
  ],
  facts: ({ modelInfo }) => ({ model: textOf(wireOf(modelInfo)["id"]) }),
  about: (value) => {
    const { sessionId, agent } = wireOf(value)
    const time = started(value)
    return {
      id: textOf(sessionId),
      folder: folderIn(value),
      startedAt: time === undefined ? undefined : isoOf(time),
      ...((agent === "subagent" || agent === "teammate") && { subagent: {} }),
    }
  },
  marks: [],
  valueMarks: [
    {
      certainty: "certain",
      evidence: "messages are in an envelope with a sessionId and the agent's part",
      isOn: (value) =>
        isWire(value) &&
        value["version"] === 1 &&
        typeof value["sessionId"] === "string" &&
        roles.has(value["agent"]) &&
        Array.isArray(value["messages"]),
    },
  ],
  place: ({ id = "session", folder = "<folder>", startedAt = isoOf(0) }) => {
    const name = fileNameOf(id)
    const path = `~/.cline/data/sessions/${name}/${name}.messages.json`
    return {
      path: () => path,
      resume: () => `cline --id ${name}`,
      beside: (written: string) => ({ [`${name}.json`]: `${manifest(name, written, startedAt, folder)}\n` }),
      note: phrase`the agent finds it by a manifest in the same folder, ${name}.json, which convert --install writes`,
    }
  },
})
