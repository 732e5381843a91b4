/** Messages as short lines: `assistant: words c1()`, `tool: c1=text`, `user*: a summary`. */
import type { ContentBlock, Message, Transcript } from "../../../src/model/index.ts"

export const wordsIn = (content: readonly ContentBlock[]): string =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join()

export const brief = ({ messages }: Transcript): readonly string[] =>
  messages.map(({ role, summary, blocks }: Message) => {
    const words = blocks.map((block) => {
      if (block.type === "call") return `${block.id}()`
      if (block.type === "result") return `${block.callId}=${wordsIn(block.content)}${block.error === true ? "!" : ""}`
      if (block.type === "thinking") return `(${block.text})`
      return block.type === "media" ? block.kind : block.text
    })
    return `${role}${summary === true ? "*" : ""}: ${words.join(" ")}`
  })
