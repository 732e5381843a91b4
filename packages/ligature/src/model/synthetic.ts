/**
 * The fixed words Ligature puts into a history, and how it recognises them again. They are constants, so that the same
 * input gives the same bytes, prompt caches stay warm, and a later real result can take the place of a generated one.
 */
import type { ContentBlock, ResultBlock, SyntheticKind } from "./block.ts"
import { text } from "./block.ts"

/** Texts of generated outcomes. Changing one breaks recognition of histories already written. */
export const syntheticTexts: Readonly<Record<SyntheticKind, string>> = {
  interrupted: "[ligature:interrupted] No result was recorded for this call. It may have run in part or in full; its effect is unknown.",
  "not-run": "[ligature:not-run] This call was never executed.",
  lost: "[ligature:lost] This call ran, but its result is no longer in the history.",
}

const kinds = new Map<string, SyntheticKind>((Object.keys(syntheticTexts) as SyntheticKind[]).map((kind) => [syntheticTexts[kind], kind]))

/** Which generated outcome this text is, if it is one of ours. */
export const readSynthetic = (value: string): SyntheticKind | undefined => (value.startsWith("[ligature:") ? kinds.get(value) : undefined)

/** Marks a failed result where the format has no error flag; decoders take it off again. */
export const errorMark = "[tool error] "

/** Stands for a message the target demands and nobody said. */
export const fillers = {
  /** First user message, where a history begins with the assistant. */
  opening: "[The conversation continues from here.]",
  /** Last user message, where a target wants the user to have the last word. */
  closing: "[Continue.]",
  /** Assistant message between results and user text, where a target forbids them side by side. */
  bridge: "[Results received.]",
  /** Text beside a document, where a target wants some. */
  document: "(document attached)",
  /** Content where a target rejects emptiness. */
  empty: "(empty)",
} as const

/** What the text of a result begins with whose call is gone, after a bracket. */
export const orphanLabel = "Result of a call that is no longer in the history"

/** Whether a user's text was such a result. */
export const isOrphanText = (value: string): boolean => value.startsWith(`[${orphanLabel}`)

/** A result nobody reported. */
export const syntheticResult = (callId: string, name: string, kind: SyntheticKind): ResultBlock => ({
  type: "result",
  callId,
  name,
  content: [text(syntheticTexts[kind])],
  error: true,
  synthetic: kind,
})

/** The parts of a result that decoders read alike: synthetic marks and, where asked, the error mark. */
export const readResultContent = (
  content: readonly ContentBlock[],
  options: { readonly errorMark: boolean },
): Pick<ResultBlock, "content" | "error" | "synthetic"> => {
  const [first] = content
  if (first?.type !== "text") return { content }
  const marked = options.errorMark && first.text.startsWith(errorMark)
  const words = marked ? first.text.slice(errorMark.length) : first.text
  const synthetic = content.length === 1 ? readSynthetic(words) : undefined
  if (synthetic) return { content: marked ? [{ ...first, text: words }] : content, error: true, synthetic }
  return marked ? { content: [{ ...first, text: words }, ...content.slice(1)], error: true } : { content }
}
