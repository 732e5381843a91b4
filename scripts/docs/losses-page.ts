/** What formats cannot say: the codes, their homes per format, and what each pair of formats loses. */
import { codecs, type Codec, type Feature, features } from "../../packages/ligature/src/convert/index.ts"
import type { Loss } from "../../packages/ligature/src/model/index.ts"
import { featureCodes, homeMarks } from "./format-pages.ts"
import { fence, generatedNote, page, table } from "./markdown.ts"

/** What becomes of each piece where the target has no field for it. */
const treatment: Readonly<Record<Feature, string>> = {
  "result-error": "The text begins with a fixed mark, which decoders take off again.",
  "result-image": "Moves into a user message after the results; where that has no home either, a note in words.",
  "result-document": "As images.",
  "result-video": "As images.",
  "structured-result": "Written as JSON text.",
  "empty-result": "An empty text, or a filler where the target refuses emptiness.",
  thinking: "Left out, or said as text (policy `foreignThinking`).",
  "thinking-signature": "A signature proves its origin only at its origin: elsewhere it is always lost, whatever fields there are.",
  "redacted-thinking": "Left out: it has no words anyone else could read.",
  "block-order": "Text first, then calls.",
  "parallel-calls": "One call after the other.",
  "call-grouping": "Read back by position.",
  "raw-arguments": "The parsed arguments are written; text that is no JSON object is kept under one documented key.",
  "free-text-call": "An ordinary call with the one argument `input`.",
  "call-id": "Read back by position and name.",
  "item-id": "Left out; only its origin reads it.",
  "result-tool-name": "Known from the call.",
  "cache-marks": "Left out: marks are placed for one request and one cache.",
  citations: "The words stay, the references go.",
  refusal: "Said as text.",
  audio: "Described in words.",
  "server-tools": "What was asked and found is said as text.",
  "system-in-the-middle": "Said as user text with a label.",
  "speaker-name": "Left out.",
  "compaction-marks": "Left out; a summary that they carry is said as text.",
  "tool-references": "Left out.",
  "other-fields":
    "Left out: parameters of a request, bookkeeping of a session, fields that nobody here knows. The loss names them and keeps their values.",
}

const homeTable = (): string => {
  const formats = Object.values(codecs)
  return table(
    ["name", "piece of information", ...formats.map(({ format }) => `[${format}](formats/${format}.md)`)],
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
      if (feature === "thinking-signature" && from === "native") lost.push(feature)
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

const sample: Loss = { feature: "result-error", degree: "weakened", place: { item: 2 }, what: features["result-error"] }

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
          ["name", "piece of information", "elsewhere"],
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
