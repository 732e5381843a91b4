/**
 * Gemini generateContent → Transcript. Reads the API's JSON and what the SDKs take beyond it (a string or a single
 * content for `contents`, system text under `config`, parts without a content around them).
 */
import {
  asWord,
  type Block,
  type Diagnostic,
  isWire,
  type Message,
  type Place,
  type Role,
  type Transcript,
  type Wire,
} from "../../model/index.ts"
import { borrowedMessage } from "../engine/borrowed.ts"
import type { DecodeOptions } from "../engine/codec.ts"
import { MessageList, misshapen, originOf } from "../engine/message-list.ts"
import { asList, roleAlias } from "../engine/wire.ts"
import { contentWithin, partKinds, partMarks, type SystemHome, systemHome } from "./fields.ts"
import { format, malformed, newReading, type Reading, readPart, readParts as readList } from "./read-blocks.ts"

const roles: ReadonlyMap<unknown, Role> = new Map([
  ["user", "user"],
  ["model", "assistant"],
  ["function", "tool"],
  ["tool", "tool"],
  ["assistant", "assistant"],
  ["system", "system"],
])

const readParts = (parts: unknown, reading: Reading, place: Place): readonly Block[] => {
  if (parts === undefined || parts === null) return []
  if (typeof parts === "string") return readPart(parts, reading, place)
  if (isWire(parts)) {
    reading.diagnostics.push(misshapen(place, "Expected a list of parts, got one part", "written as a list"))
    return readPart(parts, reading, place)
  }
  if (!Array.isArray(parts)) return [malformed(parts, "Expected a list of parts", reading, place)]
  return readList(parts, reading, place)
}

/** No role means user; but a user does not call tools or think. */
const impliedRole = (blocks: readonly Block[]): Role =>
  blocks.some((block) => block.type === "call" || block.type === "thinking") ? "assistant" : "user"

const looksLikePart = (wire: Wire): boolean => {
  for (const key in wire) if (partKinds.has(key) || partMarks.has(key)) return !("role" in wire)
  return false
}

/** Where messages of other APIs say what they say. */
const foreignFields = ["content", "tool_calls", "tool_call_id", "text"]

const readContent = (wire: unknown, reading: Reading, place: Place): Message => {
  if (typeof wire === "string") return { role: "user", blocks: readPart(wire, reading, place) }
  const within = contentWithin(wire)
  if (within) {
    reading.diagnostics.push(misshapen(place, "Expected a content, got a whole answer", "written as its content"))
    return readContent(within, reading, place)
  }
  const given = isWire(wire) ? wire["role"] : undefined
  const missing = given === undefined || given === null || given === ""
  const role = roles.get(given) ?? roleAlias(given)
  if (!isWire(wire) || (!missing && role === undefined)) {
    return { role: "user", blocks: [malformed(wire, "Expected a content with role user or model", reading, place)] }
  }
  if (missing && !("parts" in wire) && looksLikePart(wire)) {
    reading.diagnostics.push(misshapen(place, "Expected a content, got a part", "written as a content"))
    const blocks = readPart(wire, reading, place)
    return { role: impliedRole(blocks), blocks }
  }
  if (wire["parts"] === undefined && foreignFields.some((field) => wire[field] !== undefined)) {
    reading.diagnostics.push(misshapen(place, "Expected parts, got the content of another API", "written as parts"))
    const said = borrowedMessage(wire)
    if (said) return said
    const given = wire["content"] ?? wire["text"]
    const blocks = given === "" ? [] : readParts(given, reading, place)
    return { role: role ?? impliedRole(blocks), blocks }
  }
  const lone = missing && !("parts" in wire) ? borrowedMessage(wire) : undefined
  if (lone) {
    reading.diagnostics.push(misshapen(place, "Expected a content, got an item of another API", "written as a content"))
    return lone
  }
  if (missing && !("parts" in wire) && Object.keys(wire).some((key) => key !== "role")) {
    return { role: "user", blocks: [malformed(wire, "Expected a content with parts", reading, place)] }
  }
  const blocks = readParts(wire["parts"], reading, place)
  const native = { gemini: wire }
  if (role === undefined) return { role: impliedRole(blocks), blocks, native }
  if (given !== "user" && given !== "model") {
    const written = role === "assistant" ? "model" : role === "system" ? "system instruction" : "user"
    const what = `Expected role user or model, got ${asWord(given)}`
    reading.diagnostics.push(misshapen(place, what, `written as ${written}`))
  }
  return { role, blocks, native }
}

/** The API takes a content; the SDK, which has it under `config`, takes also a string, a part or a list of parts. */
const readSystem = ({ value, inConfig }: SystemHome, reading: Reading): readonly Block[] => {
  const place = { message: 0, path: "systemInstruction" }
  if (isWire(value) && ("parts" in value || !looksLikePart(value))) return readParts(value["parts"], reading, place)
  const known = typeof value === "string" || Array.isArray(value) || isWire(value)
  if (!known) return [malformed(value, "Expected a content as system instruction", reading, place)]
  if (!inConfig) {
    reading.diagnostics.push(misshapen(place, "Expected a content as system instruction", "written as a content"))
  }
  if (typeof value === "string") return [{ type: "text", text: value }]
  return Array.isArray(value) ? readParts(value, reading, place) : readPart(value, reading, place)
}

/** Stands for the place of a content while it is read. */
const anywhere: Place = {}

/** Gives diagnostics from `start` on the place of the content they were found in. */
const locate = (diagnostics: Diagnostic[], start: number, place: Place): void => {
  for (let index = start; index < diagnostics.length; index++) {
    diagnostics[index] = { ...(diagnostics[index] as Diagnostic), place }
  }
}

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const body: Wire = isWire(value) ? value : { contents: value }
  const read = new MessageList(format, "contents", options)
  const reading = newReading(read.diagnostics)
  const system = systemHome(body)
  if (system) {
    const blocks = readSystem(system, reading)
    read.add({ role: "system", blocks, native: { [format]: { system: system.value } } })
  }
  const list = asList(body["contents"])
  for (let index = 0; index < list.length; index++) {
    read.at(index)
    const found = reading.diagnostics.length
    const message = readContent(list[index], reading, anywhere)
    // Where a content stands is worked out only for those that something is said about.
    if (reading.diagnostics.length > found) locate(reading.diagnostics, found, read.place())
    read.add(message)
  }
  return read.transcript(value, { origin: originOf(format, body["model"]), ids: "optional" })
}
