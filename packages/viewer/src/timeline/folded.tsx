/** What was opened stays open while its row is out of sight: rows of a long list come and go. */
import { createContext } from "preact"
import { useContext, useState } from "preact/hooks"
import { count, phrase, size, visible } from "../words.ts"

export type Folds = Map<string, number>

export const FoldsContext = createContext<Folds>(new Map())

/** A number that is kept under a name, zero at first. */
export const useFold = (name: string): readonly [number, (value: number) => void] => {
  const folds = useContext(FoldsContext)
  const [value, set] = useState(folds.get(name) ?? 0)
  return [
    value,
    (next) => {
      folds.set(name, next)
      set(next)
    },
  ]
}

const steps = [
  { characters: 1_500, lines: 14 },
  { characters: 20_000, lines: 400 },
  { characters: 200_000, lines: 4_000 },
  { characters: 2_000_000, lines: 40_000 },
] as const

/** The beginning of a text: at most so many lines and characters, never half a character. */
export const beginningOf = (text: string, lines: number, characters: number): string => {
  let end = Math.min(text.length, characters)
  let found = 0
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) {
    if (++found < lines) continue
    end = at
    break
  }
  if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}

const linesIn = (text: string): number => {
  let lines = 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

interface FoldedText {
  readonly name: string
  readonly text: string
  /** Draws what is shown. Default: as it is, in a fixed-width font. */
  readonly draw?: (text: string) => preact.ComponentChildren
  readonly tone?: string
  /** Lines at first. */
  readonly lines?: number
}

/** A long text, a little of it at first. */
export const Folded = ({ name, text, draw, tone = "", lines }: FoldedText) => {
  const [step, setStep] = useFold(name)
  const limit = steps[step]
  const shown =
    limit === undefined ? text : beginningOf(text, Math.max(limit.lines, lines ?? 0), Math.max(limit.characters, (lines ?? 0) * 100))
  const isCut = shown.length < text.length
  return (
    <>
      {draw ? (
        draw(shown)
      ) : (
        <pre class={`output ${tone}`} tabIndex={0}>
          {visible(shown)}
        </pre>
      )}
      {(isCut || step > 0) && (
        <div class="folds">
          {isCut && (
            <button type="button" class="fold" onClick={() => setStep(step + 1)}>
              {phrase`Show more`} <span class="quiet">{`${count(linesIn(text), "line")} · ${size(text.length)}`}</span>
            </button>
          )}
          {step > 0 && (
            <button type="button" class="fold" onClick={() => setStep(0)}>
              {phrase`Show less`}
            </button>
          )}
        </div>
      )}
    </>
  )
}
