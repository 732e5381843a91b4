/**
 * Cache marks of an Anthropic request: at most four, and none that lives longer than one before it. They are counted in
 * the order in which the API caches: tools, system, messages.
 */
import { type WireObject, isArray, isObject } from "../wire.ts"
import type { Violation } from "../verdict.ts"

interface Marks {
  count: number
  short: boolean
  violation: Violation | undefined
  /** Lifetime of the mark on the last block that was read, for the top-level mark that lands there. */
  lastTtl: string | undefined
}

export function cacheViolation(body: WireObject): Violation | undefined {
  const marks: Marks = { count: 0, short: false, violation: undefined, lastTtl: undefined }
  readBlocks(marks, body["tools"], "tools")
  readBlocks(marks, body["system"], "system")
  const messages = body["messages"]
  if (isArray(messages)) {
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index]
      if (isObject(message) && isArray(message["content"])) readBlocks(marks, message["content"], index)
    }
  }
  if (marks.violation !== undefined) return marks.violation
  const top = body["cache_control"]
  if (isObject(top)) {
    const ttl = ttlOf(top)
    if (marks.lastTtl !== undefined && marks.lastTtl !== ttl) {
      return {
        rule: "anthropic-cache-ttl-toplevel",
        message: `Top-level cache_control has ttl='${ttl}' but the target block already has cache_control with `
          + `ttl='${marks.lastTtl}'`,
      }
    }
  }
  if (marks.count <= 4) return undefined
  return {
    rule: "anthropic-cache-max-4",
    message: `A maximum of 4 blocks with cache_control may be provided. Found ${marks.count}.`,
  }
}

function ttlOf(mark: WireObject): string {
  return mark["ttl"] === "1h" ? "1h" : "5m"
}

/** `root` is a name, or the index of a message: the path is only spelled out for a finding. */
function readBlocks(marks: Marks, blocks: unknown, root: string | number): void {
  if (!isArray(blocks)) return
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]
    if (!isObject(block)) continue
    readMark(marks, block["cache_control"], root, index)
    const inner = block["content"]
    if (block["type"] !== "tool_result" || !isArray(inner)) continue
    for (const each of inner) {
      if (isObject(each) && each["cache_control"] !== undefined) readMark(marks, each["cache_control"], root, index)
    }
  }
}

function readMark(marks: Marks, mark: unknown, root: string | number, index: number): void {
  marks.lastTtl = undefined
  if (!isObject(mark)) return
  marks.count += 1
  const ttl = ttlOf(mark)
  marks.lastTtl = ttl
  if (ttl === "5m") marks.short = true
  else if (marks.short) {
    const path = typeof root === "number" ? `messages.${root}.content.${index}` : `${root}.${index}`
    marks.violation ??= {
      rule: "anthropic-cache-ttl-order",
      message: `${path}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' `
        + "cache_control block",
    }
  }
}
