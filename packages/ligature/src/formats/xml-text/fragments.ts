/**
 * Texts, calls and results as the texts that are written. Fragments of one wire text, in their order, become that very text
 * again; the others stand for themselves.
 */
import { type CallBlock, mediaNote, type ResultBlock, resultText, type TextBlock, text, type Wire } from "../../model/index.ts"
import type { Stretch } from "./pieces.ts"
import { renderResult } from "./render.ts"
import type { Meant, Wording } from "./wording.ts"

export interface Fragment {
  readonly meant: Meant
  readonly stretch?: Stretch
}

/** The stretches of a block that did not change. */
export const keptFragments = (kind: Meant["kind"], stretches: readonly Stretch[], wording: Wording): readonly Fragment[] =>
  stretches.map((stretch) => {
    const written = stretch.text.slice(stretch.start, stretch.end)
    const meant = kind === "text" ? wording.keptText(written) : { kind, plain: written, text: written, fresh: false }
    return { meant, stretch }
  })

/** The first argument that fits on the header line, as such agents show it. */
const hintOf = (call: CallBlock | undefined): string | undefined => {
  const [first] = call ? Object.values(call.arguments) : []
  return typeof first === "string" && first !== "" && first.length <= 80 && !/[\r\n'"\]]/.test(first) ? first : undefined
}

/** A result that is written anew. */
export const answerFragment = (result: ResultBlock, call: CallBlock | undefined): Fragment => {
  const notes = result.content.flatMap((part) => (part.type === "media" ? [mediaNote(part)] : []))
  const said = [resultText(result), ...notes].filter((part) => part !== "").join("\n")
  const hint = hintOf(call)
  const written = renderResult(call?.name ?? result.name ?? "tool", said, {
    ...(result.error === true && { error: true }),
    ...(hint !== undefined && { hint }),
  })
  return { meant: { kind: "result", plain: written, text: written, fresh: true } }
}

/** The wire block that a stretch is the whole of. */
export const wholeSource = (stretch: Stretch | undefined, length: number): Wire | undefined => {
  if (!stretch || stretch.start !== 0 || length !== stretch.text.length) return undefined
  const source = stretch.source as Wire
  return source["type"] === "text" && !("role" in source) ? source : undefined
}

/** `nativeFormat`: the format whose text blocks the stretches came from. */
export const joinFragments = (
  fragments: readonly Fragment[],
  nativeFormat: string | undefined,
  wording: Wording,
): readonly TextBlock[] => {
  const blocks: TextBlock[] = []
  for (let index = 0; index < fragments.length; ) {
    const { meant, stretch } = fragments[index] as Fragment
    const parts = [meant]
    let last = stretch
    for (let next = fragments[index + parts.length]; last; next = fragments[index + parts.length]) {
      if (next?.stretch?.source !== last.source || next.stretch.start !== last.end) break
      parts.push(next.meant)
      last = next.stretch
    }
    const joined = parts.map((part) => part.text).join("")
    const covers = stretch === undefined || (stretch.start === 0 && last?.end === stretch.text.length)
    // White space between the parts of a text goes with it; what was written anew is as it should be.
    const written = covers ? joined : joined.trim()
    if (written.trim() !== "") {
      const source = covers && nativeFormat !== undefined ? wholeSource(stretch, last?.end ?? 0) : undefined
      blocks.push(source ? { ...text(written), native: { [nativeFormat as string]: source } } : text(written))
      const isKept = covers && written === stretch?.text
      wording.note(written, parts, isKept ? { source: stretch.source } : { offset: covers ? 0 : joined.trimStart().length - joined.length })
    }
    index += parts.length
  }
  return blocks
}
