/**
 * The process a strategy runs in: it is given contexts and budgets, one JSON line each, and answers with compacted
 * messages. It never sees what comes after the cut; only a strategy that says `usesFuture` is told what will be
 * needed.
 *
 * node worker.mjs '{"strategy": "digest", "options": {}, "dist": DIR, "meter": "exact", "twice": true}'
 */
import { createInterface } from "node:readline"
import { o200k } from "../tokens.mjs"
import { resolveStrategy } from "./resolve.mjs"

const specification = JSON.parse(process.argv[2])
const { compactMessages } = await resolveStrategy(specification)

// The other side is gone: nobody waits for an answer.
process.stdout.on("error", () => process.exit(1))

const parse = (line) => {
  try {
    return JSON.parse(line)
  } catch {
    return process.exit(1)
  }
}

const send = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

/** A fresh copy each time: nothing a strategy remembers about objects helps it to give the same answer twice. */
const attempt = async (line, budget) => {
  const { messages, needed, answers, actions } = parse(line)
  const start = performance.now()
  try {
    const answer = await compactMessages(messages, budget, { needed, answers, actions })
    return { ...answer, milliseconds: performance.now() - start }
  } catch (error) {
    return { messages: [], failure: String(error?.stack ?? error).slice(0, 600) }
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, budgets, messages: context, counts = [] } = parse(line)
  for (const [index, tokens] of counts.entries()) o200k.remember(context[index].content, tokens)
  for (const { rho, tokens } of budgets) {
    const first = await attempt(line, tokens)
    const isRepeated = specification.twice === true || specification.twice === rho
    const second = isRepeated ? await attempt(line, tokens) : first
    const isSame = first === second || JSON.stringify(first.messages) === JSON.stringify(second.messages)
    send({ id, rho, ...first, isSame })
  }
}
// Some libraries keep timers open; what was said must be out before.
process.stdout.write("", () => process.exit(0))
