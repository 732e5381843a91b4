/** `ligature profiles`: the known providers, and what each requires in addition to the invariants. */
import { phrase } from "../../model/index.ts"
import { type Profile, profileNames, profiles as known } from "../../rules/index.ts"
import { mediaDemands } from "../../rules/media/media-demands.ts"
import { type Command, type ExitCode, jsonOption } from "../frame/command.ts"
import { printJson } from "../print/json.ts"
import { printTable } from "../print/table.ts"
import { wrap } from "../frame/text.ts"
import { profileNamed } from "../frame/settings.ts"

/** The requirements of a profile, as sentences. */
const requirementsOf = (profile: Profile): readonly string[] => {
  const { ids, names } = profile
  const sentences: readonly (readonly [boolean, string])[] = [
    [
      true,
      ids.exactLength === undefined
        ? phrase`Tool call ids have at most ${ids.maxLength} characters and match ${ids.pattern.source}.`
        : phrase`Tool call ids have exactly ${ids.exactLength} characters and match ${ids.pattern.source}.`,
    ],
    [true, phrase`Tool names have at most ${names.maxLength} characters and match ${names.pattern.source}.`],
    [profile.first === "user", phrase`The first message after the system prompt is from the user.`],
    [profile.last === "user", phrase`The last message is from the user or has results.`],
    [profile.alternate, phrase`User and assistant messages alternate strictly.`],
    [profile.systemInMiddle === "user", phrase`System text is only allowed at the beginning.`],
    [profile.systemInMiddle === "own", phrase`System text in the middle comes after a user message; only newer models accept it.`],
    [profile.emptyText === "reject", phrase`Text is not empty or blank.`],
    [profile.resultMedia === "after", phrase`Images come after results, not inside them.`],
    [profile.resultMedia === "inside-done", phrase`Images come after failed results, not inside them.`],
    [profile.assistantMedia === "note", phrase`Media from the assistant is described in text.`],
    [profile.emptyResult === "filler", phrase`Results are not empty.`],
    [profile.textAfterResults === "bridge", phrase`User text does not come directly after results.`],
    [profile.textBesideCalls === "split", phrase`Text and tool calls are in separate messages.`],
    [profile.parallelCalls === "serialize", phrase`A message has at most one tool call.`],
    [profile.thinking === "never", phrase`Thinking is never sent back.`],
    [profile.thinking === "signed", phrase`Thinking is sent back only with its signature, and only to the provider it came from.`],
    [profile.boundThinking, phrase`Signed thinking becomes invalid when anything before it is edited.`],
    [profile.unknownFields === "reject", phrase`Unknown fields are rejected.`],
    [profile.trimFinal, phrase`The final assistant text does not end in white space.`],
  ]
  return [...sentences.flatMap(([holds, sentence]) => (holds ? [sentence] : [])), ...mediaDemands(profile.media)]
}

export const profiles: Command = {
  summary: "list provider profiles and their requirements",
  usage: "[PROFILE] [--json]",
  words: () => profileNames,
  help: `A profile lists what one provider, or one family of its models, requires in addition to the invariants. check --for
validates against it; convert --for writes requests that meet it. With a name, explains that profile.`,
  options: [jsonOption],
  examples: [
    ["ligature profiles", "the list"],
    ["ligature profiles mistral", "what Mistral requires"],
  ],
  run: async ({ arguments: given, out }): Promise<ExitCode> => {
    const asked = given.positionals.map((name) => profileNamed(name, "profiles"))
    const all = asked.length > 0 ? asked : Object.values(known)
    if (given.flag("json")) {
      const list = all.map((profile) => ({
        name: profile.name,
        title: profile.title,
        format: profile.format,
        demands: requirementsOf(profile),
      }))
      printJson("profiles", 0, { profiles: list }, out)
      return 0
    }
    if (asked.length === 0) {
      printTable(
        [
          { title: phrase`profile` },
          { title: phrase`provider`, flexible: "end" },
          { title: phrase`format`, isSpare: true },
          { title: phrase`requirements`, align: "right" },
        ],
        all.map((profile) => [profile.name, profile.title, profile.format, String(requirementsOf(profile).length)]),
        out,
      )
      out.line()
      out.hint(phrase`ligature profiles NAME lists the requirements of one profile.`)
      return 0
    }
    for (const profile of asked) {
      out.line(`${out.palette.strong(profile.name)}  ${phrase`${profile.title}, in format ${profile.format}`}`)
      for (const requirement of requirementsOf(profile)) {
        wrap(requirement, out.width - 4).forEach((line, index) => out.line(`  ${index === 0 ? "·" : " "} ${line}`))
      }
      out.line()
    }
    return 0
  },
}
