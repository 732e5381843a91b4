/**
 * What `check` says for a profile, held against the fake providers: whatever they refuse and `check` finds, it names what
 * they name, and says nothing that could be said of any history.
 */
import { describe, expect, it } from "vitest"
import { mutatedJson, vocabularyOf } from "../../../../scripts/fuzz/mutate-json.ts"
import { Random } from "../../../../scripts/fuzz/random.ts"
import { check, decode, encode } from "../../src/convert/index.ts"
import { profiles, rules, settle } from "../../src/rules/index.ts"
import type { Diagnostic } from "../../src/model/index.ts"
import { Choices, generateHistory, judges, type ProfileName } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { suites } from "../testing/providers/suites.ts"
import { resolveCodec } from "../../src/registry/registry.ts"

const names = Object.keys(suites) as readonly ProfileName[]

/** Sentences that say the same of everything. */
const general = /as it is\b|wants this|written differently|demands it|does not take this|\bundefined\b|\[object/

const textOf = ({ what, why, help, repair, place }: Diagnostic): string =>
  [what, why, help, repair?.what, place.path].filter((part) => part !== undefined).join("\n")

/** Quoted values are the history's own words. */
const generalTexts = (found: readonly Diagnostic[]): readonly string[] =>
  found.map(({ what, why, help }) => `${what}\n${why}\n${help}`).filter((text) => general.test(text.replace(/"[^\n]*"|`[^`]*`/g, "")))

/** What findings call the things that judges name by their fields. */
const words: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    arguments: /argument/i,
    args: /argument/i,
    input: /argument|input/i,
    id: /\bids?\b|names no call|call/i,
    call_id: /\bids?\b|names no call|call/i,
    callid: /\bids?\b|names no call|call/i,
    tool_call_id: /\bids?\b|names no call|call/i,
    tool_use_id: /\bids?\b|names no call|call/i,
    tooluseid: /\bids?\b|names no call|call/i,
    name: /name/i,
    tool_use: /call/i,
    tooluse: /call/i,
    tool_calls: /call/i,
    functioncall: /call/i,
    function_call: /call/i,
    tool_result: /result|block/i,
    toolresult: /result|block/i,
    functionresponse: /result|response/i,
    function_response: /result|response/i,
    thinking: /thinking/i,
    signature: /thinking|signature/i,
    thought_signature: /signature/i,
    reasoning_content: /reasoning|thinking/i,
    url: /image|document|file/i,
    image: /image/i,
    image_url: /image/i,
    file: /document|file|PDF/i,
    document: /document|PDF/i,
    output: /result|output|text or a list/i,
    data: /image|document|data|block|text/i,
    source: /image|document/i,
  }),
)

/** Where a refusal points to. Lists of blocks alone say no more than the number of the message. */
const lists: ReadonlySet<string> = new Set(["content", "parts", "source", "base64", "str", "type"])

/** The fields and blocks that a refusal names: in its path, and in quotes. */
const namedIn = (message: string): readonly string[] => {
  const [path = ""] = /(?:messages|input|contents)(?:\.?\[\d+\]|\.\d+)[\w.[\]]*/.exec(message) ?? []
  const fields = path
    .split(/[.[\]]+/)
    .slice(1)
    .filter((part) => part !== "" && !/^\d+$/.test(part) && !lists.has(part))
  return fields.length > 0 || path === "" ? fields : [...message.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
}

/** The number of the message that a refusal names. */
const indexIn = (message: string): number | undefined => {
  const [, index] = /(?:messages|input|contents)(?:\.?\[|\.)(\d+)/.exec(message) ?? []
  return index === undefined ? undefined : Number(index)
}

/** A call may be named for its result, and a system prompt beside the list counts as a message. */
const isAt = ({ place: { message: at, path } }: Diagnostic, index: number | undefined): boolean =>
  index === undefined || path?.includes(`[${index}]`) === true || (at !== undefined && Math.abs(at - index) <= 1)

/** Whether one of the findings is about what the refusal names: its field or block, or for a whole message its place. */
const namesIt = (found: readonly Diagnostic[], message: string): boolean => {
  const fields = namedIn(message)
  const here = found.filter((each) => isAt(each, indexIn(message)))
  const text = here.map(textOf).join("\n")
  return fields.length === 0
    ? here.length > 0
    : fields.some((field) => words.get(field.toLowerCase())?.test(text) === true || text.includes(field))
}

const damagedRequests = (name: ProfileName, count: number): readonly unknown[] => {
  const profile = profiles[name]
  if (!profile) return []
  const random = new Random(11)
  const seeds = Array.from({ length: 12 }, (_, seed) => {
    const { messages } = generateHistory(new Choices(numbersFromSeed(seed + 1, 200)))
    return JSON.parse(JSON.stringify(encode(settle({ format: "ligature", messages }).conversation, profile).value)) as unknown
  })
  const vocabulary = vocabularyOf(seeds)
  return Array.from({ length: count }, () => mutatedJson(random.among(seeds), random, vocabulary))
}

interface Refused {
  readonly refusal: string
  readonly found: readonly Diagnostic[]
}

const refusedBy = (name: ProfileName, bodies: readonly unknown[]): readonly Refused[] =>
  bodies.flatMap((body): readonly Refused[] => {
    const verdict = judges[name](body)
    const found = check(decode(resolveCodec(profiles[name]?.format ?? ""), body), { profile: name })
    return verdict.ok || found.length === 0 ? [] : [{ refusal: verdict.message, found }]
  })

const invariantRules: ReadonlySet<string> = new Set(rules.map(({ id }) => id))

/** Repairs of a damaged history come first: what else a provider would refuse shows when they are done. */
const isDamage = ({ rule }: Diagnostic): boolean => invariantRules.has(rule) || rule.startsWith("malformed")

describe.each(names)("what check says for %s", (name) => {
  const examples = suites[name].rejected.map(({ body }) => body)

  it("names the field, block or message of every refusal that it also finds", () => {
    const refused = refusedBy(name, examples)
    expect(refused.length).toBeGreaterThan(5)
    const missed = refused.filter(({ refusal, found }) => !namesIt(found, refusal))
    expect(missed.map(({ refusal, found }) => `${refusal}: ${found.map(({ what }) => what).join("; ")}`)).toEqual([])
  })

  it("names the place and shows the value of what only this provider refuses", () => {
    const refused = refusedBy(name, damagedRequests(name, 150)).filter(({ found }) => !found.some(isDamage))
    const missed = refused.filter(({ refusal, found }) => !found.some((each) => isAt(each, indexIn(refusal))))
    expect(missed.map(({ refusal, found }) => `${refusal}: ${JSON.stringify(found)}`)).toEqual([])
    expect(refused.flatMap(({ found }) => found.map(({ what }) => what).filter((what) => !/[`"[({]/.test(what)))).toEqual([])
  })

  it("says nothing that could be said of any history", () => {
    const refused = [...refusedBy(name, examples), ...refusedBy(name, damagedRequests(name, 150))]
    expect(refused.flatMap(({ found }) => generalTexts(found))).toEqual([])
  })
})
