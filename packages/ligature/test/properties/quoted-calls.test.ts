/**
 * The output of a tool never becomes a call, in any format: wherever the wire value of a call is put into the message that
 * brings a result, and whoever else than the assistant a message with a call is said to be from.
 */
import { describe, expect, it } from "vitest"
import { cloned, isTree, type Spot, spotsIn, valueAt } from "../../../../scripts/fuzz/json-tree.ts"
import { allCodecs, handMade, writesAnything } from "../../../../scripts/fuzz/seeds.ts"
import { encodePlainly } from "../../src/convert/encode.ts"
import { type Codec, fileValueOf, isSessionCodec, repair, resolveCodec } from "../../src/convert/index.ts"
import { type CallBlock, callsOf, type Message, resultText, text, type Transcript } from "../../src/model/index.ts"
import { check, settle } from "../../src/rules/index.ts"

const call = (id: string, name: string, path: string): CallBlock => ({ type: "call", id, name, arguments: { path } })

const answered = (id: string, name: string, path: string, output: string): readonly Message[] => [
  { role: "assistant", blocks: [text(`I call ${name}`), call(id, name, path)] },
  { role: "tool", blocks: [{ type: "result", callId: id, name, content: [text(output)] }] },
]

const history: Transcript = {
  format: "ligature",
  messages: [
    { role: "user", blocks: [text("Please look.")] },
    ...answered("call_alpha", "alpha_tool", "alpha.txt", "output of alpha"),
    ...answered("call_beta", "beta_tool", "beta.txt", "output of beta"),
    { role: "assistant", blocks: [text("That is all.")] },
  ],
}

const seedsOf = (codec: Codec): readonly unknown[] => {
  const made = handMade(codec.format)
  if (!writesAnything(codec)) return made
  const { value } = encodePlainly(settle(history).conversation, codec.format)
  return [...made, JSON.parse(JSON.stringify(isSessionCodec(codec) ? fileValueOf(codec, value) : value))]
}

const json = (value: unknown): string => JSON.stringify(value) ?? ""

const quoted = (value: string): string => json(value).slice(1, -1)

type Fields = Record<string, unknown>

const marker = "marker_tool"

/** The wire value of a call, as a call of its own that nothing answers. */
const asMarker = (value: unknown, { name, id }: CallBlock): unknown => {
  const renamed = json(value).replaceAll(json(name), json(marker))
  return JSON.parse(id === "" ? renamed : renamed.replaceAll(json(id), json("marker_id")))
}

interface Graft {
  readonly how: string
  readonly root: unknown
}

interface Material {
  readonly seed: unknown
  readonly transcript: Transcript
  readonly spots: readonly Spot[]
}

const materialOf = (codec: Codec): readonly Material[] =>
  seedsOf(codec).map((seed) => ({ seed, transcript: codec.decode(seed), spots: spotsIn({ root: seed }) }))

const callsIn = ({ messages }: Transcript): readonly CallBlock[] =>
  messages.flatMap(({ role, blocks }) => (role === "assistant" ? blocks.filter((block) => block.type === "call") : []))

/** Texts that the result of a tool does not have: what is next to one of them is more than the result. */
const textsBeside = ({ messages }: Transcript): readonly string[] =>
  messages.flatMap(({ blocks }) =>
    blocks.flatMap((block): readonly string[] => {
      if (block.type === "call") return Object.values(block.arguments).filter((value) => typeof value === "string")
      return block.type === "text" && block.text.length > 3 ? [block.text] : []
    }),
  )

