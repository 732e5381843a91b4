/**
 * Learns from a file which tag names are tools, for files that come without a tools list.
 *
 * Strong evidence only: a tag that starts a line of assistant text, holds parameters or nothing, is closed, and is answered
 * by a header with its name in the next user text; or a tool section of a system prompt. Once a file is known to hold
 * such calls, the names that agents of that family ship with are believed too, a little less: a conversation often
 * ends with an unanswered one.
 */
import { readParameters } from "./parameters.ts"
import { scanResults } from "./scan-results.ts"
import { indexTags } from "./tags.ts"

interface SpokenText {
  readonly role: string
  readonly text: string
}

interface LearnedTool {
  readonly name: string
  readonly certainty: number
  /** How many candidate calls were seen, and how many of them had a result with this name in the next user text. */
  readonly seen: number
  readonly answered: number
  readonly parameters: ReadonlySet<string>
  readonly evidence: readonly string[]
}

/** Tools that the Cline family (Cline, Roo, Kilo) ships with. */
const familyTools: ReadonlySet<string> = new Set([
  "execute_command",
  "read_file",
  "write_to_file",
  "replace_in_file",
  "apply_diff",
  "insert_content",
  "search_and_replace",
  "edit_file",
  "search_files",
  "list_files",
  "list_code_definition_names",
  "codebase_search",
  "browser_action",
  "use_mcp_tool",
  "access_mcp_resource",
  "ask_followup_question",
  "attempt_completion",
  "plan_mode_respond",
  "new_task",
  "condense",
  "switch_mode",
  "fetch_instructions",
  "load_mcp_documentation",
  "update_todo_list",
  "run_slash_command",
  "new_rule",
  "report_bug",
  "web_fetch",
  "generate_image",
])

interface Tally {
  seen: number
  answered: number
  listed: boolean
  readonly parameters: Set<string>
}

interface Candidate {
  readonly name: string
  readonly parameters: readonly string[]
}

const candidatesIn = (text: string): readonly Candidate[] => {
  if (!text.includes("</")) return []
  const index = indexTags(text)
  const candidates: Candidate[] = []
  const work = { steps: 0 }
  const limit = 96 * (index.tags.length + 16)
  let cursor = 0
  index.tags.forEach((tag, open) => {
    if (tag.kind !== "open" || tag.start < cursor || tag.attributes !== "" || work.steps > limit) return
    if (tag.start > 0 && text[tag.start - 1] !== "\n") return
    const close = index.framed[open] ?? -1
    const closing = index.tags[close]
    if (closing === undefined) return
    const read = readParameters({ text, index, open, close, style: "tag", allowed: undefined, work })
    // A call without parameters holds nothing at all.
    if (read.shape === "broken" || (read.count === 0 && read.shape !== "clean")) return
    candidates.push({ name: tag.name, parameters: Object.keys(read.arguments) })
    cursor = closing.end
  })
  return candidates
}

const headingLine = /^#{2,4} +([A-Za-z_][\w.-]*)[ \t]*\r?$/

/** `## name` headings whose section shows the tag of that name on a line of its own. */
const listedIn = (text: string): readonly string[] => {
  const listed: string[] = []
  let heading: string | undefined
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) heading = headingLine.exec(line)?.[1]
    else if (heading !== undefined && line.trimEnd().startsWith(`<${heading}>`)) {
      listed.push(heading)
      heading = undefined
    }
  }
  return listed
}

export const learnTools = (messages: readonly SpokenText[]): ReadonlyMap<string, LearnedTool> => {
  const tallies = new Map<string, Tally>()
  const tallyOf = (name: string): Tally => {
    const known = tallies.get(name) ?? { seen: 0, answered: 0, listed: false, parameters: new Set<string>() }
    tallies.set(name, known)
    return known
  }
  // Texts of one role that follow each other belong together: agents split a message into several text blocks.
  let open = new Map<string, number>()
  let previousRole = ""
  for (const { role, text } of messages) {
    if (role === "system" || role === "developer") for (const name of listedIn(text)) tallyOf(name).listed = true
    if (role === "assistant") {
      if (previousRole !== "assistant") open = new Map()
      for (const { name, parameters } of candidatesIn(text)) {
        const tally = tallyOf(name)
        tally.seen++
        for (const parameter of parameters) tally.parameters.add(parameter)
        open.set(name, (open.get(name) ?? 0) + 1)
      }
    }
    if (role === "user") {
      for (const segment of scanResults(text)) {
        if (segment.kind !== "result" || segment.name === undefined) continue
        const waiting = open.get(segment.name) ?? 0
        if (waiting === 0 && !familyTools.has(segment.name)) continue
        const tally = tallyOf(segment.name)
        if (waiting === 0) continue
        open.set(segment.name, waiting - 1)
        tally.answered++
      }
    }
    previousRole = role
  }

  const spoken = [...tallies.values()].some((tally) => tally.answered > 0 || tally.listed)
  const learned = new Map<string, LearnedTool>()
  for (const [name, tally] of tallies) {
    const { seen, answered, parameters } = tally
    const evidence: string[] = []
    if (tally.listed) evidence.push("listed in the system prompt")
    if (answered > 0) evidence.push(`answered ${answered} of ${seen} times`)
    if (evidence.length === 0 && spoken && familyTools.has(name)) evidence.push("a tool this family of agents ships with")
    if (evidence.length === 0) continue
    const certainty = tally.listed ? 1 : answered > 0 ? (answered * 2 >= seen ? 0.95 : 0.85) : 0.8
    learned.set(name, { name, certainty, seen, answered, parameters, evidence })
  }
  return learned
}
