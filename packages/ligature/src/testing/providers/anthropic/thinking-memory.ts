/**
 * Preserved thinking: each thinking block is bound to everything before it. A request alone does not show what a
 * block was bound to, so a server keeps this memory of the blocks it issued.
 *
 * For every issued signature it keeps a chained hash of the prefix and the signature of the thinking block before it.
 * The hash covers system, tools that are not deferred, and all blocks except thinking, with message borders and without
 * cache marks. The link to the block before covers thinking itself: dropping the first blocks leaves all later links
 * whole, a gap in the middle or a block that was put back breaks one.
 */
import { createHash } from "node:crypto"
import { isArray, isObject, type Violation, type WireObject } from "../verdict.ts"

interface Issued {
  readonly prefix: string
  readonly previous: string | undefined
  readonly thinking: string
}

interface Walk {
  hash: string
  previous: string | undefined
}

interface ThinkingMemory {
  /** What is wrong with the thinking of this request, given what was issued before. */
  readonly violation: (body: unknown) => Violation | undefined
  /** Remembers the thinking blocks of the reply to this request. */
  readonly issue: (body: unknown, reply: readonly unknown[]) => void
}

export function thinkingMemory(): ThinkingMemory {
  const issued = new Map<string, Issued>()
  return {
    violation: (body) => {
      if (!isObject(body)) return undefined
      const dropsBlocks = dropsMismatches(body["thinking"])
      const latest = latestAssistant(body["messages"])
      return walkBody(body, (block, walk, message, index) =>
        judgeBlock(block, walk, issued, `messages.${message}.content.${index}`, message === latest, dropsBlocks),
      ).found
    },
    issue: (body, reply) => {
      if (!isObject(body)) return
      const { walk } = walkBody(body, () => undefined)
      walk.hash = chain(walk.hash, "assistant")
      for (const block of reply) {
        if (!isObject(block)) continue
        if (block["type"] === "thinking") {
          const { signature, thinking } = block
          issued.set(String(signature), { prefix: walk.hash, previous: walk.previous, thinking: String(thinking) })
        }
        advance(walk, block)
      }
    },
  }
}

function dropsMismatches(thinking: unknown): boolean {
  const binding = isObject(thinking) ? thinking["block_binding"] : undefined
  return isObject(binding) && binding["prefix_mismatch_behavior"] === "drop_block"
}

function latestAssistant(messages: unknown): number {
  if (!isArray(messages)) return -1
  return messages.findLastIndex((message) => isObject(message) && message["role"] === "assistant")
}

function walkBody(
  body: WireObject,
  visit: (block: WireObject, walk: Walk, message: number, index: number) => Violation | undefined,
): { readonly walk: Walk; readonly found: Violation | undefined } {
  const tools = isArray(body["tools"]) ? body["tools"] : []
  const bound = tools.filter((tool) => !(isObject(tool) && tool["defer_loading"] === true))
  const walk: Walk = { hash: chain(chain("", text(body["system"])), text(bound)), previous: undefined }
  const messages = isArray(body["messages"]) ? body["messages"] : []
  for (let message = 0; message < messages.length; message++) {
    const each = messages[message]
    if (!isObject(each)) continue
    walk.hash = chain(walk.hash, String(each["role"]))
    const content = each["content"]
    const blocks = isArray(content) ? content : [{ type: "text", text: content }]
    for (let index = 0; index < blocks.length; index++) {
      const block = blocks[index]
      if (!isObject(block)) continue
      const found = block["type"] === "thinking" ? visit(block, walk, message, index) : undefined
      if (found !== undefined) return { walk, found }
      advance(walk, block)
    }
  }
  return { walk, found: undefined }
}

function advance(walk: Walk, block: WireObject): void {
  if (block["type"] === "thinking") walk.previous = String(block["signature"])
  else if (block["type"] !== "redacted_thinking") walk.hash = chain(walk.hash, text(block))
}

function judgeBlock(
  block: WireObject,
  walk: Walk,
  issued: ReadonlyMap<string, Issued>,
  place: string,
  isLatest: boolean,
  dropsBlocks: boolean,
): Violation | undefined {
  const known = issued.get(String(block["signature"]))
  if (known === undefined || (known.thinking !== block["thinking"] && !isLatest)) {
    return {
      rule: "anthropic-thinking-signature-invalid",
      message: `${place}: Invalid \`signature\` in \`thinking\` block`,
    }
  }
  if (known.thinking !== block["thinking"]) {
    return {
      rule: "anthropic-thinking-modified",
      message:
        `${place}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be ` +
        "modified. These blocks must remain as they were in the original response.",
    }
  }
  if (dropsBlocks) return undefined
  if (known.prefix !== walk.hash) return boundViolation("anthropic-thinking-prefix-bound", place)
  const leads = walk.previous === undefined
  return leads || walk.previous === known.previous ? undefined : boundViolation("anthropic-thinking-gap", place)
}

function boundViolation(rule: string, place: string): Violation {
  return {
    rule,
    message:
      `${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different ` +
      'conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  }
}

function text(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner)) ?? ""
}

function chain(hash: string, piece: string): string {
  return createHash("sha256").update(hash).update("\n").update(piece).digest("base64")
}
