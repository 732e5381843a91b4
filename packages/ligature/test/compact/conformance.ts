/**
 * What every strategy promises, checked on one conversation and one budget, and over generated ones. A strategy's own
 * test calls `strategyConformance(name, makeStrategy)` and adds what is special about it.
 */
import { describe, expect, it } from "vitest"
import { check, decode, encode, resolveCodec } from "../../src/convert/index.ts"
import type { CompactOptions, Compacted, Meter, Strategy } from "../../src/compact/index.ts"
import { compact, estimateMeter, meterOf } from "../../src/compact/index.ts"
import { fitsIn } from "../../src/compact/meter/meter.ts"
import { prepare } from "../../src/compact/compact.ts"
import { readBack } from "../../src/compact/recall/recall.ts"
import { parseHandle } from "../../src/compact/text/handles.ts"
import { profileNames, resolveProfile, settle } from "../../src/rules/index.ts"
import { callsOf, type Conversation, flatten, type Item, type Message } from "../../src/model/index.ts"
import { Choices } from "../../src/testing/index.ts"
import { numbersFromSeed } from "../../src/testing/damage.ts"
import { judges, type ProfileName } from "../../src/testing/providers/index.ts"
import { generateConversation } from "./histories.ts"
import { isPersonal } from "../../src/compact/state/person.ts"

const words = (message: Message): string => message.blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

