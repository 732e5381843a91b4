/** Small session files, record by record, as the agent writes them. */
import type { Wire } from "../../../src/model/index.ts"

const time = (count: number): string => `2026-01-01T00:00:${String(count).padStart(2, "0")}.000Z`

export class FileBuilder {
  readonly records: Wire[] = []
  last: string | null = null
  private replies = 0

  tree(fields: Wire, parent: string | null | undefined = this.last, uuid = `u${this.records.length}`): string {
    this.records.push({
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/me/project.x",
      sessionId: "session-1",
      version: "2.1.143",
      gitBranch: "main",
      ...fields,
      uuid,
      timestamp: time(this.records.length),
    })
    this.last = uuid
    return uuid
  }

  prompt(text: string, parent?: string | null, marks: Wire = {}): string {
    return this.tree({ type: "user", message: { role: "user", content: text }, ...marks }, parent)
  }

  /** A new reply; `fragment` adds to it. */
  reply(block: Wire | string, parent?: string | null): string {
    this.replies++
    return this.fragment(block, parent)
  }

  fragment(block: Wire | string, parent?: string | null, reply = this.replies): string {
    const content = [typeof block === "string" ? { type: "text", text: block } : block]
    const message = { model: "claude-x", id: `msg_${reply}`, role: "assistant", content, stop_reason: null }
    return this.tree({ message, requestId: `req_${reply}`, type: "assistant" }, parent)
  }

  call(id: string, parent?: string | null): string {
    return this.fragment({ type: "tool_use", id, name: "ls", input: { of: id } }, parent)
  }

  result(id: string, parent?: string | null, source?: string): string {
    const message = { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: `result of ${id}` }] }
    const named = source === undefined ? {} : { sourceToolAssistantUUID: source }
    return this.tree({ type: "user", message, toolUseResult: { stdout: id }, ...named }, parent)
  }

  aside(type: string, parent?: string | null, fields: Wire = {}): string {
    return this.tree({ type, ...fields }, parent)
  }

  outside(record: Wire): void {
    this.records.push(record)
  }
}

/** The text of each message, calls and results by their ids: `user: go`, `assistant: hm +a`, `user: =a`. */
export const said = (messages: readonly { readonly role: string; readonly blocks: readonly unknown[] }[]): readonly string[] =>
  messages.map(({ role, blocks }) => {
    const words = (blocks as readonly Wire[]).map((block) => {
      if (block["type"] === "call") return `+${String(block["id"])}`
      if (block["type"] === "result") return `=${String(block["callId"])}`
      return String(block["text"])
    })
    return `${role}: ${words.join(" ")}`
  })
