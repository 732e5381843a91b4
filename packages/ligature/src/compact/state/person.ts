/**
 * Whose words a text on the user's side is. Harnesses say much there that no person typed: surroundings, project
 * instructions, reminders, output of commands, notices of finished work. Told by marks, which are data: elements that
 * only harnesses write, openings of whole messages, and elements that only wrap what the person typed. What has no such
 * mark is the person's. Every agent's marks are here and nowhere else; a mark means the same whoever writes it.
 */
import type { Item, Message } from "../../model/index.ts"

/** Elements whose content no person typed. */
const harnessElements: ReadonlySet<string> = new Set(
  (
    "environment_context user_instructions INSTRUCTIONS permissions-instructions turn_aborted user_shell_command skill " +
    "subagent_notification system-reminder system_reminder system_notification local-command-caveat local-command-stdout " +
    "local-command-stderr bash-stdout bash-stderr task-notification environment_details current_datetime " +
    "ide_opened_file ide_selection ide_diagnostics user-prompt-submit-hook session_context session-context hook_context " +
    "file_write_result file_content files returncode output uploaded_files repository_info runtime_information " +
    "additional_data current_file attached_files linter_errors recently_viewed_files open_and_recently_viewed_files " +
    "project_layout user_info rules user_rules agent_skills collaboration_mode apps_instructions skills_instructions " +
    "plugins_instructions model_switch context available_skills reminder reminders notification hook git_status workspace_info " +
    "environment_info attachments editor_context reminderInstructions EXTRA_INFO error_details function_results observation notice"
  ).split(" "),
)

/** Elements that are harnesses' only where they are all of a text: a person may write about them. */
const wholeOnly: ReadonlySet<string> = new Set([
  "context",
  "files",
  "output",
  "rules",
  "skill",
  "attachments",
  "hook",
  "observation",
  "reminder",
])

/** Elements around what the person typed. */
const personElements: ReadonlySet<string> = new Set(
  "task user_query user_message user_input user-input user_request user-request userRequest feedback query request objective question prompt answer bash-input".split(
    " ",
  ),
)

