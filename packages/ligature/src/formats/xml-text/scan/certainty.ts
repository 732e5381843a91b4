/**
 * How sure the scanner is that a stretch of text is a call, as a sum of weights with the reasons beside it.
 *
 * The weights are ordered so that one missing strong sign (known name, a place where a call may start, a closing
 * tag) is enough to fall below the default threshold, and a weak blemish (indentation, text behind the closing tag)
 * is not.
 */

/** Below this a candidate stays text. Unclosed, fenced, mid-sentence and unknown candidates all score less. */
export const defaultThreshold = 0.6

export interface Sign {
  readonly weight: number
  readonly reason: string
}

const sign = (weight: number, reason: string): Sign => ({ weight, reason })

export const signs = {
  listed: sign(0.5, "the tool is listed"),
  selfNamedInWrapper: sign(0.45, "the call names its tool inside a wrapper; no tools are known"),
  selfNamed: sign(0.35, "the call names its tool; no tools are known"),
  unlistedInWrapper: sign(0.4, "the tool is not listed, but stands inside a wrapper"),
  unlisted: sign(0.05, "the tool is not listed"),
  lineStart: sign(0.2, "the opening tag starts a line"),
  afterCall: sign(0.2, "the opening tag follows another call"),
  afterTag: sign(0.15, "the opening tag follows a closing tag"),
  indented: sign(0.15, "the opening tag starts an indented line"),
  deeplyIndented: sign(-0.15, "the opening tag is indented like code"),
  sentenceEnd: sign(0.1, "the opening tag follows the end of a sentence"),
  midSentence: sign(-0.4, "the opening tag stands in the middle of a sentence"),
  fenced: sign(-0.6, "inside a code fence"),
  quoted: sign(-0.6, "inside inline code"),
  closed: sign(0.2, "the closing tag is there"),
  repaired: sign(-0.1, "the closing tag was found past an unbalanced tag of the same name"),
  restarted: sign(-0.5, "a later call of the same tool reads better with this closing tag"),
  unclosed: sign(-0.4, "no closing tag"),
  answered: sign(0.45, "a result with its name follows"),
  clean: sign(0.1, "only parameters between the tags"),
  bare: sign(0, "no parameters"),
  loose: sign(-0.15, "text between the parameters"),
  broken: sign(-0.4, "the text between the tags is no list of parameters"),
  trailing: sign(-0.1, "text follows the closing tag on its line"),
} as const

export const learnedSign = (certainty: number): Sign => sign(0.5 * certainty, "the tool was learned from the file")

export interface Judgement {
  readonly certainty: number
  readonly evidence: readonly string[]
}

export const judge = (found: readonly Sign[]): Judgement => {
  const sum = found.reduce((total, each) => total + each.weight, 0)
  const certainty = Math.round(Math.min(1, Math.max(0, sum)) * 100) / 100
  return { certainty, evidence: found.map((each) => each.reason) }
}
