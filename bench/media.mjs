/**
 * Question: what do the limits on media cost a healthy request, with images and without? Measured against another build,
 * in turns, since a shared machine is never the same twice.
 *
 * node bench/media.mjs DIST [OTHER-DIST] [ROUNDS]   prints one line per history, the fastest of all rounds.
 */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const [dist = "packages/ligature/dist", other = dist, rounds = "60"] = process.argv.slice(2)
const builds = await Promise.all([dist, other].map((path) => import(pathToFileURL(resolve(path, "index.js")).href)))

/** Just enough of a PNG for its header; the rest looks like one. */
const picture = (size, number) => {
  const bytes = Buffer.alloc(size)
  for (let index = 0; index < size; index++) bytes[index] = ((index + number) * 2654435761) >>> 13
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1")
  bytes.writeUInt32BE(1000, 16)
  bytes.writeUInt32BE(800, 20)
  return { type: "image", source: { type: "base64", media_type: "image/png", data: bytes.toString("base64") } }
}

const history = (turns, images, size) => {
  const messages = [{ role: "user", content: "go" }]
  const every = images === 0 ? Number.POSITIVE_INFINITY : Math.floor(turns / images)
  for (let turn = 0; turn < turns; turn++) {
    const id = `toolu_${turn}`
    const shown = turn % every === 0 && turn / every < images ? [picture(size, turn)] : []
    messages.push(
      {
        role: "assistant",
        content: [
          { type: "text", text: "word ".repeat(40) },
          { type: "tool_use", id, name: "bash", input: { turn } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: [{ type: "text", text: "out ".repeat(200) }, ...shown] }],
      },
    )
  }
  return JSON.stringify({ model: "claude", max_tokens: 100, messages })
}

const cases = [
  ["500 turns, no images", history(500, 0, 0)],
  ["200 turns, 19 images of 200 kB", history(200, 19, 200_000)],
  ["200 turns, 90 images of 60 kB", history(200, 90, 60_000)],
  ["50 turns, 5 images of 3.5 MB", history(50, 5, 3_500_000)],
]

const run = ({ convertText }, text) => {
  const start = performance.now()
  const { value: written } = convertText(text, { from: "anthropic", to: "anthropic" })
  const took = performance.now() - start
  if (written !== text) throw new Error("A healthy request did not keep its text")
  return took
}

for (const [name, text] of cases) {
  const best = builds.map(() => Number.POSITIVE_INFINITY)
  let parse = Number.POSITIVE_INFINITY
  for (let round = 0; round < Number(rounds); round++) {
    builds.forEach((build, index) => {
      best[index] = Math.min(best[index], run(build, text))
    })
    const start = performance.now()
    JSON.parse(text)
    parse = Math.min(parse, performance.now() - start)
  }
  const [ours, theirs] = best.map((ms) => ms.toFixed(2).padStart(7))
  process.stdout.write(`${name.padEnd(34)} JSON.parse ${parse.toFixed(2).padStart(7)} ms   ${ours} ms   other build ${theirs} ms\n`)
}