/** Every object that says the result of a tool and nothing else, and every value that is a call. */
const graftsOf = ({ seed, transcript, spots }: Material): readonly Graft[] => {
  const grafts: Graft[] = []
  const beside = textsBeside(transcript).map(quoted)
  const outputs = transcript.messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "result" ? [resultText(block).slice(0, 12)] : [])),
  )
  const isOutput = (value: string): boolean => outputs.some((output) => output.length > 4 && value.includes(quoted(output)))
  const targets = [...spots.entries()].filter(([, spot]) => {
    const value = valueAt(spot)
    const written = json(value)
    return isTree(value) && !Array.isArray(value) && isOutput(written) && !beside.some((said) => written.includes(said))
  })
  for (const block of callsIn(transcript).filter(({ name }) => name !== "")) {
    const sources = spots.map(valueAt).filter((value) => isTree(value) && json(value).includes(json(block.name)) && !isOutput(json(value)))
    for (const source of sources) {
      const made = asMarker(source, block)
      const list = Array.isArray(made) ? made : [made]
      for (const [index, target] of targets) {
        const graft = (how: string, change: (fields: Fields) => void): void => {
          const copy = { root: cloned(seed) }
          change(valueAt(spotsIn(copy)[index] as Spot) as Fields)
          grafts.push({ how, root: copy.root })
        }
        const fields = valueAt(target) as Fields
        for (const [key, value] of Array.isArray(made) ? [] : Object.entries(made as Fields)) {
          if (!json(value).includes(marker)) continue
          if (!Object.hasOwn(fields, key)) graft(`beside ${key}`, (into) => void (into[key] = value))
          if (Array.isArray(value) && Array.isArray(fields[key])) graft(`among ${key}`, (into) => (into[key] as unknown[]).push(...value))
        }
        for (const [key, value] of Object.entries(fields)) {
          if (!isOutput(json(value))) continue
          if (Array.isArray(value)) graft(`pushed to ${key}`, (into) => (into[key] as unknown[]).push(...list))
          else if (typeof value === "string") {
            graft(`as ${key}`, (into) => void (into[key] = made))
            graft(`listed as ${key}`, (into) => void (into[key] = list))
            graft(`text of ${key}`, (into) => void (into[key] = json(made)))
          }
        }
      }
    }
  }
  return grafts
}

const assistantNames = /^(?:assistant|agent|model|gpt|ai|AIMessage)$/i

/** Here the kind of a record or item says who wrote it, and the role is a copy of that. */
const kindDecides = new Set([
  "claude-code",
  "claude-code-array",
  "claude-stream-json",
  "iflow",
  "qwen-code",
  "dsh",
  "openhands-v0",
  "openhands-v1",
  "open-webui",
])

const renamedRoles = ({ seed, transcript, spots }: Material): readonly Graft[] => {
  const grafts: Graft[] = []
  for (const block of callsIn(transcript).filter(({ name }) => name !== "")) {
    for (const [index, spot] of spots.entries()) {
      const speaker = valueAt(spot)
      if (typeof speaker !== "string" || !/^(?:role|from|source|sender|author|speaker)$/.test(String(spot.key))) continue
      if (!assistantNames.test(speaker) || !json(spot.parent).includes(json(block.name))) continue
      for (const role of ["tool", "function", "system", "developer", "TOOL"]) {
        const copy = { root: asMarker(seed, { ...block, id: "" }) }
        ;(spotsIn(copy)[index] as { parent: Fields }).parent[spot.key] = role
        grafts.push({ how: `${spot.key} ${role}`, root: copy.root })
      }
    }
  }
  return grafts
}

const isMarker = ({ name }: CallBlock): boolean => name === marker

const problemsWith = (codec: Codec, { how, root }: Graft): readonly string[] => {
  const found: string[] = []
  const fail = (what: string): void => void found.push(`${how}: ${what}: ${json(root).slice(0, 3000)}`)
  const transcript = codec.decode(root)
  for (const tip of ["open", "closed"] as const) {
    const { items } = settle(transcript, { tip }).conversation
    if (items.some((item) => item.role === "exchange" && callsOf(item).some(isMarker))) fail(`a call (${tip})`)
  }
  if (isSessionCodec(codec) && codec.session.writes === "none") return found
  const { value, report } = repair(root, { from: resolveCodec(codec.format) })
  const written: unknown = JSON.parse(json(isSessionCodec(codec) ? fileValueOf(codec, value) : value))
  const again = codec.decode(written)
  if (callsIn(again).some(isMarker)) fail("a call of the repaired")
  if (check(again).some(({ severity }) => severity === "error")) fail("not valid when repaired")
  if (!`${json(written)}${json(report)}`.includes(marker)) fail("lost")
  return found
}

describe("a call in the output of a tool", () => {
  it.each(allCodecs.map((codec) => [codec.format, codec] as const))("is none in %s", (_, codec) => {
    const grafts = materialOf(codec).flatMap(graftsOf)
    const problems = new Set(grafts.flatMap((graft) => problemsWith(codec, graft)))
    expect([...problems].slice(0, 3)).toEqual([])
  })

  it("is tried in most formats", () => {
    const tried = allCodecs.filter((codec) => materialOf(codec).some((material) => graftsOf(material).length > 0))
    expect(tried.length).toBeGreaterThan(25)
  })
})

describe("a call in a message of a tool or of the system", () => {
  const spoken = allCodecs.filter(({ format }) => !kindDecides.has(format))

  it.each(spoken.map((codec) => [codec.format, codec] as const))("is none in %s", (_, codec) => {
    const grafts = materialOf(codec).flatMap(renamedRoles)
    const problems = new Set(grafts.flatMap((graft) => problemsWith(codec, graft)))
    expect([...problems].slice(0, 3)).toEqual([])
  })
})
