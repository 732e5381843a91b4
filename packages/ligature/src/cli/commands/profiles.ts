/** `ligature profiles`: which providers are known, and what each demands beyond the laws. */
import { type Profile, profiles as known } from "../../rules/index.ts"
import { mediaDemands } from "../../rules/media/media-demands.ts"
import { type Command, type ExitCode, jsonOption } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { printTable } from "../print/table.ts"
import { wrap } from "../frame/text.ts"
import { profileNamed } from "../frame/settings.ts"

/** The demands of a profile, as sentences. */
const demandsOf = (profile: Profile): readonly string[] => {
  const { ids, names } = profile
  const length = ids.exactLength === undefined ? `at most ${ids.maxLength}` : `exactly ${ids.exactLength}`
  const sentences: readonly (readonly [boolean, string])[] = [
    [true, `Call ids have ${length} characters and match ${ids.pattern.source}.`],
    [true, `Tool names have at most ${names.maxLength} characters and match ${names.pattern.source}.`],
    [profile.first === "user", "The first message behind the system prompt is the user's."],
    [profile.last === "user", "The last message is the user's or a result."],
    [profile.alternate, "User and assistant take turns strictly."],
    [profile.systemInMiddle === "user", "System text stands only in front."],
    [profile.systemInMiddle === "own", "System text in the middle follows the user's turn, and only newer models take it."],
    [profile.emptyText === "reject", "No text is empty or blank."],
    [profile.resultMedia === "behind", "Images stand behind results, not in them."],
    [profile.resultMedia === "inside-done", "Images stand behind failed results, not in them."],
    [profile.assistantMedia === "note", "Media of the assistant is described in text."],
    [profile.emptyResult === "filler", "Every result says something."],
    [profile.textAfterResults === "bridge", "User text does not follow results directly."],
    [profile.textBesideCalls === "split", "Text and calls stand in messages of their own."],
    [profile.parallelCalls === "serialize", "Each message holds at most one call."],
    [profile.thinking === "never", "Thinking is never sent back."],
    [profile.thinking === "signed", "Thinking is sent back only with its signature, and only to where it came from."],
    [profile.boundThinking, "Signed thinking is void when anything in front of it was edited."],
    [profile.unknownFields === "reject", "Unknown fields are refused."],
    [profile.trimFinal, "A final assistant text does not end in white space."],
  ]
  return [...sentences.flatMap(([holds, sentence]) => (holds ? [sentence] : [])), ...mediaDemands(profile.media)]
}

export const profiles: Command = {
  summary: "list the providers that can be written for, and what they demand",
  usage: "[PROFILE] [--json]",
  help: `A profile says what one provider, or one family of its models, demands beyond the laws. check --for judges
by it; convert --for writes for it. With a name, explains that profile.`,
  options: [jsonOption],
  examples: [
    ["ligature profiles", "the list"],
    ["ligature profiles mistral", "what Mistral demands"],
  ],
  run: async ({ arguments: given, out }): Promise<ExitCode> => {
    const asked = given.positionals.map((name) => profileNamed(name, "profiles"))
    const all = asked.length > 0 ? asked : Object.values(known)
    if (given.flag("json")) {
      const list = all.map((profile) => ({
        name: profile.name,
        title: profile.title,
        format: profile.format,
        demands: demandsOf(profile),
      }))
      printJson("profiles", 0, { profiles: list }, out)
      return 0
    }
    if (asked.length === 0) {
      printTable(
        [{ title: "profile" }, { title: "provider" }, { title: "format" }, { title: "demands", align: "right" }],
        all.map((profile) => [profile.name, profile.title, profile.format, String(demandsOf(profile).length)]),
        out,
      )
      out.line()
      out.line(out.palette.quiet("ligature profiles NAME lists the demands of one."))
      return 0
    }
    for (const profile of asked) {
      out.line(`${out.palette.strong(profile.name)}  ${profile.title}, written as ${profile.format}`)
      for (const demand of demandsOf(profile)) {
        wrap(demand, out.width - 4).forEach((line, index) => out.line(`  ${index === 0 ? "·" : " "} ${line}`))
      }
      out.line()
    }
    return 0
  },
}
