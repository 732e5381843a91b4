/** Builders that read like the thing: `[user("hi"), assistant(call("a", "ls")), tool(result("a", "x"))]`. */
import { type Block, type CallBlock, type ResultBlock, text, type ThinkingBlock } from "./block.ts"
import type { JsonObject } from "./json.ts"
import type { Message, Role } from "./message.ts"
import type { Transcript } from "./transcript.ts"

type Part = Block | string

const message =
  (role: Role) =>
  (...parts: readonly Part[]): Message => ({
    role,
    blocks: parts.map((part) => (typeof part === "string" ? text(part) : part)),
  })

export const system = message("system")
export const user = message("user")
export const assistant = message("assistant")
/** A message that carries results. */
export const tool = message("tool")

export const call = (id: string, name: string, args: JsonObject = {}): CallBlock => ({
  type: "call",
  id,
  name,
  arguments: args,
})

export const result = (callId: string, value: string, more: Partial<ResultBlock> = {}): ResultBlock => ({
  type: "result",
  callId,
  content: value === "" ? [] : [text(value)],
  ...more,
})

export const thinking = (value: string, signature?: string): ThinkingBlock => ({
  type: "thinking",
  text: value,
  ...(signature !== undefined && { signature }),
})

export const transcript = (...messages: readonly Message[]): Transcript => ({ format: "ligature", messages })
