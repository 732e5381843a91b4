/** A transcript in a few words, for comparing whole ones. */
import { type Message, resultText, type Transcript } from "../../../src/model/index.ts"

const describeMessage = ({ role, blocks, summary }: Message): string => {
  const parts = blocks.map((block) => {
    if (block.type === "call") return `${block.name}(${block.id})`
    if (block.type === "result") return `${block.callId}=${resultText(block)}`
    return block.type === "media" ? block.kind : block.text
  })
  return `${summary === true ? "summary " : ""}${role}: ${parts.join(" | ")}`
}

/** `role: words` of each message; calls by name and id, results by id and text. */
export const said = ({ messages }: Pick<Transcript, "messages">): readonly string[] => messages.map(describeMessage)
