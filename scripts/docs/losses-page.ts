/** What formats cannot say: the codes, their homes per format, and what each pair of formats loses. */
import { codecs, type Codec, type Feature, features } from "../../packages/ligature/src/convert/index.ts"
import type { Loss } from "../../packages/ligature/src/model/index.ts"
import { featureCodes, homeMarks } from "./format-pages.ts"
import { fence, generatedNote, page, table } from "./markdown.ts"

/** What becomes of each piece where the target has no field for it. */
const treatment: Readonly<Record<Feature, string>> = {
  F1: "The text begins with a fixed mark, which decoders take off again.",
  F2: "Moves into a user message behind the results; where that has no home either, a note in words.",
  F3: "As images.",
  F4: "As images.",
  F5: "Written as JSON text.",
  F6: "An empty text, or a filler where the target refuses emptiness.",
  F7: "Left out, or said as text (policy `foreignThinking`).",
  F8: "A signature proves its origin only at its origin: elsewhere it is always lost, whatever fields there are.",
  F9: "Left out: it has no words anyone else could read.",
  F10: "Text first, then calls.",
  F11: "One call after the other.",
  F12: "Read back by position.",
  F13: "The parsed arguments are written; text that is no JSON object is kept under one documented key.",
  F14: "An ordinary call with the one argument `input`.",
  F15: "Read back by position and name.",
  F16: "Left out; only its origin reads it.",
  F17: "Known from the call.",
  F18: "Left out: marks are placed for one request and one cache.",
  F19: "The words stay, the references go.",
  F20: "Said as text.",
  F21: "Described in words.",
  F22: "What was asked and found is said as text.",
  F23: "Said as user text with a label.",
  F24: "Left out.",
  F25: "Left out; a summary that they carry is said as text.",
  F26: "Left out.",
  F27: "Left out: parameters of a request, bookkeeping of a session, fields that nobody here knows. The loss names them and keeps their values.",
}

const homeTable = (): string => {
  const formats = Object.values(codecs)
  return table(
    ["code", "piece of information", ...formats.map(({ format }) => `[${format}](formats/${format}.md)`)],
    featureCodes.map((feature) => {
      const homes = formats.map(({ capabilities }) => homeMarks[capabilities.homes[feature]])
      return [feature, features[feature], ...homes]
    }),
  )
}

/** Native or by convention in the source, and less than that in the target. */
const lossesBetween = (source: Codec, target: Codec): Readonly<Record<"lost" | "weakened", readonly Feature[]>> => {
  const lost: Feature[] = []
  const weakened: Feature[] = []
  for (const feature of featureCodes) {
    const from = source.capabilities.homes[feature]
    const to = target.capabilities.homes[feature]
    if (from === "none" || to === "native") {
      if (feature === "F8" && from === "native") lost.push(feature)
    } else if (to === "none") lost.push(feature)
    else if (from === "native") weakened.push(feature)
  }
  return { lost, weakened }
}

const codesOrDash = (list: readonly Feature[]): string => (list.length === 0 ? "–" : list.join(" "))

const pairTable = (): string =>
  table(
    ["from", "to", "can be lost", "can be weakened"],
    Object.values(codecs).flatMap((source) =>
      Object.values(codecs)
        .filter((target) => target !== source)
        .map((target) => {
          const { lost, weakened } = lossesBetween(source, target)
          return [source.format, target.format, codesOrDash(lost), codesOrDash(weakened)]
        }),
    ),
  )

const sample: Loss = { code: "F1", degree: "weakened", place: { item: 2 }, what: features.F1 }

export const lossesPage = (): ReadonlyMap<string, string> =>
  new Map([
    [
      "docs/losses.md",
      page(
        generatedNote("packages/ligature/src/formats/engine/codec.ts and the capabilities of each format"),
        "# Losses",
        "No format can say everything another one can. What a conversation really holds and its target cannot say is " +
          "in " +
          "`report.losses`, one entry per place:",
        fence("json", JSON.stringify(sample, null, 2)),
        "`lost` has no home in the target. `weakened` is carried by a convention: a reader who knows it gets it " +
          "back. Losses are found " +
          "in the conversation, never guessed from the pair of formats: a history without images loses no image. The " +
          "original stays " +
          "in the conversation, also what a request could not say: encoding is a view of it. A conversion back into " +
          "the format it came " +
          "from loses nothing.",
        "## Homes",
        "● a field · ○ a convention · – no home",
        homeTable(),
        "## What is done where there is no field",
        table(
          ["code", "piece of information", "elsewhere"],
          (Object.keys(features) as readonly Feature[]).map((feature) => [feature, features[feature], treatment[feature]]),
        ),
        "## What can be lost between two formats",
        "The most that a conversion can lose, computed from the homes above. `F8` is never portable: a signature " +
          "means something only " +
          "to the provider that made it.",
        pairTable(),
      ),
    ],
  ])
