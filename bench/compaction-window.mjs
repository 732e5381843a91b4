/**
 * What a plan of `window` costs on a long history, cold and with warm counts, beside LangChain's trimMessages on the
 * same history with a counter that only adds up lengths. Prints; asserts nothing.
 *
 *   npm run build && node bench/compaction-window.mjs [messages]
 */
import { createRequire } from "node:module"
import { performance } from "node:perf_hooks"
import { pathToFileURL } from "node:url"
import { generateHistory } from "./generate.mjs"
import { renderers } from "./render.mjs"
import { loadSource } from "./source.mjs"

const count = Number(process.argv[2] ?? 10_000)
const { createMeter, decode, estimateMeter, prepare, settle, window, withItems } = await loadSource(
  "index.ts",
  "rules/index.ts",
  "compact/index.ts",
  "compact/compact.ts",
  "compact/meter/meter.ts",
)

const history = generateHistory(count)
const { conversation } = settle(decode("anthropic", renderers.anthropic(history)))
const strategy = window()

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** Each run gets what `prepareRun` makes, so that it decides what is remembered from the run before. */
const time = (runs, prepareRun, run) => {
  const times = []
  for (let turn = 0; turn < runs; turn++) {
    const given = prepareRun(turn)
    const start = performance.now()
    run(given)
    times.push(performance.now() - start)
  }
  return { median: median(times), least: Math.min(...times) }
}

const plan = ({ whole, options }) => {
  const { limit, context } = prepare(whole, options)
  return strategy.plan(whole, limit, context)
}

const say = (label, { median, least }, note = "") =>
  console.log(`${label.padEnd(52)} ${median.toFixed(3).padStart(10)} ms  (least ${least.toFixed(3)})  ${note}`)

console.log(`${count} messages, ${conversation.items.length} items, Node ${process.versions.node}`)
const withOwn = (items) => withItems(conversation, items)
const newMeter = () => createMeter(estimateMeter.sizeOfText)
for (const budget of [8_000, 32_000, 128_000]) {
  const cold = time(15, () => ({ whole: withOwn([...conversation.items]), options: { budget, meter: newMeter() } }), plan)
  say(`ligature window, ${budget} tokens, cold`, cold)
  const warm = time(60, () => ({ whole: conversation, options: { budget } }), plan)
  say(`ligature window, ${budget} tokens, warm`, warm)
  const appended = time(
    30,
    () => ({ whole: withOwn([...conversation.items, { ...conversation.items.at(-1) }]), options: { budget } }),
    plan,
  )
  say(`ligature window, ${budget} tokens, one exchange more`, appended)
}

try {
  const require = createRequire(new URL("./peers/package.json", import.meta.url))
  const { trimMessages } = await import(pathToFileURL(require.resolve("@langchain/core/messages")).href)
  const { langchainMessages } = await import("./peers/render-peers.mjs")
  const messages = langchainMessages(history)
  const tokenCounter = (list) => {
    let characters = 0
    for (const { content } of list) characters += content.length
    return Math.ceil(characters / 4)
  }
  const maxTokens = Math.floor(tokenCounter(messages) / 2)
  const times = []
  for (let turn = 0; turn < 3; turn++) {
    const start = performance.now()
    await trimMessages(messages, { maxTokens, strategy: "last", tokenCounter })
    times.push(performance.now() - start)
  }
  say("langchain trimMessages, cheap counter, keep 50 %", { median: median(times), least: Math.min(...times) })
} catch (error) {
  console.log(`langchain: not measured (${error instanceof Error ? error.message : error}); npm run bench installs it`)
}
