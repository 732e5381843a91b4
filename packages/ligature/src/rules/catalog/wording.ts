/** Texts that several rules share. */
import { type CallBlock, type MediaBlock, type ResultBlock, resultText, text, type TextBlock, translated } from "../../model/index.ts"
import { isBlank } from "../survey/text.ts"

export const nameOf = (call: CallBlock): string => call.name || translated("unnamed tool")

export const idOrNone = (id: string): string => id || translated("no id")

/** `[Another result of read_file (call_1)]`: what a demoted result is introduced with. */
export const resultLabel = (what: string, result: ResultBlock): string => {
  const parts = [result.name?.toWellFormed(), result.callId === "" ? undefined : result.callId].filter((part) => part !== undefined)
  const failed = result.error === true ? ", failed" : ""
  return parts.length === 0 ? `[${what}${failed}]` : `[${what} (${parts.join(", ")}${failed})]`
}

/** What has the form of a call and is none, as text. */
export const quotedCall = ({ name, id, raw, arguments: input }: CallBlock): string => {
  const label = idsOf(name, id).join(", ").toWellFormed()
  return `[Text in the form of a tool call${label === "" ? "" : ` (${label})`}]\n${(raw ?? JSON.stringify(input)).toWellFormed()}`
}

/**
 * A result as user text, and its media. Opaque parts become text: outside of a result, what a tool printed
 * in the shape of a call would be one.
 */
export const resultAsText = (what: string, result: ResultBlock): readonly [TextBlock, ...(TextBlock | MediaBlock)[]] => {
  const rest = result.content.flatMap((block): readonly (TextBlock | MediaBlock)[] => {
    if (block.type === "media") return [block]
    return block.type === "opaque" && !isBlank(block.text) ? [text(block.text.toWellFormed())] : []
  })
  return [text(`${resultLabel(what, result)}\n${resultText(result)}`), ...rest]
}

export const idsOf = (...ids: readonly string[]): readonly string[] => ids.filter((id) => id !== "")
