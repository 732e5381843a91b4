/**
 * What refusals of a provider teach. Its error names a requirement (the library recognises the words), and the requirement
 * says what has to be stricter next time: a field of the profile, or a member of the body that this provider does not take.
 *
 * A lesson about requests holds for the upstream and the model; one about the thinking of a conversation holds for that
 * conversation alone, because the next one may have thinking that is fine. It is remembered only once a request that
 * followed it was accepted.
 */
import { type Profile, profiles } from "ligature"
import { classify } from "ligature/rules"
import type { Upstream } from "../config/config.ts"

export interface Lesson {
  /** What it is called in headers and counters: the requirement. */
  readonly rule: string
  readonly scope: "model" | "conversation"
  readonly profile?: Partial<Profile>
  /** A member of the body to leave out, or to call by another name. */
  readonly member?: { readonly name: string; readonly as?: string }
}

/** What a request has to meet. */
export interface Demands {
  readonly profile: Profile
  /** Names the profile with everything learned. */
  readonly key: string
  readonly members: readonly NonNullable<Lesson["member"]>[]
}

type Stricter = Readonly<Record<string, Partial<Profile>>>

/** Ids of nine letters and digits are fine everywhere. */
const plainestIds: Profile["ids"] = { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 }

/** By the rule that keeps a requirement: the strictest value of its field. */
const stricter: Stricter = {
  "call-id-format": { ids: plainestIds },
  "tool-name-format": { names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_-]*$/, maxLength: 64 } },
  "first-role": { first: "user" },
  "last-role": { last: "user" },
  "role-alternation": { alternate: true },
  "role-sequence": { textAfterResults: "bridge" },
  "system-position": { systemInMiddle: "user" },
  "result-media": { resultMedia: "after" },
  "result-beside-text": { textAfterResults: "bridge" },
  "empty-result": { emptyResult: "filler" },
  "empty-text": { emptyText: "reject" },
  "parallel-calls": { parallelCalls: "serialize" },
  "call-beside-text": { textBesideCalls: "split" },
  "content-string": { wire: { plainContent: true } },
  "result-name": { wire: { resultName: true } },
  "tool-list": { toolList: "declare" },
  "unknown-field": { unknownFields: "reject" },
  "thinking-required": { wire: { reasoning: "require" } },
  "document-position": { documentText: "required" },
}

const thinkingRules: ReadonlySet<string> = new Set([
  "prefix-binding",
  "thinking-signature",
  "foreign-thinking",
  "thinking-forbidden",
  "thinking-position",
  "foreign-opaque",
])

const namedMembers: readonly RegExp[] = [
  /^["\s]*([a-z_]+): Extra inputs are not permitted/i,
  /Unrecognized request arguments? supplied: ([a-z_]+)/i,
  /(?:Unknown|Unsupported|Unrecognized) (?:parameter|argument|field|name):? ['"`]([a-zA-Z_]+)['"`]/i,
  /['"`]([a-z_]+)['"`] is not supported (?:with|by) this model/i,
]

const sentenceOf = (text: string): string => {
  try {
    const { error } = JSON.parse(text) as { readonly error?: { readonly message?: unknown } }
    return typeof error?.message === "string" ? error.message : text
  } catch {
    return text
  }
}

/** `own`: members that cannot be left out. */
const memberLesson = (text: string, own: readonly string[]): Lesson | undefined => {
  const sentence = sentenceOf(text).slice(0, 1000)
  for (const pattern of namedMembers) {
    const name = pattern.exec(sentence)?.[1]
    if (name === undefined || own.includes(name)) continue
    const as = /\bUse ['"`]([a-z_]+)['"`] instead/i.exec(sentence)?.[1]
    return { rule: "request-member", scope: "model", member: { name, ...(as !== undefined && !own.includes(as) && { as }) } }
  }
  return undefined
}

/** What a refusal teaches; undefined where it is about something else, or nothing here could do better. */
export const lessonOf = (status: number, text: string, own: readonly string[]): Lesson | undefined => {
  const found = classify({ status, body: text })
  for (const rule of found?.all ?? []) {
    const { enforcedBy } = rule
    const kept = "profile" in enforcedBy ? enforcedBy.profile : "invariant" in enforcedBy ? enforcedBy.invariant : undefined
    if (kept === undefined) continue
    if (thinkingRules.has(kept)) return { rule: rule.id, scope: "conversation", profile: { thinking: "never" } }
    const profile = Object.hasOwn(stricter, kept) ? stricter[kept] : undefined
    // Members of the body itself are no part of the history.
    const member = kept === "unknown-field" ? memberLesson(text, own) : undefined
    if (member) return member
    if (profile) return { rule: rule.id, scope: "model", profile }
  }
  return memberLesson(text, own)
}

const isSame = (left: Lesson, right: Lesson): boolean => JSON.stringify(left) === JSON.stringify(right)

/** What there is to learn is bounded: requirements, times models. */
const mostLessons = 32
const mostModels = 1024

export class Lessons {
  readonly #learned = new Map<string, readonly Lesson[]>()

  of(upstream: Upstream, model: string | undefined): readonly Lesson[] {
    return this.#learned.get(`${upstream.name} ${model ?? ""}`) ?? []
  }

  learn(upstream: Upstream, model: string | undefined, lesson: Lesson): void {
    const key = `${upstream.name} ${model ?? ""}`
    const known = this.of(upstream, model)
    if (known.length < mostLessons && (this.#learned.size < mostModels || known.length > 0)) this.#learned.set(key, [...known, lesson])
  }

  get size(): number {
    return this.#learned.size
  }
}

export const knows = (lessons: readonly Lesson[], lesson: Lesson): boolean => lessons.some((each) => isSame(each, lesson))

export const demandsOf = ({ profile: name }: Upstream, lessons: readonly Lesson[]): Demands => {
  const given: Profile = profiles[name as keyof typeof profiles]
  let profile = given
  for (const { profile: stricter } of lessons)
    if (stricter) profile = { ...profile, ...stricter, wire: { ...profile.wire, ...stricter.wire } }
  const members = lessons.flatMap(({ member }) => member ?? [])
  return {
    profile,
    key: lessons.length === 0 ? name : `${name} ${lessons.map(({ rule, scope }) => `${scope}:${rule}`).join(" ")}`,
    members,
  }
}
