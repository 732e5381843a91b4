/** One page per codec: what its format can say, and the same small conversation written in it. */
import { codecs, type Feature, features, type Home } from "../../packages/ligature/src/convert/index.ts"
import type { Codec } from "../../packages/ligature/src/convert/index.ts"
import { defaultProfile, encode } from "../../packages/ligature/src/convert/index.ts"
import { profiles, settle } from "../../packages/ligature/src/rules/index.ts"
import { assistant, call, type Conversation, result, system, tool, transcript, user } from "../../packages/ligature/src/model/index.ts"
import { code, fence, generatedNote, page, table, words } from "./markdown.ts"
import { sessionPages, sessionRows } from "./session-pages.ts"
import { resolveCodec } from "../../packages/ligature/src/registry/registry.ts"

/** Fields that no format knows are at home nowhere: they make no difference between formats. */
export const featureCodes = (Object.keys(features) as readonly Feature[]).filter((code) => code !== "other-fields")

export const homeMarks: Readonly<Record<Home, string>> = { native: "●", convention: "○", none: "–" }

/** Shown on every page, so that formats can be compared at a glance. */
export const sample: Conversation = settle(
  transcript(
    system("You are a careful engineer."),
    user("How many tests are there, and do they pass?"),
    assistant("I will look.", call("call_1", "bash", { command: "ls test" }), call("call_2", "bash", { command: "npm test" })),
    tool(result("call_1", "a.test.ts\nb.test.ts"), result("call_2", "1 failed", { error: true })),
    assistant("Two files, and one test fails."),
  ),
).conversation

const written = (codec: Codec): string => {
  const profile = defaultProfile(resolveCodec(codec.format))
  const value = profile?.format === codec.format ? encode(sample, profile).value : codec.encode(sample)
  return JSON.stringify(value, null, 2)
}

const homeWords: Readonly<Record<Home, string>> = {
  native: "has a field for it",
  convention: "carried by agreement",
  none: "no home",
}

export const homeRows = (codec: Codec): readonly (readonly string[])[] =>
  featureCodes.map((feature) => {
    const home = codec.capabilities.homes[feature]
    return [feature, features[feature], `${homeMarks[home]} ${homeWords[home]}`]
  })

const profilesOf = (codec: Codec): string => {
  const names = Object.values(profiles).filter(({ format }) => format === codec.format)
  if (names.length === 0) return "No profile writes this format: it is encoded as it is, without a provider's demands."
  return `Profiles that write it: ${words(names.map(({ name }) => `[${name}](../profiles/${name}.md)`))}.`
}

const formatPage = (codec: Codec): string =>
  page(
    generatedNote(`packages/ligature/src/formats/${codec.format}`),
    `# ${codec.title}`,
    `Format ${code(codec.format)}. ${profilesOf(codec)}`,
    "## The same conversation in this format",
    "A system prompt, a user message, one message with two calls, their results (the second failed), and the reply:",
    fence("json", written(codec)),
    "## What it can say",
    "● the format has a field for it; ○ it is carried by agreement and comes back when read again; – it has no home " +
      "here and is " +
      "named in the loss report. [What the names mean](../losses.md).",
    table(["code", "piece of information", "home"], homeRows(codec)),
    "## What is kept",
    `Every message and block keeps the wire value it came from under ${code(`native["${codec.format}"]`)}. Written back ` +
      "to this format, an unchanged block is that very value, unknown fields included; a changed one is written anew. " +
      "Fields the format's provider " +
      "would refuse are left out when a profile asks for it.",
    "[All formats](README.md) · [Losses](../losses.md)",
  )

export const formatRows = (base: string): readonly (readonly string[])[] =>
  Object.values(codecs).map((codec) => {
    const homes = featureCodes.map((feature) => codec.capabilities.homes[feature])
    const countOf = (home: Home): string => String(homes.filter((each) => each === home).length)
    const name = `[${codec.format}](${base}${codec.format}.md)`
    return [name, codec.title, countOf("native"), countOf("convention"), countOf("none")]
  })

const index = (): string =>
  page(
    generatedNote("packages/ligature/src/formats"),
    "# Formats",
    "Each format is read and written by one codec. The counts say for how many of the " +
      `[${featureCodes.length} pieces of information](../losses.md) the format has a field, a convention or no home.`,
    table(["format", "is", "● field", "○ convention", "– no home"], formatRows("")),
    "## Sessions of agents",
    "The files in which agents keep their conversations. [How they are read, repaired and moved](../guides/sessions.md).",
    table(["format", "agent", "", "default view", "also called"], sessionRows("")),
  )

export const formatPages = (): ReadonlyMap<string, string> =>
  new Map([
    ["docs/formats/README.md", index()],
    ...Object.values(codecs).map((codec) => [`docs/formats/${codec.format}.md`, formatPage(codec)] as const),
    ...sessionPages(),
  ])
