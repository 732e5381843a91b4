/**
 * Results across the text blocks of one user message.
 *
 * Cline-like agents write the header as one text block and the body as the next, with the description of the
 * surroundings as the last one. So a header that ends its block owns exactly the following block, unless that one
 * starts a result itself or describes the surroundings.
 */
import { isSurroundings } from "./header-results.ts"
import { fateOf, scanResults } from "./scan-results.ts"
import type { ResultScan, ResultSegment, ScanResultsOptions } from "./scan-results.ts"

export interface BlockScan {
  /** Position of the block in the list that was given. */
  readonly block: number
  /** Segments that cover the block's text; a body block that belongs to the header before it has one `text` segment. */
  readonly segments: readonly ResultScan[]
  /** This block is the body of the last result of the block before it. */
  readonly continues: boolean
}

export interface BlockResult {
  readonly result: ResultSegment
  readonly block: number
  /** The block that holds the body; the same as `block` when the body follows in the same text. */
  readonly bodyBlock: number
  readonly text: string
  /**
   * Tool and hint are those of the result just before it in this message. Agents write one call's result in two
   * pieces this way: what the user said while approving it, then what the tool said.
   */
  readonly repeatsPrevious: boolean
}

export interface ResultBlocks {
  readonly blocks: readonly BlockScan[]
  readonly results: readonly BlockResult[]
}

export const scanResultBlocks = (texts: readonly string[], options: ScanResultsOptions = {}): ResultBlocks => {
  const blocks: BlockScan[] = []
  const results: BlockResult[] = []
  let waiting: { readonly result: ResultSegment; readonly block: number } | undefined
  const add = (result: ResultSegment, block: number, bodyBlock: number, text: string): void => {
    const previous = results.at(-1)?.result
    const repeatsPrevious = previous !== undefined && previous.name === result.name && previous.hint === result.hint
    results.push({ result, block, bodyBlock, text, repeatsPrevious })
  }
  const settleWaiting = (): void => {
    if (waiting !== undefined) add(waiting.result, waiting.block, waiting.block, waiting.result.text)
    waiting = undefined
  }
  texts.forEach((text, block) => {
    const segments = scanResults(text, options)
    const first = segments[0]
    if (waiting !== undefined && first?.kind !== "result" && !isSurroundings(text)) {
      add({ ...waiting.result, ...fateOf(text, waiting.result.error) }, waiting.block, block, text)
      waiting = undefined
      const whole: readonly ResultScan[] = text === "" ? [] : [{ kind: "text", start: 0, end: text.length }]
      blocks.push({ block, segments: whole, continues: true })
      return
    }
    settleWaiting()
    blocks.push({ block, segments, continues: false })
    for (const segment of segments) {
      if (segment.kind !== "result") continue
      settleWaiting()
      if (segment.headerOnly) waiting = { result: segment, block }
      else add(segment, block, block, segment.text)
    }
  })
  settleWaiting()
  return { blocks, results }
}