/** How texts begin that are a harness's as a whole. */
const harnessOpenings: readonly RegExp[] = [
  /^# AGENTS\.md instructions/,
  /^Caveat: The messages below were generated/,
  /^\[Request interrupted by user/,
  /^\[Request cancelled/i,
  /^This session is being continued from a previous conversation/,
  /^Base directory for this skill:/,
  /^\[ERROR\] You did not use a tool/,
  /^System: Please continue/,
  /^\[[\w-]+(?: for '[^\n]*')?\] Result:/,
  /^\[Result of a call that is no longer in the history/,
  /^\[TASK RESUMPTION\]/,
  /^# Todos?\n/,
  /^###[A-Z-]+###\s*$/,
  /^\[The user's tool answered/,
  /^Another language model started to solve this problem/,
  /^Stop hook feedback:/,
  /^<system>/,
  /^Tool \[?[\w-]+\]? was not executed because/,
  /^You have been working on the task described above but have not yet completed it\. Write a continuation summary/,
  /^Here is a demonstration of how to correctly accomplish this task/,
  /^Here's a running example of how to perform a task with the provided tools/,
  /^\[File: [^\n]* \(\d+ lines total\)\]/,
]

/** A line after which the person's words begin: what is before it is the harness's. */
const personMarker = /^## My request for [\w ]+:[ \t]*\n?/m

/** Commands of the agent itself that ask the model for nothing. */
const housekeeping: ReadonlySet<string> = new Set(
  (
    "clear exit quit model effort compact mcp agents config help login logout status resume cost context doctor memory plugin " +
    "plugins hooks permissions terminal-setup ide vim theme fast usage rewind export upgrade release-notes add-dir bug statusline " +
    "reload-plugins rename output-style stats tasks color undo redo new"
  ).split(" "),
)

export interface Span {
  readonly from: number
  readonly to: number
}

const none: readonly Span[] = []

/** `<name attribute="…">` where a line begins. A name of two words (`permissions instructions`) is joined by a dash. */
const opener = /(?:^|(?<=>))[ \t]*<([A-Za-z][\w-]*(?: [a-z]+)?)((?:\s+[\w-]+="[^"\n]*")*)\s*>/gm

const nameIn = (match: RegExpExecArray): string => (match[1] ?? "").replace(" ", "-")

/** Whether a text is one element and nothing else. */
const isOneElement = (text: string, name: string): boolean => {
  const end = `</${name.replace("-", " ")}>`
  return text.trimEnd().endsWith(`</${name}>`) || text.trimEnd().endsWith(end)
}

const commandName = /<command-name>\/?([\w:-]+)<\/command-name>/

/** A command that the person gave the agent is the person's, unless it only looks after the agent. */
const isHousekeeping = (text: string): boolean => {
  const name = commandName.exec(text.slice(0, 2000))?.[1]
  return name !== undefined && housekeeping.has(name)
}

/**
 * Parts of a text that a person typed, in order. Each element is looked for once: one that is never closed reaches up to
 * the end.
 */
export const personSpans = (text: string): readonly Span[] => {
  const start = text.length - text.trimStart().length
  if (start === text.length) return none
  const head = text.slice(start, start + 200)
  if (harnessOpenings.some((opening) => opening.test(head))) return none
  const marker = personMarker.exec(text)
  if (marker) return [{ from: marker.index + marker[0].length, to: text.length }]
  if (head.charCodeAt(0) !== 60 && !text.includes("><") && !text.includes("\n<") && !text.includes("\n ") && !text.includes("\n\t"))
    return [{ from: 0, to: text.length }]
  if (/^<command-(?:name|message)>/.test(head)) return isHousekeeping(text) ? none : [{ from: 0, to: text.length }]
  const spans: Span[] = []
  const unclosed = new Set<string>()
  let from = 0
  opener.lastIndex = 0
  for (let match = opener.exec(text); match !== null; match = opener.exec(text)) {
    const name = nameIn(match)
    const isFirst = spans.length === 0 && text.slice(from, match.index).trim() === ""
    const isWhole = isFirst && isOneElement(text, name)
    // Nobody types attributes into an element of their own; and one that follows another is in its company.
    const isAttributed = (match[2] ?? "") !== ""
    const isNamed = harnessElements.has(name) && (!wholeOnly.has(name) || isWhole || isAttributed)
    // An element with a name of several words that is all of a text is written by a program.
    const isBuilt = isWhole && /[-_]/.test(name) && !personElements.has(name)
    if (!isNamed && !isBuilt) continue
    const tag = match[1] ?? name
    const close = unclosed.has(name) ? -1 : text.indexOf(`</${tag}>`, opener.lastIndex)
    if (close === -1) unclosed.add(name)
    // A mark that is never closed is somebody's way of writing, unless it begins the text.
    if (close === -1 && !isFirst) continue
    if (match.index > from) spans.push({ from, to: match.index })
    from = close === -1 ? text.length : close + tag.length + 3
    opener.lastIndex = from
  }
  if (from < text.length) spans.push({ from, to: text.length })
  return spans.filter((span) => text.slice(span.from, span.to).trim() !== "")
}

/** Of each line of a text, whether a person typed it. A line with a tag that wraps the person's words is theirs. */
export const personLines = (lines: readonly string[]): readonly boolean[] => {
  const text = lines.join("\n")
  const spans = personSpans(text)
  let at = 0
  let next = 0
  return lines.map((line) => {
    const end = at + line.length
    while ((spans[next]?.to ?? Number.POSITIVE_INFINITY) <= at && end > at) next++
    const span = spans[next]
    const isIn =
      span !== undefined && span.from < end && span.to > at && text.slice(Math.max(at, span.from), Math.min(end, span.to)).trim() !== ""
    at = end + 1
    return isIn
  })
}

/** What the source says of a record: nobody typed it. */
const isMarkedMeta = ({ native }: Message): boolean =>
  native !== undefined && Object.values(native).some((record) => (record as { isMeta?: unknown } | null)?.isMeta === true)

const isTag = /^<\/?[\w -]+>$/

/** What a person typed in a message, without the harness's words; "": nothing. */
export const personText = (message: Message): string => {
  if (isMarkedMeta(message)) return ""
  const parts: string[] = []
  for (const block of message.blocks) {
    if (block.type !== "text") continue
    for (const { from, to } of personSpans(block.text)) parts.push(block.text.slice(from, to).trim())
  }
  return parts.join("\n")
}

const known = new WeakMap<Message, boolean>()

/** Whether a person said something in a message: words, or an image without words of the harness beside it. */
const isFromPerson = (message: Message): boolean => {
  let answer = known.get(message)
  if (answer !== undefined) return answer
  if (isMarkedMeta(message)) answer = false
  else {
    const texts = message.blocks.filter((block) => block.type === "text")
    const says = texts.some((block) => personSpans(block.text).some(({ from, to }) => !isTag.test(block.text.slice(from, to).trim())))
    const isMediaAlone = message.blocks.some(({ type }) => type === "media") && texts.every((block) => block.text.trim() === "")
    answer = says || isMediaAlone
  }
  known.set(message, answer)
  return answer
}

const isAsking = (item: Item): boolean => item.role === "user" && item.summary !== true && isFromPerson(item)

/** A slash command of the person. The agent puts its text into the message directly after it, which nobody typed. */
const isCommand = (item: Item | undefined): boolean => {
  const [block] = item?.role === "user" ? item.blocks : []
  if (block?.type !== "text" || !/^\s*<command-(?:name|message)>/.test(block.text.slice(0, 200))) return false
  return commandName.test(block.text.slice(0, 2000)) && !isHousekeeping(block.text)
}

/** A message of the user in which a person asks, answers or corrects; `before`: the item before it. */
export const isPersonal = (item: Item, before: Item | undefined): boolean => isAsking(item) && (!isCommand(before) || isCommand(item))

// People also speak in results: where they refuse a call and say what they want instead, and where a tool asked them.

const answerMarks: readonly RegExp[] = [
  /the user said:\s*/i,
  /provided the following (?:feedback|reason)[^:\n]*:\s*(?:<feedback>)?/i,
  /with the following feedback:\s*/i,
  /^User has answered your questions?:\s*/i,
  /^User (?:responded|selected|answered|chose):?\s*/i,
  /^The user(?:'s)? (?:answered|answer is|replied|responded):?\s*/i,
  /<(?:user_answer|user_message|answer|feedback)>\s*/i,
]

/** Looked at from the beginning of a result: what a person says there is not at the end of a long output. */
const reach = 2000

/** Where the words of a person begin in a result; -1: nowhere. */
export const personInResult = (text: string): number => {
  const head = text.slice(0, reach)
  for (const mark of answerMarks) {
    const found = mark.exec(head)
    if (found) return found.index + found[0].length
  }
  return -1
}
