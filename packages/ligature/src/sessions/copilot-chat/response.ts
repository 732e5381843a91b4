/**
 * What a request of VS Code's chat brought, both as the model had it and as the screen shows it. `result.metadata` has the
 * rounds: text, thinking and calls with the ids of the provider, and the results by those ids. `response` is the screen: its
 * tools have ids of their own, and one call may show as two of them, so that they are never read as calls; where a request has
 * no rounds, because it still runs or was killed, they are shown as text.
 */
import { type Block, type ContentBlock, isWire, text, type Wire } from "../../model/index.ts"
import { listOf, stringOf, textAt, textOf, wireOf } from "../engine/fields.ts"
import { callBlock, readContent, resultBlock } from "../engine/read-content.ts"
import type { RecordMessage, RecordReading } from "../engine/session-format.ts"

export const format = "copilot-chat"

interface Leaf {
  readonly text: string
  readonly breaks: boolean
}

/** The leaves of a tree of prompt parts, in order. Without recursion: a tree is as deep as the components that made it. */
const leavesOf = (root: unknown): readonly Leaf[] => {
  const leaves: Leaf[] = []
  const open: unknown[] = [root]
  while (open.length > 0) {
    const node = open.pop()
    if (!isWire(node)) continue
    const said = textAt(node, "text")
    if (said !== undefined) leaves.push({ text: said, breaks: node["lineBreakBefore"] === true || node["lineBreakBefore"] === 1 })
    for (const child of listOf(node["children"]).toReversed()) open.push(child)
  }
  return leaves
}

const isByte = (value: unknown): value is number => typeof value === "number" && value >= 0 && value < 256

/** Bytes as whoever wrote the file put them into JSON: as base64, as a list of numbers, or as numbers by their index. */
const base64Of = (data: unknown): string | undefined => {
  const base64 = textOf(data) ?? textAt(data, "$base64")
  if (base64 !== undefined) return base64
  const inner: unknown = isWire(data) && Array.isArray(data["data"]) ? data["data"] : data
  const bytes: readonly unknown[] = Array.isArray(inner) ? inner : Object.values(wireOf(inner))
  return bytes.length > 0 && bytes.every(isByte) ? btoa(bytes.map((byte) => String.fromCharCode(byte)).join("")) : undefined
}

/** An image or other data that a tool gave back. */
const readData = (part: Wire, mediaType: string): ContentBlock => {
  const data = mediaType.startsWith("image/") ? base64Of(part["data"]) : undefined
  const native = { [format]: part }
  if (data === undefined) return { type: "opaque", kind: "data", text: `[${mediaType}]`, native }
  return { type: "media", kind: "image", mediaType, source: { type: "base64", data }, native }
}

/** A text, data with its type, or a tree of prompt parts whose text is in its leaves. */
const readPart = (part: unknown): readonly ContentBlock[] => {
  const mediaType = textAt(part, "mimeType")
  if (isWire(part) && mediaType !== undefined && !("value" in part)) return [readData(part, mediaType)]
  const value = isWire(part) && "value" in part ? part["value"] : part
  if (typeof value === "string") return value === "" ? [] : [text(value)]
  const node = wireOf(value)["node"]
  if (node === undefined) {
    const blocks = readContent(format, value).filter(
      (block): block is ContentBlock => block.type === "text" || block.type === "media" || block.type === "opaque",
    )
    return blocks
  }
  let said = ""
  for (const leaf of leavesOf(node)) said += leaf.breaks && said !== "" && !said.endsWith("\n") ? `\n${leaf.text}` : leaf.text
  return said === "" ? [] : [text(said)]
}

const readResult = (callId: string, held: unknown): Block | undefined => {
  if (!isWire(held)) return undefined
  return {
    ...resultBlock(format, held, { callId, content: undefined, error: held["isError"] === true || held["hasError"] === true }),
    content: listOf(held["content"]).flatMap(readPart),
  }
}

const readThinking = (thinking: unknown): readonly Block[] => {
  const { text: said, encrypted } = wireOf(thinking)
  const words = Array.isArray(said) ? said.map(stringOf).join("") : stringOf(said)
  const signature = textOf(encrypted)
  return words === "" && signature === undefined ? [] : [{ type: "thinking", text: words, ...(signature !== undefined && { signature }) }]
}

/** One round: what the model said, and the results of its calls as far as there are any. */
const readRound = (round: unknown, results: Wire): readonly RecordMessage[] => {
  const { response, thinking, toolCalls } = wireOf(round)
  const said: readonly unknown[] = Array.isArray(response) ? response : [response]
  const calls = listOf(toolCalls)
    .filter(isWire)
    .map((call) => callBlock(format, call, { id: call["id"], name: call["name"], input: call["arguments"] }))
  const blocks: readonly Block[] = [...readThinking(thinking), ...readContent(format, said.map(stringOf).join("")), ...calls]
  const answers = calls.flatMap(({ id }) => (Object.hasOwn(results, id) ? (readResult(id, results[id]) ?? []) : []))
  return [
    ...(blocks.length === 0 ? [] : [{ role: "assistant" as const, blocks }]),
    ...(answers.length === 0 ? [] : [{ role: "tool" as const, blocks: answers }]),
  ]
}

