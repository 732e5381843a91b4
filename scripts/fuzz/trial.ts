/** What must hold is tried step by step: a step that throws is a failure of its own, and does not stop the others. */
import { LigatureError } from "../../packages/ligature/src/model/index.ts"

export interface Failure {
  /** The property, as in `known.ts`. */
  readonly property: string
  readonly format: string
  /** What tells this failure from others of the property: a rule, a profile, a place, an error. */
  readonly detail: string
  /** For people. */
  readonly text: string
}

/** Equal for equal failures of different inputs. */
export const nameOf = ({ property, format, detail }: Failure): string => `${property} · ${format} · ${detail}`

/** The first function of ours on the stack, which tells one RangeError from another. */
const thrownDetail = (error: unknown): string => {
  if (!(error instanceof Error)) return "not an Error"
  const frame = /at (?:async )?(?:new )?([\w.#<>]+) \(.*?\/src\/([\w./-]+?)\.(?:ts|js):/.exec(error.stack ?? "")
  const message = error.message
    .replace(/\d+/g, "#")
    .replace(/"[^"]*"/g, '"…"')
    .slice(0, 90)
  return `${error.name}: ${message}${frame ? ` in ${frame[1]} (${frame[2]})` : ""}`
}

const isMutation = (error: unknown): boolean =>
  error instanceof TypeError && /read only|not extensible|Cannot (?:delete|define|redefine|add) prop/.test(error.message)

export class Trial {
  readonly failures: Failure[] = []
  readonly #format: string

  constructor(format: string) {
    this.#format = format
  }

  fail(property: string, detail: string, text: string = detail): void {
    this.failures.push({ property, format: this.#format, detail, text })
  }

  /**
   * The value of a step that may refuse what is of another format altogether; undefined where it did. `property`: what a refusal
   * breaks, where it is none of the answers.
   */
  reading<Value>(name: string, run: () => Value, property?: string): Value | undefined {
    return this.step(name, () => {
      try {
        return run()
      } catch (error) {
        if (!LigatureError.is(error) || error.code !== "wrong-format") throw error
        if (property !== undefined) this.fail(property, "refused as of another format", error.message)
        return undefined
      }
    })
  }

  /** The value of a step, or undefined where it threw. */
  step<Value>(name: string, run: () => Value): Value | undefined {
    try {
      return run()
    } catch (error) {
      this.#thrown(name, error)
      return undefined
    }
  }

  /** The same for a step that takes its time; errors that `isAnswer` accepts are answers. */
  async later<Value>(name: string, run: () => Promise<Value>, isAnswer: (error: unknown) => boolean): Promise<Value | undefined> {
    try {
      return await run()
    } catch (error) {
      if (!isAnswer(error)) this.#thrown(name, error)
      return undefined
    }
  }

  #thrown(name: string, error: unknown): void {
    const property = isMutation(error) ? "input-untouched" : "never-throws"
    this.fail(property, `${name}: ${thrownDetail(error)}`, error instanceof Error ? (error.stack ?? "") : String(error))
  }
}
