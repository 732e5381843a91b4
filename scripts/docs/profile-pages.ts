/** One page per profile: its data in words, and the demands of the rule book after them. */
import { type MediaLimits, type Profile, profiles, rules } from "../../packages/ligature/src/rules/index.ts"
import { bookNames } from "../../packages/ligature/src/rules/rulebook/book-names.ts"
import { mediaDemands } from "../../packages/ligature/src/rules/media/media-demands.ts"
import { type Enforcement, type ProviderRule, rulebook } from "../../packages/ligature/src/rules/rulebook/index.ts"
import { code, generatedNote, list, page, table, words } from "./markdown.ts"

/** Words for a field of two values. */
const either =
  (value: string | boolean, yes: string, no: string) =>
  (actual: string | boolean): string =>
    actual === value ? yes : no

type Spoken = Omit<Profile, "name" | "title" | "wire" | "media" | "refusesSystem" | "toolList"> & {
  readonly toolList: Profile["toolList"]
}

/** How each field reads. A record over all fields: a new one does not compile until it has words. */
const spoken: { readonly [Field in keyof Spoken]: (value: Spoken[Field]) => string } = {
  format: (value) => `requests are written in [${value}](../formats/${value}.md)`,
  origins: (value) => {
    const names = words(value.map(code))
    return names === "" ? "understands no opaque data of any origin" : `understands opaque data that came from ${names}`
  },
  ids: ({ pattern, maxLength, exactLength }) => {
    const length = exactLength === undefined ? `at most ${maxLength}` : `exactly ${exactLength}`
    return `call ids match ${code(String(pattern))}, ${length} characters; others are mapped, on call and result alike`
  },
  names: ({ pattern, maxLength }) => `tool names match ${code(String(pattern))}, at most ${maxLength} characters; others are mapped`,
  first: either("user", "the first message after the system prompt is the user's", "anyone may speak first"),
  last: (value) => {
    if (typeof value !== "string") return `the last message is the user's or a result, for models that match ${code(String(value))}`
    return value === "user" ? "the last message is the user's or a result" : "the last message may be anyone's"
  },
  alternate: either(
    true,
    "user and assistant take turns strictly; neighbours are joined",
    "two messages of one role may follow each other",
  ),
  systemInMiddle: (value) =>
    ({
      keep: "system messages may be in the middle",
      own: "a system message in the middle that came in this format, after the user's turn, for a model that takes it, stays; others are said as user text",
      user: "a system message in the middle is said as user text",
    })[value],
  emptyText: either("reject", "blank text is refused and left out", "blank text is accepted"),
  resultMedia: (value) =>
    ({
      inside: "images and documents are inside results",
      "inside-done": "images and documents are inside results; those of a failed one move into a user message after it",
      after: "images and documents of a result move into a user message after it",
    })[value],
  assistantMedia: either("allow", "media the assistant made is replayed", "media the assistant made is described as text"),
  documentText: either("required", "a document has text beside it in its message", "a document may be alone"),
  emptyResult: either("accept", "a result may be empty", "an empty result says so in a word"),
  textAfterResults: either("allow", "user text may be directly after results", "an assistant message is between results and user text"),
  textBesideCalls: either("allow", "text and calls share a message", "text and calls are in messages of their own"),
  parallelCalls: either("allow", "one message may make several calls", "one call per message; parallel calls become one exchange each"),
  thinking: (value) =>
    ({
      signed: "thinking is replayed to its origin when it is signed",
      plain: "thinking of its own origin is replayed as plain text in its field",
      never: "thinking is never sent",
    })[value],
  boundThinking: either(
    true,
    "an edit after the tip takes the signed thinking after it along (preserved thinking)",
    "thinking is not bound to what is before it",
  ),
  toolList: (value) =>
    value === "declare"
      ? "a request with calls declares its tools; where it does not, each tool that the history calls is declared as a stub"
      : "a request with calls may come without a list of tools",
  unknownFields: either("reject", "unknown fields are refused and left out", "unknown fields are ignored and kept"),
  trimFinal: either(true, "a final assistant text does not end in white space", "a final assistant text may end in white space"),
}

