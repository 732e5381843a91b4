/**
 * What holds for the sessions of every agent: a message between any two records is sent or reported, never gone; a tool name
 * that is too long reaches no provider, nor stays in what the agent sends; no provider gets a signature that is none.
 */
import { describe, expect, it } from "vitest"
import { root } from "../../../../scripts/source-files.ts"
import { cloned, isTree, jsonOf, setAt, spotsIn, valueAt } from "../../../../scripts/fuzz/json-tree.ts"
import { Random } from "../../../../scripts/fuzz/random.ts"
import { allCodecs, collectSeeds } from "../../../../scripts/fuzz/seeds.ts"
import { checkSession } from "../../src/convert/session-check.ts"
import { convert, decode, encode, fileValueOf, isSessionCodec, repair, resolveCodec, type SessionCodec } from "../../src/convert/index.ts"
import type { Block, Wire } from "../../src/model/index.ts"
import { profileNames, resolveProfile, settle } from "../../src/rules/index.ts"
import { judges } from "../../src/testing/index.ts"

const seeds = collectSeeds(new Random(1), { root })
const codecs = allCodecs.filter((codec) => isSessionCodec(codec)).map((codec) => [codec.format, codec] as const)
const few = 3

const blocksOf = (format: string, value: unknown): readonly Block[] =>
  decode(resolveCodec(format), value).messages.flatMap(({ blocks }): readonly Block[] => blocks)

const written = (
  codec: SessionCodec,
  value: unknown,
): { readonly file: unknown; readonly report: unknown; readonly rules: readonly string[] } => {
  const repaired = repair(value, { from: resolveCodec(codec.format) })
  const file = JSON.parse(jsonOf(fileValueOf(codec, repaired.value))) as unknown
  return { file, report: repaired.report, rules: repaired.report.entries.map(({ rule }) => rule) }
}

/** Texts stand in records, and in JSON texts inside them. */
const inText = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The record list of a session: its longest list. */
const listAt = (holder: unknown): number => {
  const spots = spotsIn(holder)
  const longest = spots
    .map(valueAt)
    .filter(Array.isArray)
    .toSorted((one, other) => other.length - one.length)[0] as unknown
  return spots.findIndex((spot) => valueAt(spot) === longest)
}

const links: readonly (readonly [string, string])[] = [
  ["uuid", "parentUuid"],
  ["id", "parentId"],
  ["messageId", "parentMessageId"],
]

/** The session with one more record of the user at each place, linked into its chain, and what that record says. */
const withOneMore = function* (format: string, seed: unknown): Generator<readonly [unknown, string]> {
  const holder = { root: seed }
  const at = listAt(holder)
  const list = at < 0 ? [] : (valueAt(spotsIn(holder)[at] as never) as unknown[])
  const prompts = decode(resolveCodec(format), seed).messages.flatMap(({ role, blocks }) =>
    role === "user" ? blocks.flatMap((block) => (block.type === "text" && block.text.length > 3 ? [block.text] : [])) : [],
  )
  const isPrompt = (text: string, json: string): boolean => json.includes(inText(text)) && !/tool_?result|call_output/i.test(json)
  const [found] = prompts.flatMap((text) => list.filter((each) => isPrompt(text, jsonOf(each))).map((record) => ({ text, record })))
  if (!found) return
  for (let index = 1; index <= list.length; index++) {
    const copy = cloned(holder) as { root: unknown }
    const records = valueAt(spotsIn(copy)[at] as never) as Wire[]
    const word = `PLANTED${index}BETWEEN`
    const record = JSON.parse(jsonOf(found.record).replaceAll(inText(found.text), word)) as Record<string, unknown>
    for (const [id, parent] of links) {
      if (typeof record[id] === "string") record[id] = `fresh-${index}`
      const [before, after] = [records[index - 1], records[index]]
      if (!(parent in record) || !isTree(before) || typeof before[id] !== "string") continue
      record[parent] = before[id]
      if (isTree(after) && after[parent] === before[id]) setAt({ parent: after, key: parent, depth: 0 }, record[id])
    }
    records.splice(index, 0, record)
    yield [copy.root, word]
  }
}

describe.each(codecs)("a session of %s", (format, codec) => {
  const some = (seeds.get(format) ?? []).slice(0, few)

  it("keeps a message that stands anywhere in it, also between a call and its result", () => {
    for (const seed of some) {
      for (const [value, word] of withOneMore(format, seed)) {
        const sent = convert(value, { from: resolveCodec(format), to: "anthropic" })
        const request = jsonOf(sent.value)
        expect(request.includes(word) || jsonOf(sent.report).includes(word), word).toBe(true)
        if (codec.session.writes === "none") continue
        const { file, report } = written(codec, value)
        expect(jsonOf(file).includes(word) || jsonOf(report).includes(word), word).toBe(true)
        if (request.includes(word)) expect(jsonOf(convert(file, { from: resolveCodec(format), to: "anthropic" }).value)).toContain(word)
        expect(written(codec, file).rules, word).toEqual([])
      }
    }
  })

  it("reaches no provider with a tool name that is too long", () => {
    const long = `mcp__${"server_".repeat(40)}`
    for (const seed of some) {
      const names = new Set(blocksOf(format, seed).flatMap((block) => (block.type === "call" ? [block.name] : [])))
      for (const name of names) {
        const value = JSON.parse(jsonOf(seed).replaceAll(JSON.stringify(name), JSON.stringify(long))) as unknown
        if (!blocksOf(format, value).some((block) => block.type === "call" && block.name === long)) continue
        const { conversation } = settle(decode(resolveCodec(format), value))
        for (const profile of profileNames) {
          const request = JSON.parse(jsonOf(encode(conversation, resolveProfile(profile)).value)) as unknown
          expect(judges[profile](request), profile).toEqual({ ok: true })
        }
        if (codec.session.writes === "none") continue
        const refused = checkSession(value, decode(resolveCodec(format), value), {}).some(({ rule }) => rule === "tool-name-format")
        const { file } = written(codec, value)
        const kept = blocksOf(format, file).some((block) => (block.type === "call" || block.type === "result") && block.name === long)
        expect(kept).toBe(!refused)
        expect(written(codec, file).rules).toEqual([])
      }
    }
  })

  it("sends no signature that Anthropic cannot have written", () => {
    for (const signature of ["reasoning_content", "1759500000000"]) {
      for (const seed of some) {
        const value = cloned(seed)
        const places = spotsIn({ value }).filter((spot) => /signature/i.test(String(spot.key)) && typeof valueAt(spot) === "string")
        for (const spot of places) setAt(spot, signature)
        const { conversation } = settle(decode(resolveCodec(format), value))
        for (const profile of ["anthropic", "bedrock-claude"] as const) {
          const request = jsonOf(encode(conversation, resolveProfile(profile)).value)
          if (places.length > 0) expect(request).not.toContain(signature)
          expect(judges[profile](JSON.parse(request))).toEqual({ ok: true })
        }
      }
    }
  })
})
