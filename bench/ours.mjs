/**
 * Question: what do check, settle and encode cost on top of JSON.parse and JSON.stringify, how does that grow, and how
 * much heap does the model take? One process per source format, so that the histories of one do not weigh on another.
 *
 * node --expose-gc bench/ours.mjs DIST FORMAT SIZES [ROUNDS-FACTOR]   prints one JSON line per size.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { generateHistory } from "./generate.mjs"
import { fastest, retained, roundsFor } from "./measure.mjs"
import { renderers } from "./render.mjs"

const [dist, format, sizes, factor = "1"] = process.argv.slice(2)
const compiled = (path) => import(pathToFileURL(resolve(dist, path)).href)
const { check, convert, convertText, decode, encode, settle } = await compiled("index.js")

const targets = Object.keys(renderers)

/** A benchmark of a wrong answer is worth nothing: healthy in, nothing found, the same bytes out. */
const verify = (text) => {
  const transcript = decode(format, JSON.parse(text))
  const found = check(transcript, { profile: format })
  if (found.length > 0) throw new Error(`The ${format} history is not healthy: ${JSON.stringify(found[0])}`)
  const { conversation } = settle(transcript)
  const { value: request } = encode(conversation, format)
  if (JSON.stringify(request) !== text) throw new Error(`${format} did not come back alike`)
  for (const target of targets) {
    if (textToText(text, target)() !== throughValues(text, target)()) throw new Error(`Two texts for ${target}`)
  }
}

/** What was seen of the texts: an optimizer leaves out a look of which nothing is kept. */
let seen = 0

/** Engines give long texts as a tree of pieces, which is no text yet: looking at a character makes it one. */
const lookedAt = (text) => {
  seen += text.charCodeAt(text.length >> 1)
  return text
}

const throughValues = (text, target) => () => lookedAt(JSON.stringify(convert(JSON.parse(text), { from: format, to: target }).value))

/** A request in which nothing changed goes back as its text; in another one, long strings keep the spelling they have in the text. */
const textToText = (text, target) => () => {
  const { value: written } = convertText(text, { from: format, to: target })
  if (target === format && written !== text) throw new Error("A healthy request came back as another text")
  return lookedAt(written)
}

const checked = (transcript) => {
  check(transcript)
  return transcript
}

const heapOf = (text) => {
  const parsed = retained(() => JSON.parse(text))
  const decoded = retained(() => decode(format, parsed.value))
  const settled = retained(() => settle(decoded.value))
  const encoded = retained(() => encode(settled.value.conversation, format))
  return { json: parsed.bytes, transcript: decoded.bytes, conversation: settled.bytes, request: encoded.bytes }
}

const textOf = (size) => JSON.stringify(renderers[format](generateHistory(size)))

const wholeTasks = (text) => ({
  floor: () => lookedAt(JSON.stringify(JSON.parse(text))),
  ...Object.fromEntries(targets.map((target) => [`text ${target}`, textToText(text, target)])),
  ...Object.fromEntries(targets.map((target) => [`values ${target}`, throughValues(text, target)])),
})

const stageTasks = (text) => {
  const value = JSON.parse(text)
  const { conversation } = settle(decode(format, value))
  const { value: request } = encode(conversation, format)
  // What is found about a transcript is kept with it, so a second check of the same one would cost nothing.
  const prepare = () => decode(format, value)
  return {
    parse: () => JSON.parse(text),
    decode: () => decode(format, value),
    check: { prepare, run: (transcript) => check(transcript) },
    "check for profile": { prepare, run: (transcript) => check(transcript, { profile: format }) },
    settle: { prepare, run: (transcript) => settle(transcript) },
    "settle after check": { prepare: () => checked(prepare()), run: (transcript) => settle(transcript) },
    ...Object.fromEntries(targets.map((target) => [`encode ${target}`, () => encode(conversation, target)])),
    // Losses are found when somebody looks at them.
    ...Object.fromEntries(
      targets.map((target) => [`losses ${target}`, { prepare: () => encode(conversation, target), run: ({ report }) => report.losses }]),
    ),
    stringify: () => JSON.stringify(request),
  }
}

/** Each task of the large history, with the same task of a small one to warm up with. */
const warmed = (tasks, small) =>
  Object.fromEntries(
    Object.entries(tasks).map(([name, task]) => {
      const { run, prepare } = typeof task === "function" ? { run: task } : task
      const little = typeof small[name] === "function" ? { run: small[name] } : small[name]
      return [name, { run, prepare, warm: () => void little.run(little.prepare?.()) }]
    }),
  )

const measure = async (size) => {
  const [text, little] = [textOf(size), textOf(1000)]
  verify(text)
  const options = { size, rounds: roundsFor(size, Number(factor)) }
  const whole = await fastest(warmed(wholeTasks(text), wholeTasks(little)), options)
  const stages = await fastest(warmed(stageTasks(text), stageTasks(little)), options)
  return { format, size, characters: text.length, whole, stages, heap: heapOf(text) }
}

for (const size of sizes.split(",").map(Number)) console.log(JSON.stringify(await measure(size)))
if (!(seen > 0)) throw new Error("No text was looked at")
