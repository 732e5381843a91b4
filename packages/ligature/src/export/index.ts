/**
 * A conversation to be read by people, outside of the program that it was made in: as a document, as text, without what nobody else
 * may see. Pure: values in, text out.
 *
 * @example
 * import { decode, settle } from "ligature"
 * import { redact, render } from "ligature/export"
 *
 * const { value } = redact(request, { names: ["Ada Lovelace"] })
 * const { conversation } = settle(decode("anthropic", value))
 * const document = render.markdown(conversation, { title: "What happened on Monday" })
 */
import { assertOptions, type Conversation } from "../model/index.ts"
import { type ExportHead, markdownOf } from "./markdown.ts"
import { conversationPieces } from "./pieces.ts"
import { textOf } from "./text.ts"

export type { ExportHead } from "./markdown.ts"
export { redact, type RedactedKind, type RedactionReport, type RedactOptions } from "./redact.ts"

const checkedHead = (head: ExportHead | undefined): ExportHead | undefined => {
  if (head) assertOptions(head, { title: true, facts: true })
  return head
}

/** Every message in full, with the outcome of each call. */
export const render = {
  /** A Markdown document. No text of a message can leave its place: fences are longer than any fence inside, tags are escaped. */
  markdown: (conversation: Conversation, head?: ExportHead): string => markdownOf(checkedHead(head), conversationPieces(conversation)),
  /** Plain text: headings begin at the margin, content is indented. */
  text: (conversation: Conversation, head?: ExportHead): string => textOf(checkedHead(head), conversationPieces(conversation)),
} as const
