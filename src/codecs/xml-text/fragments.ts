/**
 * Texts, calls and results as the texts that are written. Fragments of one wire text, in their order, become that very text
 * again; the others stand for themselves.
 */
import { type TextBlock, text, type Wire } from "../../model/index.ts"
import type { Stretch } from "./pieces.ts"
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
