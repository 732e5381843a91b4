/**
 * Question: what does the whole way cost on real request bodies, as a multiple of JSON.parse + JSON.stringify? The bodies are
 * what the real Claude Code sessions of a megabyte and more send next: long tool results, thinking and few short messages,
 * which generated histories have not.
 *
 * LIGATURE_CORPUS=DIR node --expose-gc bench/bodies.mjs DIST [ROUNDS-FACTOR]   prints one JSON line per body.
 */
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { fastest } from "./measure.mjs"

const [dist, factor = "1"] = process.argv.slice(2)
const compiled = (path) => import(pathToFileURL(resolve(dist, path)).href)
const { convert, convertText } = await compiled("index.js")

const folder = join(process.env.LIGATURE_CORPUS, "claude-code")
const least = 1_000_000
const targets = ["anthropic", "openai-chat", "gemini", "openai-responses"]

const recordsIn = (path) =>
  readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line))

const bodyOf = (path) => {
  const { value } = convert(recordsIn(path), { from: "claude-code", to: "anthropic" })
  return JSON.stringify(value)
}

let seen = 0

const lookedAt = (text) => {
  seen += text.charCodeAt(text.length >> 1)
  return text
}

const measure = async (name) => {
  const text = bodyOf(join(folder, name))
  const tasks = {
    floor: () => lookedAt(JSON.stringify(JSON.parse(text))),
    ...Object.fromEntries(targets.map((to) => [to, () => lookedAt(convertText(text, { from: "anthropic", to }).value)])),
  }
  const { messages } = JSON.parse(text)
  const times = await fastest(tasks, { size: messages.length, rounds: Math.max(5, Math.round(25 * Number(factor))) })
  return { characters: text.length, messages: messages.length, times }
}

const names = readdirSync(folder).filter((name) => statSync(join(folder, name)).size >= least)
for (const name of names.sort()) {
  try {
    console.log(JSON.stringify(await measure(name)))
  } catch (error) {
    console.error(`  ${name}: ${error instanceof Error ? error.message : error}`)
  }
}
if (!(seen > 0)) throw new Error("No text was looked at")
