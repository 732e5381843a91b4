/**
 * How long does a digest take? A generated agent history of about 100,000 tokens (file readings, searches, test runs,
 * edits), compacted to several budgets with the default meter, on one core.
 *
 *   npm run build && node bench/compaction-digest.mjs [--dist DIR] [--tokens 100000]
 */
import { parseArgs } from "node:util"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const { values } = parseArgs({
  options: { dist: { type: "string", default: "packages/ligature/dist" }, tokens: { type: "string", default: "100000" } },
})
const load = (path) => import(pathToFileURL(join(resolve(values.dist), path)).href)
const { compact, estimateMeter } = await load("compact/index.js")
const { settle } = await load("index.js")

let seed = 7
const next = (limit) => {
  seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
  return (seed >>> 8) % limit
}
const syllables = "ra lo mi ten cor bas vel dun pra ist ket mon sol fir gra hel".split(" ")
const word = () => Array.from({ length: 1 + next(3) }, () => syllables[next(syllables.length)]).join("")
const name = () => `${word()}${word().replace(/^./, (letter) => letter.toUpperCase())}`
const path = () => `src/${word()}/${word()}-${word()}.ts`
const codeLine = (number) =>
  [
    () => `${number}\t  const ${name()} = await ${name()}(${name()}, ${next(5000)})`,
    () => `${number}\t  if (${name()}.${name()} !== undefined) return ${name()}`,
    () => `${number}\t// ${Array.from({ length: 9 }, word).join(" ")}`,
    () => `${number}\texport const ${name()} = (${name()}: ${name()}): ${name()} => {`,
    () => `${number}\timport { ${name()} } from "./${word()}.ts"`,
    () => `${number}\t}`,
  ][next(6)]()
const lines = (count) => Array.from({ length: count }, (_, index) => codeLine(index + 1)).join("\n")

const request = `Please change ${path()} so that ${name()} works.`
const messages = [{ role: "user", blocks: [{ type: "text", text: request }] }]
const historyOf = () => settle({ format: "generated", messages: structuredClone(messages) }).conversation
const tokensOf = ({ items }) => items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)
for (let call = 1, tokens = 0; tokens < Number(values.tokens); call++) {
  const result = lines(40 + next(160))
  tokens += estimateMeter.count(result) + 60
  messages.push(
    {
      role: "assistant",
      blocks: [
        { type: "text", text: `Now I look at ${name()} in ${path()}.` },
        { type: "call", id: `c${call}`, name: "read", arguments: { path: path(), limit: next(900) } },
      ],
    },
    { role: "tool", blocks: [{ type: "result", callId: `c${call}`, content: [{ type: "text", text: result }] }] },
  )
}

console.log(`${tokensOf(historyOf())} tokens, ${messages.length} messages, Node ${process.version}`)
const warmUps = 8
const runs = 25
for (const budget of ["2%", "5%", "10%", "25%", "50%"]) {
  const times = []
  for (let run = 0; run < warmUps + runs; run++) {
    // Fresh objects: nothing is counted beforehand.
    const conversation = historyOf()
    const started = performance.now()
    compact(conversation, { budget })
    if (run >= warmUps) times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  const [median, fastest, slowest] = [times[runs >> 1], times[0], times.at(-1)].map((time) => time.toFixed(1))
  console.log(`${budget.padStart(4)}  median ${median} ms  fastest ${fastest}  slowest ${slowest}`)
}
