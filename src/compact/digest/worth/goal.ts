/**
 * What a goal names. It is written by a person, so case is not minded, and scripts without spaces are compared by pieces
 * of their runs.
 */
import { eachTerm } from "./terms.ts"

/** Runs of Han, kana, Thai and their neighbours. */
const withoutSpaces = /[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]{2,}/g
/** So many characters of such a run say what it is about. */
const pieceLength = 3

const piecesOf = (run: string): readonly string[] =>
  run.length <= pieceLength
    ? [run]
    : Array.from({ length: run.length - pieceLength + 1 }, (_, at) => run.slice(at, at + pieceLength))

/** Tells whether the goal names a term. */
export const namedBy = (goal: string): ((term: string) => boolean) => {
  const terms = new Set<string>()
  for (const line of goal.split("\n")) eachTerm(line, (text) => terms.add(text.toLowerCase()))
  const pieces = [...new Set([...goal.matchAll(withoutSpaces)].flatMap(([run]) => piecesOf(run)))]
  return (term) => terms.has(term.toLowerCase()) || pieces.some((piece) => term.includes(piece))
}