const wordsOf = (value: unknown): string => (typeof value === "string" ? value : stringOf(wireOf(value)["value"]))

const nameOf = (reference: unknown): string => {
  const { name, path, fsPath, uri } = wireOf(reference)
  const place = textOf(fsPath) ?? textOf(path) ?? textAt(uri, "path") ?? ""
  return textOf(name) ?? place.slice(place.lastIndexOf("/") + 1)
}

/** What the screen shows of a tool, for a reader. */
const toolNote = (item: Wire): string => {
  const details = wireOf(item["resultDetails"])
  const output = listOf(details["output"])
    .map(wordsOf)
    .filter((words) => words !== "")
  const command = textAt(wireOf(item["toolSpecificData"])["commandLine"], "original") ?? textAt(details, "input") ?? ""
  const said = wordsOf(item["pastTenseMessage"] ?? item["invocationMessage"])
  return `[${stringOf(item["toolId"])}${[said, command, ...output]
    .filter((words) => words !== "")
    .map((words) => `: ${words}`)
    .join("")}]`
}

/** Marks of the screen. */
const silent: ReadonlySet<unknown> = new Set([
  "prepareToolInvocation",
  "mcpServersStarting",
  "progressTaskSerialized",
  "progressTask",
  "progressMessage",
  "undoStop",
  "codeblockUri",
  "textEditGroup",
  "notebookEditGroup",
  "command",
  "confirmation",
  "elicitation",
  "elicitationSerialized",
  "warning",
  "extensions",
  "pullRequest",
  "workspaceEdit",
  "questionCarousel",
  "hook",
  "multiDiffData",
  "externalEdits",
  "treeData",
  "autoModeResolution",
  "disabledClaudeHooks",
  "markdownVuln",
  "codeCitation",
  "references",
])

interface Shown {
  readonly blocks: readonly Block[]
  readonly unknown: readonly unknown[]
}

/** The answer as the screen has it. Pieces of Markdown around a reference are one text. */
const readShown = (response: readonly unknown[]): Shown => {
  const blocks: Block[] = []
  const unknown: unknown[] = []
  let said = ""
  const close = (): void => {
    if (said !== "") blocks.push(text(said))
    said = ""
  }
  for (const item of response) {
    if (!isWire(item)) continue
    const { kind } = item
    if (kind === undefined || kind === "markdownContent" || kind === "markdownVuln")
      said += wordsOf(kind === undefined ? item : (item["content"] ?? item["value"]))
    else if (kind === "inlineReference") said += nameOf(item["inlineReference"])
    else if (kind === "thinking") {
      const words = Array.isArray(item["value"]) ? item["value"].map(stringOf).join("") : stringOf(item["value"])
      if (words === "") continue
      close()
      blocks.push({ type: "thinking", text: words })
    } else if (kind === "toolInvocationSerialized" || kind === "toolInvocation") {
      close()
      blocks.push({ type: "opaque", kind, text: toolNote(item), native: { [format]: item } })
    } else if (!silent.has(kind)) unknown.push(kind)
  }
  close()
  return { blocks, unknown }
}

const origin = (request: Wire): { readonly origin?: { readonly model: string } } => {
  const model = textOf(request["modelId"])
  return model === undefined ? {} : { origin: { model } }
}

/** The user's turn with its answer: one record, several messages. */
export const readRequest = (request: Wire): RecordReading => {
  const { message, response, result } = request
  const words = typeof message === "string" ? message : textAt(message, "text")
  if (words === undefined) return { findings: [{ kind: "malformed-record", what: "Expected a request with the text of its message" }] }
  const metadata = wireOf(wireOf(result)["metadata"])
  const rounds = listOf(metadata["toolCallRounds"]).flatMap((round) => readRound(round, wireOf(metadata["toolCallResults"])))
  const { blocks, unknown } = readShown(listOf(response))
  const answer: readonly RecordMessage[] = rounds.length > 0 ? rounds : blocks.length > 0 ? [{ role: "assistant", blocks }] : []
  const id = textOf(request["requestId"])
  return {
    messages: [
      { role: "user", blocks: readContent(format, words), ...(id !== undefined && { id }) },
      ...answer.map((each) => (each.role === "assistant" ? { ...each, ...origin(request) } : each)),
    ],
    ...(unknown.length > 0 && { unknownTypes: unknown }),
  }
}