/** Positions (from zero) that a text names, alone or as `#3 to #9`. */
const namedPositions = (said: string): ReadonlySet<number> => {
  const named = new Set<number>()
  for (const [, from, to] of said.matchAll(/#(\d+)(?:\.\d+)?(?: to #(\d+)| ?[-–…] ?#(\d+))?/g)) {
    for (let position = Number(from); position <= Number(to ?? from); position++) named.add(position - 1)
  }
  return named
}

const sizeOf = (items: readonly Item[], meter = estimateMeter) =>
  items.reduce(
    (sum, item) => {
      const { tokens, bytes } = meter.sizeOfItem(item)
      return { tokens: sum.tokens + tokens, bytes: sum.bytes + bytes }
    },
    { tokens: 0, bytes: 0 },
  )

const firstSpeaker = (items: readonly Item[]): string | undefined => items.find((item) => item.role !== "system")?.role

const expectWholeExchanges = ({ items }: Conversation, { plan }: Compacted): void => {
  plan.decisions.forEach((decision, index) => {
    const before = items[index]
    if (decision.kind !== "edit" || !before) return
    expect(decision.item.role).toBe(before.role)
    if (before.role !== "exchange" || decision.item.role !== "exchange") return
    expect(callsOf(decision.item).map((call) => [call.id, call.name])).toEqual(callsOf(before).map((call) => [call.id, call.name]))
    expect(decision.item.outcomes.map((outcome) => [outcome.kind, outcome.result?.callId])).toEqual(
      before.outcomes.map((outcome) => [outcome.kind, outcome.result?.callId]),
    )
  })
}

/** Everything that is no longer in sight can be asked for by a handle that is. */
const expectHandles = (conversation: Conversation, { plan }: Compacted): void => {
  const { items } = conversation
  // By object, because damage can put one message into several places: then either place will do.
  const named = plan.summaries.map(({ message }) => new Set([...namedPositions(words(message))].map((position) => items[position])))
  plan.decisions.forEach((decision, index) => {
    if (decision.kind === "cover") expect(named[decision.summary]?.has(items[index]), `a summary names #${index + 1}`).toBe(true)
    if (decision.kind !== "edit") return
    expect(decision.elided.length).toBeGreaterThan(0)
    for (const { handle, tokens } of decision.elided) {
      expect(items[parseHandle(handle)?.item ?? -1]).toBe(items[index])
      expect(readBack(conversation, { handle })).toMatchObject({ found: true })
      expect(tokens).toBeGreaterThan(0)
    }
  })
}

const expectStatistics = (conversation: Conversation, { conversation: view, plan }: Compacted, meter: Meter): void => {
  const { before, after, items, prefixKept, thinkingLost } = plan.statistics
  expect({ tokens: before.tokens, bytes: before.bytes }).toEqual(sizeOf(conversation.items, meter))
  expect({ tokens: after.tokens, bytes: after.bytes }).toEqual(sizeOf(view.items, meter))
  for (const amount of [before, after]) {
    expect(Object.values(amount.categories).reduce((sum, tokens) => sum + tokens, 0)).toBe(amount.tokens)
    for (const tokens of Object.values(amount.categories)) expect(tokens).toBeGreaterThanOrEqual(0)
    expect(Object.values(amount.categoryBytes).reduce((sum, bytes) => sum + bytes, 0)).toBe(amount.bytes)
    for (const bytes of Object.values(amount.categoryBytes)) expect(bytes).toBeGreaterThanOrEqual(0)
  }
  expect(items.kept + items.edited + items.covered + items.hidden).toBe(conversation.items.length)
  expect(after.exchanges).toBe(view.items.filter((item) => item.role === "exchange").length)
  expect(prefixKept).toBeLessThanOrEqual(after.tokens)
  expect(thinkingLost).toBeGreaterThanOrEqual(0)
}

/** What a person asked first and last is in the view word for word, or shortened with a handle that says so. */
const expectRequests = ({ items }: Conversation, { plan }: Compacted): void => {
  for (const index of [
    items.findIndex((item, index, all) => isPersonal(item, all[index - 1])),
    items.findLastIndex((item, index, all) => isPersonal(item, all[index - 1])),
  ]) {
    const decision = plan.decisions[index]
    if (index < 0 || decision === undefined || decision.kind === "keep" || decision.kind === "edit") continue
    const item = items[index] as Message
    const summary = decision.kind === "cover" ? plan.summaries[decision.summary] : undefined
    const lines = words(item).split("\n")
    expect(summary && lines.some((line) => words(summary.message).includes(line)), `request #${index + 1} is told`).toBe(true)
  }
}

const fillerTokens = 12

/**
 * For each profile the encoded view passes the strict provider and our own check. A pending call gets an outcome
 * first.
 */
export const expectProvidersAccept = (view: Conversation, names: readonly string[] = profileNames): void => {
  const last = view.items.at(-1)
  const isOpen = last?.role === "exchange" && last.outcomes.some((outcome) => outcome.kind === "pending")
  const closed = isOpen ? settle(flatten(view)).conversation : view
  const measured = sizeOf(closed.items).tokens
  for (const name of names) {
    const profile = resolveProfile(name)
    const { value: request } = encode(closed, profile)
    expect(judges[name as ProfileName](JSON.parse(JSON.stringify(request))), name).toMatchObject({ ok: true })
    const read = decode(resolveCodec(profile.format), request)
    const findings = check(read, { profile }).filter((finding) => finding.severity === "error")
    expect(findings, name).toEqual([])
    // What was measured is what is sent, but for fillers that some providers want between messages.
    const sent = sizeOf(settle(read).conversation.items).tokens
    expect(sent, `${name} gets what was measured`).toBeLessThanOrEqual(1.02 * measured + fillerTokens * (closed.items.length + 1))
  }
}

export interface ConformanceCase {
  readonly conversation: Conversation
  readonly options: CompactOptions
  readonly profiles?: readonly string[]
}

/** Holds one compaction against everything a strategy promises. */
export const expectCompaction = ({ conversation, options, profiles: names }: ConformanceCase): Compacted => {
  const before = JSON.stringify(conversation)
  const { limit, context } = prepare(conversation, options)
  const compacted = compact(conversation, options)
  const { conversation: view, plan } = compacted
  const fits = fitsIn(sizeOf(conversation.items, context.meter), limit)
  expect(plan.outcome === "unchanged", "unchanged exactly when it fits").toBe(fits)
  expect(plan.decisions.length).toBe(conversation.items.length)
  if (plan.outcome !== "compacted") {
    expect(view).toBe(conversation)
    if (plan.outcome === "refused") expect(plan.reason).toMatch(/\d/)
  } else {
    const size = sizeOf(view.items, context.meter)
    expect(fitsIn(size, limit), `${JSON.stringify(size)} in ${JSON.stringify(limit)}`).toBe(true)
    expect(view.items.length).toBeGreaterThan(0)
    if (firstSpeaker(conversation.items) === "user") expect(firstSpeaker(view.items)).toBe("user")
    const again = compact(view, options)
    expect(again.conversation, "compacting twice is compacting once").toBe(view)
    expect(again.plan.outcome).toBe("unchanged")
    expect(check(view, { tip: "open" })).toEqual([])
    const settled = settle(flatten(view), { tip: "open" })
    expect(settled.report.entries).toEqual([])
    expectWholeExchanges(conversation, compacted)
    expectHandles(conversation, compacted)
    expectRequests(conversation, compacted)
    expectProvidersAccept(view, names)
  }
  expectStatistics(conversation, compacted, context.meter)
  expect(JSON.stringify(conversation), "the conversation is never touched").toBe(before)
  const repeated = compact(structuredClone(conversation), options)
  expect(JSON.stringify(repeated.conversation.items), "same input, same bytes").toBe(JSON.stringify(view.items))
  expect(repeated.plan.outcome).toBe(plan.outcome)
  return compacted
}

const budgets = (choices: Choices): CompactOptions["budget"] => {
  const kind = choices.number(5)
  if (kind === 0) return 40 + choices.number(400)
  if (kind === 1) return { bytes: 400 + choices.number(20_000) }
  if (kind === 2) return { tokens: 200 + choices.number(3000), bytes: 1000 + choices.number(20_000) }
  return `${1 + choices.number(90)}%`
}

export interface ConformanceOptions {
  /** Generated cases; default 60, or LIGATURE_COMPACTIONS. */
  readonly runs?: number
  readonly seed?: number
  /** Also draw what is protected, a goal, and a meter that counts exactly. Default false. */
  readonly wishes?: boolean
}

/** About a token for each run of letters and each other character, as tokenizers count. */
const exact = meterOf({ count: (words) => words.match(/\w{1,6}|[^\w\s]/g)?.length ?? 0 })

/** What callers may want beside a budget; drawn from numbers of its own, so that histories stay the same. */
const wishesOf = (seed: number): Partial<CompactOptions> => {
  const choices = new Choices(numbersFromSeed(seed, 8))
  const [step, tools] = [2 + choices.number(9), ["bash", "grep"].slice(choices.number(3))]
  return {
    ...(choices.chance(2) && { protect: { tools, items: (_, index) => index % step === 1 } }),
    ...(choices.chance(2) && { goal: "compare path/to/file-3.ts with 看起来不错" }),
    ...(choices.chance(2) && { meter: exact }),
  }
}

/** One case from a seed: history, budget and three profiles to encode for. */
const caseOf = (seed: number, strategy: Strategy, wishes: boolean): ConformanceCase => {
  const choices = new Choices(numbersFromSeed(seed, 900))
  const budget = budgets(choices)
  const rotated = choices.number(profileNames.length)
  const names = [0, 5, 11].map((step) => profileNames[(rotated + step) % profileNames.length] as string)
  const options = { budget, strategy, ...(wishes && wishesOf(seed)) }
  return { conversation: generateConversation(choices), options, profiles: names }
}

/** The promises of a strategy over generated histories, budgets and profiles. */
export const strategyConformance = (name: string, makeStrategy: () => Strategy, options: ConformanceOptions = {}): void => {
  const { runs = Number(process.env["LIGATURE_COMPACTIONS"] ?? 60), seed: first = 20_261_116, wishes = false } = options
  describe(`${name}, as every strategy`, () => {
    it("gives a valid view that fits, whole exchanges, handles for what is gone, and the same again, or refuses", () => {
      const outcomes = { unchanged: 0, compacted: 0, refused: 0 }
      for (let seed = first; seed < first + runs; seed++) {
        try {
          outcomes[expectCompaction(caseOf(seed, makeStrategy(), wishes)).plan.outcome]++
        } catch (error) {
          throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
        }
      }
      expect(outcomes.unchanged, JSON.stringify(outcomes)).toBeLessThan(runs)
    }, 600_000)

    it("answers an empty conversation with itself", () => {
      const { conversation } = settle({ format: "ligature", messages: [] })
      expect(compact(conversation, { budget: 10, strategy: makeStrategy() }).conversation).toBe(conversation)
    })
  })
}
