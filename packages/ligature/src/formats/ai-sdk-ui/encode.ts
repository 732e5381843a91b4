/**
 * Conversation → AI SDK UIMessage[]. All exchanges between two user messages are the steps of one assistant UIMessage,
 * except where UIMessages of this very format stood side by side: those stay apart.
 */
import {
  type AssistantMessage,
  type Conversation,
  type Exchange,
  isWire,
  type Outcome,
  type SystemMessage,
  type UserMessage,
  type Wire,
} from "../../model/index.ts"
import { mapList, omitFields, pickFields, storageFields } from "../engine/allow-list.ts"
import { type EncodeOptions, sameElements } from "../engine/codec.ts"
import { asWire } from "../engine/wire.ts"
import { isToolPart, nativeOf, partsOf } from "./read-blocks.ts"
import { restore, writeCall, writePart, type WrittenPart } from "./write-blocks.ts"

// Fields the SDK knows on messages and parts: its validation drops or rejects others. Clean values are untouched.

const set = (...fields: readonly string[]): readonly string[] => ["type", "providerMetadata", ...fields]

const partFields: Readonly<Record<string, readonly string[]>> = {
  text: set("text", "state"),
  reasoning: set("text", "state", "reasoning", "details"),
  file: set("mediaType", "mimeType", "filename", "url", "data"),
  "step-start": set(),
  "tool-invocation": set("toolInvocation"),
}

const toolFields = set(
  "toolCallId",
  "toolName",
  "title",
  "state",
  "input",
  "rawInput",
  "output",
  "errorText",
  "preliminary",
  "approval",
  "providerExecuted",
  "callProviderMetadata",
  "resultProviderMetadata",
  "toolMetadata",
)

const messageFields: readonly string[] = [
  "id",
  "role",
  "metadata",
  "parts",
  "content",
  "createdAt",
  "toolInvocations",
  "experimental_attachments",
]

const part = (wire: unknown): unknown => {
  if (!isWire(wire) || typeof wire["type"] !== "string") return wire
  const own = Object.hasOwn(partFields, wire["type"]) ? partFields[wire["type"]] : undefined
  const fields = own ?? (isToolPart(wire) ? toolFields : undefined)
  return fields ? pickFields(wire, fields) : wire
}

const allowed = {
  message: (wire: Wire): Wire => mapList(pickFields(wire, messageFields), "parts", part),
  body: (wire: Wire): Wire => omitFields(wire, storageFields),
}

interface Run {
  readonly wire: Wire | undefined
  /** The parts are the very objects of the message: no trip through JSON has made copies of them. */
  readonly live: boolean
  readonly id: string | undefined
  readonly steps: (readonly WrittenPart[])[]
}

const wireOf = (message: AssistantMessage | SystemMessage | UserMessage): Wire | undefined => asWire(nativeOf(message))

/** The parts of one step; each call takes its outcome along. */
const writeStep = (message: AssistantMessage, outcomes: readonly Outcome[]): readonly WrittenPart[] => {
  let calls = 0
  return message.blocks.flatMap((block) => (block.type === "call" ? [writeCall(block, outcomes[calls++]?.result)] : writePart(block)))
}

const isLive = (message: AssistantMessage, wire: Wire | undefined): boolean => {
  const [first] = message.blocks
  return wire !== undefined && first !== undefined && partsOf(wire).includes(nativeOf(first))
}

/** Steps of one message share its wire value; copies of it are told by their id and size. */
const continues = (run: Run, wire: Wire | undefined): boolean => {
  if (run.wire === wire) return true
  if (run.live || !run.wire || !wire || wire["id"] === undefined) return false
  return wire["id"] === run.wire["id"] && partsOf(wire).length === partsOf(run.wire).length
}

const envelope = (conversation: Conversation, stripping: boolean): Wire => {
  const native = nativeOf(conversation)
  if (!isWire(native)) return {}
  return stripping ? allowed.body(native) : native
}

export const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
  const out: Wire[] = []
  let run: Run | undefined

  const push = (wire: Wire): void => {
    out.push(options.extras === "strip" ? allowed.message(wire) : wire)
  }

  /** Messages of another format have no id the SDK could use: their place is one that never changes. */
  const fresh = (role: string, id: string | undefined, parts: readonly unknown[]): void => {
    if (parts.length > 0) push({ id: id ?? `message-${out.length + 1}`, role, parts })
  }

  const close = (): void => {
    if (!run) return
    const { wire, id, steps } = run
    run = undefined
    if (wire) return push(restore(wire, steps.flat()))
    const spoken = steps.filter((step) => step.length > 0)
    fresh(
      "assistant",
      id,
      spoken.flatMap((step) => [{ type: "step-start" }, ...step.map(({ part }) => part)]),
    )
  }

  const assistant = (message: AssistantMessage, outcomes: readonly Outcome[]): void => {
    const wire = wireOf(message)
    if (run && !continues(run, wire)) close()
    run ??= { wire, live: isLive(message, wire), id: message.id, steps: [] }
    run.steps.push(writeStep(message, outcomes))
  }

  const exchange = ({ message, outcomes, reply }: Exchange): void => {
    assistant(message, outcomes)
    if (reply) assistant(reply, [])
  }

  for (const item of conversation.items) {
    if (item.role === "exchange") {
      exchange(item)
      continue
    }
    close()
    const written = item.blocks.flatMap(writePart)
    const wire = wireOf(item)
    if (wire) push(restore(wire, written))
    else
      fresh(
        item.role,
        item.id,
        written.map(({ part }) => part),
      )
  }
  close()
  const body = envelope(conversation, options.extras === "strip")
  return { ...body, messages: sameElements(out, body["messages"]) ? body["messages"] : out }
}