const dataRows = (profile: Profile): readonly (readonly string[])[] => {
  const said: Spoken = { ...profile, toolList: profile.toolList }
  const say = <Field extends keyof Spoken>(field: Field): string => spoken[field](said[field])
  return (Object.keys(spoken) as (keyof Spoken)[]).map((field) => [code(field), say(field)])
}

const invariantRules = new Set([...rules.map((rule) => rule.id), "malformed-message"])

const keptBy = (enforcement: Enforcement): string => {
  if ("invariant" in enforcement) {
    return invariantRules.has(enforcement.invariant)
      ? `[${enforcement.invariant}](../rules/${enforcement.invariant}.md)`
      : enforcement.invariant
  }
  return "profile" in enforcement ? code(enforcement.profile) : `not the conversation: ${enforcement.why}`
}

const demandsOf = (profile: Profile): readonly ProviderRule[] => {
  const names = new Set([...(bookNames[profile.name] ?? []), "all"])
  return rulebook.filter(({ providers }) => providers.some((provider) => names.has(provider)))
}

const demandRows = (profile: Profile): readonly (readonly string[])[] =>
  demandsOf(profile).map(({ id, demand, models, severity, enforcedBy }) => [
    code(id),
    `${demand}${models === undefined ? "" : ` (${models})`}`,
    severity,
    keptBy(enforcedBy),
  ])

/** What it accepts of media, and what becomes of the rest. */
const mediaSection = (media: MediaLimits): string =>
  page(
    list(mediaDemands(media)),
    "What is not accepted is replaced by a note that says what was there and why it is not sent; the history keeps it. " +
      "Where a number or sum is exceeded, the oldest goes first, in batches, so that the prompt cache is not lost with " +
      "every message. A media type that does not match the bytes is corrected.",
  ).trimEnd()

const profilePage = (profile: Profile): string => {
  const wire = Object.entries(profile.wire).map(([field, value]) => `${code(field)}: ${String(value)}`)
  return page(
    generatedNote("packages/ligature/src/rules/profiles/profiles.ts and packages/ligature/src/rules/rulebook"),
    `# ${profile.title}`,
    `Profile ${code(profile.name)}. ${code(`ligature check FILE --for ${profile.name}`)} names what this provider ` +
      "would object to; " +
      `${code(`encode(conversation, "${profile.name}")`)} writes a request that passes.`,
    "## What it demands beyond the invariants",
    table(["field", "means"], dataRows(profile)),
    wire.length === 0 ? undefined : page("How requests are written:", list(wire)).trimEnd(),
    "## Media",
    mediaSection(profile.media),
    "## The demands after it",
    "From the rule book. **hard**: the request is refused. **soft**: it is accepted at a cost. *Kept by* names the " +
      "rule that keeps the " +
      "demand: a rule of the invariants (linked), a rule that this profile switches on, or neither, where the demand does " +
      "not concern the conversation.",
    table(["demand", "says", "severity", "kept by"], demandRows(profile)),
    "[All profiles](README.md)",
  )
}

export const profileRows = (base: string): readonly (readonly string[])[] =>
  Object.values(profiles).map(({ name, title, format }) => [`[${name}](${base}${name}.md)`, title, format])

const index = (): string =>
  page(
    generatedNote("packages/ligature/src/rules/profiles/profiles.ts"),
    "# Profiles",
    "A profile is what one provider, or one family of its models, demands of a conversation beyond [the " +
      "invariants](../invariants.md), as data. " +
      "`fit` bends a conversation to it, `check` names what violates it.",
    table(["profile", "stands for", "format"], profileRows("")),
  )

export const profilePages = (): ReadonlyMap<string, string> => {
  const forgotten = Object.keys(profiles).filter((name) => !Object.hasOwn(bookNames, name))
  if (forgotten.length > 0) {
    throw new Error(`Expected names of the rule book for every profile, got none for ${forgotten.join(", ")}`)
  }
  return new Map([
    ["docs/profiles/README.md", index()],
    ...Object.values(profiles).map((profile) => [`docs/profiles/${profile.name}.md`, profilePage(profile)] as const),
  ])
}
