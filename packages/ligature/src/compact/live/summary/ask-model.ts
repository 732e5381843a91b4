/**
 * Asks a summariser. Whatever it does (throws, hangs, answers nothing, calls tools, rambles, obeys what it read), the
 * outcome is data, and in bounded time.
 */
import type { Block, Message } from "../../../model/index.ts"
import type { CompactSettings } from "../../policy/settings.ts"
import { mergeRequest, type SummariserRequest, type SummaryWork } from "../../summary/request.ts"
import { type Answer, complaints, validateAnswer } from "../../summary/validate-answer.ts"
import { argumentsText } from "../../text/item-text.ts"
import type { SummaryFailure } from "../stored/notes.ts"
import { timerMs } from "../stored/surroundings.ts"

/** What a summariser is handed beside the question. */
export interface SummariserTerms {
  readonly signal: AbortSignal
  /** Which model; empty: its own choice. */
  readonly model: string
  readonly temperature: number
  readonly conversation: string
}

/** Any way to a model. Gives its text, or its message, so that tool calls can be seen. */
export type Summarise = (request: SummariserRequest, terms: SummariserTerms) => Promise<string | Message>

/** What was asked, and what was read and written for it. */
export interface Spent {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
}

export const nothingSpent: Spent = { requests: 0, inputTokens: 0, outputTokens: 0 }

export const addSpent = (a: Spent, b: Spent): Spent => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
})

const readFor = ({ instructions, material }: SummariserRequest, { meter }: SummaryWork): number =>
  meter.count(instructions) + meter.count(material)

/** What would be read, and at most written, if every answer were right the first time. */
export const expectedSpent = (work: SummaryWork, requests: readonly SummariserRequest[]): Spent => {
  const spentOn = (request: SummariserRequest): Spent => ({
    requests: 1,
    inputTokens: readFor(request, work),
    outputTokens: request.answerTokens,
  })
  const parts = requests.map(spentOn).reduce(addSpent, nothingSpent)
  if (requests.length === 1) return parts
  const merge = mergeRequest(
    work,
    requests.map(() => ""),
  )
  return [spentOn(merge), { ...nothingSpent, inputTokens: parts.outputTokens }].reduce(addSpent, parts)
}

type Asked = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: SummaryFailure; readonly detail: string }

export type SummaryAnswer = Asked & Spent

/** An answer with everything that was written for it: calls and thinking are paid like text. */
interface Given extends Answer {
  readonly written: string
}

const writtenIn = (block: Block): string => {
  if (block.type === "text" || block.type === "thinking") return block.text
  return block.type === "call" ? `${block.name} ${argumentsText(block)}` : ""
}

const givenBy = (given: string | Message): Given => {
  if (typeof given === "string") return { text: given, calls: 0, written: given }
  const blocks = Array.isArray(given?.blocks) ? given.blocks : []
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  return { text, calls: blocks.filter(({ type }) => type === "call").length, written: blocks.map(writtenIn).join("\n") }
}

/** Longer answers are counted by their beginning: a rambling one may have megabytes. */
const countedCharacters = 200_000

const tokensOf = (written: string, count: (text: string) => number): number => {
  if (written.length <= countedCharacters) return count(written)
  return Math.round((count(written.slice(0, countedCharacters)) / countedCharacters) * written.length)
}

type Raced =
  | { readonly type: "answer"; readonly answer: Given }
  | { readonly type: "error" | "timeout" | "cancelled"; readonly detail: string }

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 300)

/** One try. A summariser that ignores its signal is not waited for. */
const tryOnce = async (request: SummariserRequest, summarise: Summarise, terms: SummariserTerms, timeoutMs: number): Promise<Raced> => {
  const own = new AbortController()
  const signal = AbortSignal.any([terms.signal, own.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  let cancel: (() => void) | undefined
  const ended = new Promise<Raced>((resolve) => {
    timer = setTimeout(() => resolve({ type: "timeout", detail: `no answer after ${timeoutMs} ms` }), timerMs(timeoutMs))
    cancel = () => resolve({ type: "cancelled", detail: "the compaction was cancelled" })
    if (terms.signal.aborted) cancel()
    else terms.signal.addEventListener("abort", cancel, { once: true })
  })
  const asked = (async (): Promise<Raced> => {
    try {
      return { type: "answer", answer: givenBy(await summarise(request, { ...terms, signal })) }
    } catch (error) {
      return terms.signal.aborted
        ? {
            type: "cancelled",
            detail: "the compaction was cancelled",
          }
        : { type: "error", detail: messageOf(error) }
    }
  })()
  try {
    return await Promise.race([ended, asked])
  } finally {
    clearTimeout(timer)
    if (cancel) terms.signal.removeEventListener("abort", cancel)
    own.abort()
  }
}

interface SummaryJob {
  readonly work: SummaryWork
  /** What `summariserRequests` makes of the work. */
  readonly requests: readonly SummariserRequest[]
  readonly summarise: Summarise
  readonly settings: CompactSettings
  readonly conversation: string
  /** All text of the user: repeating it is not an injection. */
  readonly userText: string
  readonly signal: AbortSignal
}

type Tally = { -readonly [Amount in keyof Spent]: Spent[Amount] }

/** The same question, with what was wrong about the last answer. The record stays as it is, so parts stay parts. */
const complained = (request: SummariserRequest, complaint: string): SummariserRequest => ({
  ...request,
  instructions: `${request.instructions}\n${complaint}`,
})

/** Puts one question as often as the settings allow, each time with the reason of the refusal before. */
const ask = async (job: SummaryJob, first: SummariserRequest, tally: Tally): Promise<Asked> => {
  const { work, summarise, settings, conversation, signal, userText } = job
  const terms = { signal, model: settings.summary.model, temperature: settings.summary.temperature, conversation }
  let last: Asked = { ok: false, reason: "error", detail: "never asked" }
  let request = first
  for (let tries = 0; tries < settings.summary.attempts; tries++) {
    tally.requests++
    tally.inputTokens += readFor(request, work)
    const raced = await tryOnce(request, summarise, terms, settings.summary.timeoutMs)
    if (raced.type === "cancelled") return { ok: false, reason: "cancelled", detail: raced.detail }
    if (raced.type !== "answer") {
      last = { ok: false, reason: raced.type, detail: raced.detail }
      continue
    }
    const { answer } = raced
    tally.outputTokens += tokensOf(answer.written, work.meter.count)
    const refusal = validateAnswer(answer, request, {
      style: work.style,
      count: work.meter.count,
      userText,
      ...(work.previous && { previous: work.previous.text }),
    })
    if (refusal === undefined) return { ok: true, text: answer.text.trim() }
    request = complained(first, complaints[refusal])
    last = { ok: false, reason: refusal, detail: complaints[refusal] }
  }
  return last
}

/** The summary of the work, in one request or in parts. Never rejects. */
export const askForSummary = async (job: SummaryJob): Promise<SummaryAnswer> => {
  const tally: Tally = { ...nothingSpent }
  const texts: string[] = []
  for (const request of job.requests) {
    const asked = await ask(job, request, tally)
    if (!asked.ok) return { ...asked, ...tally }
    texts.push(asked.text)
  }
  const [only = ""] = texts
  if (texts.length === 1) return { ok: true, text: only, ...tally }
  return { ...(await ask(job, mergeRequest(job.work, texts), tally)), ...tally }
}
