/**
 * Matches the `pattern` of a JSON Schema in time linear in the text. The engine of the platform backtracks, so a pattern
 * such as `(a|a)*b` could stop the process; this one follows all alternatives at once (Thompson's construction).
 *
 * Not supported, so that such patterns are not checked: look-around, back-references, patterns over 1,000 characters or
 * with more than 1,000 steps once counted repetitions are written out, texts over 10,000 characters, and what is no
 * valid pattern with the flag `u`.
 */
type Test = (char: string) => boolean

type Node =
  | { readonly kind: "char"; readonly test: Test }
  | { readonly kind: "at"; readonly holds: (before: string | undefined, after: string | undefined) => boolean }
  | { readonly kind: "sequence"; readonly nodes: readonly Node[] }
  | { readonly kind: "choice"; readonly nodes: readonly Node[] }
  | { readonly kind: "repeat"; readonly node: Node; readonly least: number; readonly most: number }

type Step = Extract<Node, { readonly kind: "char" | "at" }> | { readonly kind: "fork"; to: number[] } | { readonly kind: "match" }

const longestPattern = 1_000
const mostSteps = 1_000
const longestText = 10_000

class Unsupported extends Error {}

const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char)

const assertions: Readonly<Record<string, Extract<Node, { readonly kind: "at" }>["holds"]>> = {
  "^": (before) => before === undefined,
  $: (_, after) => after === undefined,
  "\\b": (before, after) => isWord(before) !== isWord(after),
  "\\B": (before, after) => isWord(before) === isWord(after),
}

/** One element of a pattern that is known to be valid: a group's opening, a class, an escape, or a character. */
const element = /\((?:\?(?:<(?![=!])[^>]*>|:))?|\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c.|.)|./isuy
const quantifier = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y

class Parser {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#pattern)
    if (found) this.#at += found[0].length
    return found
  }

  choice(): Node {
    const nodes = [this.#sequence()]
    while (this.#pattern[this.#at] === "|") {
      this.#at++
      nodes.push(this.#sequence())
    }
    return { kind: "choice", nodes }
  }

  #sequence(): Node {
    const nodes: Node[] = []
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) nodes.push(this.#repeated())
    return { kind: "sequence", nodes }
  }

  #repeated(): Node {
    const node = this.#single(this.#take(element)?.[0] ?? "")
    const found = this.#take(quantifier)
    if (!found) return node
    const [sign, count, range, end] = found
    if (count === undefined) return { kind: "repeat", node, least: sign.startsWith("+") ? 1 : 0, most: sign.startsWith("?") ? 1 : Infinity }
    const most = range === undefined ? Number(count) : end === "" ? Infinity : Number(end)
    return { kind: "repeat", node, least: Number(count), most }
  }

  #single(said: string): Node {
    if (said.startsWith("(")) {
      if (said === "(" && this.#pattern[this.#at] === "?") throw new Unsupported()
      const inner = this.choice()
      this.#at++
      return inner
    }
    const holds = Object.hasOwn(assertions, said) ? assertions[said] : undefined
    if (holds) return { kind: "at", holds }
    if (/^\\[1-9k]/.test(said)) throw new Unsupported()
    // One character against one element: nothing to backtrack in.
    const single = new RegExp(`^${said}$`, "u")
    return { kind: "char", test: (char) => single.test(char) }
  }
}

const programOf = (root: Node): readonly Step[] => {
  const steps: Step[] = []
  const add = <Added extends Step>(step: Added): Added => {
    if (steps.length >= mostSteps) throw new Unsupported()
    steps.push(step)
    return step
  }
  const fork = (...to: number[]): { to: number[] } => add({ kind: "fork", to })
  const write = (node: Node): void => {
    if (node.kind === "sequence") return node.nodes.forEach(write)
    if (node.kind === "choice") {
      const start = fork()
      const ends = node.nodes.map((each) => {
        start.to.push(steps.length)
        write(each)
        return fork()
      })
      for (const end of ends) end.to.push(steps.length)
      return
    }
    if (node.kind !== "repeat") return void add(node)
    for (let count = 0; count < node.least; count++) write(node.node)
    if (node.most === Infinity) {
      const at = steps.length
      const loop = fork(at + 1)
      write(node.node)
      fork(at)
      loop.to.push(steps.length)
      return
    }
    const exits: { to: number[] }[] = []
    for (let count = node.least; count < node.most; count++) {
      exits.push(fork(steps.length + 1))
      write(node.node)
    }
    for (const exit of exits) exit.to.push(steps.length)
  }
  write(root)
  add({ kind: "match" })
  return steps
}

const runs = (steps: readonly Step[], text: string): boolean => {
  const chars = [...text]
  let reached: readonly number[] = []
  for (let at = 0; at <= chars.length; at++) {
    const [before, char] = [chars[at - 1], chars[at]]
    // A match may begin anywhere.
    const open = [...reached, 0]
    const seen = new Set<number>()
    const next: number[] = []
    for (let number = open.pop(); number !== undefined; number = open.pop()) {
      if (seen.has(number)) continue
      seen.add(number)
      const step = steps[number]
      if (step?.kind === "match") return true
      if (step?.kind === "fork") for (const target of step.to) open.push(target)
      else if (step?.kind === "at" && step.holds(before, char)) open.push(number + 1)
      else if (step?.kind === "char" && char !== undefined && step.test(char)) next.push(number + 1)
    }
    reached = next
  }
  return false
}

/** Undefined where the pattern is not supported, or the text too long. */
export const matchesPattern = (text: string, pattern: string): boolean | undefined => {
  if (pattern.length > longestPattern || text.length > longestText) return undefined
  try {
    void new RegExp(pattern, "u")
    return runs(programOf(new Parser(pattern).choice()), text)
  } catch {
    return undefined
  }
}
