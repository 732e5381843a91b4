/**
 * What refusals of a provider teach. Its error names a requirement (the library recognises the words), and the requirement
 * says what has to be stricter next time: a field of the profile, a parameter (edits.ts), or a member of the body that this
 * provider does not take. Where several things may be meant, they are tried in order: the first that changes the request.
 *
 * A lesson about requests holds for the upstream and the model; one about the thinking, media or ids of a conversation holds
 * for that conversation alone, because the next one may be fine. It is remembered only once a request that followed it was
 * accepted.
 */
import { type Policies, type Profile, profiles } from "ligature"
import { classify } from "ligature/rules"
import type { Upstream } from "../config/config.ts"
import { edits } from "./edits.ts"
import type { RenamedMember } from "./write-body.ts"

export interface Lesson {
  /** What it is called in headers and counters: the requirement. */
  readonly rule: string
  readonly scope: "model" | "conversation"
  readonly profile?: Partial<Profile>
  /** A member of the body to leave out, or to call by another name. */
  readonly member?: RenamedMember
  /** The name of an edit. */
  readonly edit?: string
  /** Which of the things that a rule may mean. */
  readonly meaning?: number
}

/** What a request has to meet. */
export interface Demands {
  readonly profile: Profile
  /** What the configuration chose for histories with damage. */
  readonly policies: Partial<Policies>
  /** Names the profile with everything learned. */
  readonly key: string
  readonly members: readonly RenamedMember[]
  readonly edits: readonly string[]
}

/** Ids of nine letters and digits are fine everywhere. */
const plainestIds: Profile["ids"] = { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 }

/** By the rule that keeps a requirement: the strictest values of its field, the mildest first. */
const stricter: Readonly<Record<string, readonly Partial<Profile>[]>> = {
  "call-id-format": [{ ids: plainestIds }],
  "call-id-unique": [{ ids: plainestIds }],
  "tool-name-format": [{ names: { pattern: /^[a-zA-Z_][a-zA-Z0-9_-]*$/, maxLength: 64 } }],
  "first-role": [{ first: "user" }],
  "last-role": [{ last: "user", trimFinal: true }],
  // Templates that check the order of roles are strict in everything.
  "role-alternation": [
    { alternate: true },
    { alternate: true, first: "user", last: "user", textAfterResults: "bridge", systemInMiddle: "user" },
  ],
  "role-sequence": [{ textAfterResults: "bridge" }],
  "system-position": [{ systemInMiddle: "user" }],
  "result-media": [{ resultMedia: "after" }],
  "result-beside-text": [{ textAfterResults: "bridge" }],
  "empty-result": [{ emptyResult: "filler" }],
  "empty-text": [{ emptyText: "reject" }],
  "parallel-calls": [{ parallelCalls: "serialize" }],
  "call-beside-text": [{ textBesideCalls: "split" }],
  "call-content": [{ wire: { callContent: "empty" } }, { wire: { callContent: "filler" } }],
  "content-string": [{ wire: { plainContent: true } }],
  "result-name": [{ wire: { resultName: true } }],
  "tool-list": [{ toolList: "declare" }],
  "unknown-field": [{ unknownFields: "reject" }],
  "thinking-required": [{ thinking: "plain", wire: { reasoning: "require" } }],
  "thought-signature": [{ wire: { thoughtSignatures: true } }],
  "document-position": [{ documentText: "required" }],
}

/** Requirements that another field keeps than the one of their rule. */
const byRule: Readonly<Record<string, readonly Partial<Profile>[]>> = {
  "anthropic-tools-param-with-tool-history": [{ toolList: "declare" }],
  // A message that says nothing at all, and not only one that has a call.
  "xai-content-element": [{ emptyText: "reject", emptyResult: "filler", wire: { callContent: "filler" } }],
  "mimo-content-part": [{ wire: { callContent: "filler" } }],
}

/** About thinking and other opaque data: of one conversation, and gone in the next. */
const opaqueRules: ReadonlySet<string> = new Set([
  "prefix-binding",
  "thinking-signature",
  "foreign-thinking",
  "thinking-forbidden",
  "thinking-position",
  "thinking-leads",
  "foreign-opaque",
  "split-span",
  "thought-signature",
])

const withoutThinking: readonly Partial<Profile>[] = [
  { thinking: "never", wire: { reasoning: "omit" } },
  { thinking: "never", origins: [] },
]

const described = { types: [] } as const

/** Media that is refused is described in words: what its provider is known to refuse, else all of its kind. */
const mediaLessons = (providers: readonly string[]): readonly Partial<Profile>[] => {
  const known = Object.values(profiles).find(({ name }) => providers.includes(name))
  return [...(known ? [{ media: known.media }] : []), { media: { image: described, document: described } }]
}

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

/** What a refusal may teach; empty where it is about something else, or nothing here could do better. */
export const lessonsOf = (status: number, text: string, own: readonly string[]): readonly Lesson[] => {
  const lessons: Lesson[] = []
  for (const { id: rule, enforcedBy, providers } of classify({ status, body: text })?.all ?? []) {
    const kept = "profile" in enforcedBy ? enforcedBy.profile : "invariant" in enforcedBy ? enforcedBy.invariant : ""
    const teach = (scope: Lesson["scope"], all: readonly Partial<Profile>[]): void => {
      for (const profile of all) lessons.push({ rule, scope, profile, meaning: lessons.length })
    }
    const edit = Object.hasOwn(edits, rule) ? edits[rule] : undefined
    if (edit) lessons.push({ rule, scope: edit.scope, edit: rule })
    // Members of the body itself are no part of the history.
    const member = kept === "unknown-field" ? memberLesson(text, own) : undefined
    if (member) lessons.push(member)
    if (Object.hasOwn(byRule, rule)) teach("model", byRule[rule] ?? [])
    if (Object.hasOwn(stricter, kept)) teach("model", stricter[kept] ?? [])
    if (opaqueRules.has(kept)) teach("conversation", withoutThinking)
    if (kept.startsWith("media-")) teach("conversation", mediaLessons(providers))
    // Only the new end may have been looked at: the whole body, then.
    if ("invariant" in enforcedBy) teach("conversation", [{}])
  }
  const member = status === 400 || status === 422 ? memberLesson(text, own) : undefined
  return member ? [...lessons, member] : lessons
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

export const demandsOf = ({ profile: name, policies }: Upstream, lessons: readonly Lesson[]): Demands => {
  const given: Profile = profiles[name as keyof typeof profiles]
  let profile = given
  for (const { profile: stricter } of lessons)
    if (stricter) profile = { ...profile, ...stricter, wire: { ...profile.wire, ...stricter.wire } }
  const members = lessons.flatMap(({ member }) => member ?? [])
  const named = lessons.flatMap(({ edit }) => edit ?? [])
  return {
    profile,
    policies,
    key: lessons.length === 0 ? name : `${name} ${lessons.map(({ rule, scope, meaning = "" }) => `${scope}:${rule}${meaning}`).join(" ")}`,
    members,
    edits: named,
  }
}
