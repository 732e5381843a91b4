/**
 * What a recording says of the state of the work at a cut, found by rule from the canonical messages before it: files
 * changed, how tests and commands ended, what an edited line says now, what the person asked in between, what is
 * still to do, identifiers that were given out. Each fact is a question with the stretches of text that answer it. The rules are written
 * anew and share nothing with the library, so that a view is not measured with the eyes that chose it.
 */
import { textOf } from "../canonical.mjs"
import { itemsOf } from "../metric/items.mjs"

/** White space is free, and so is a cut. */
export const squeeze = (text) => text.replace(/[\s…]+/g, "")

/** As much of a line as tells it from others. */
const telling = 60
const stretchOf = (line) => squeeze(line).slice(0, telling)

const pathKeys = ["file_path", "filePath", "path", "absolute_path", "target_file", "notebook_path", "filename", "file"]
const oldKeys = ["old_string", "oldString", "old_str", "old_text", "oldText", "old"]
const newKeys = ["new_string", "newString", "new_str", "new_text", "newText", "new"]
const wholeKeys = ["content", "file_text", "contents"]
const commandKeys = ["command", "cmd", "script", "bash"]

const stringAt = (given, keys) => {
  for (const key of keys) if (typeof given?.[key] === "string") return given[key]
  return undefined
}

const commandOf = ({ arguments: given }) => {
  const text = stringAt(given, commandKeys)
  if (text !== undefined) return /^(?:view|create|str_replace|insert|undo_edit)$/.test(text) ? undefined : text
  for (const key of commandKeys) if (Array.isArray(given?.[key])) return String(given[key].at(-1) ?? "")
  return undefined
}

/** Old and new text of the places a call edits. */
export const editsOf = (call) => {
  const given = call.arguments ?? {}
  const path = stringAt(given, pathKeys)
  const of = (each) => {
    const before = stringAt(each, oldKeys)
    const after = stringAt(each, newKeys)
    return before !== undefined && after !== undefined ? [{ path, before, after }] : []
  }
  const list = Array.isArray(given.edits) ? given.edits.flatMap(of) : of(given)
  const patch = Object.values(given).find((value) => typeof value === "string" && value.includes("*** Begin Patch"))
  return patch === undefined ? list : [...list, ...patchEdits(patch)]
}

const patchEdits = (patch) => {
  const edits = []
  for (const part of patch.split(/^\*\*\* (?=Update|Add|Delete)/m).slice(1)) {
    const path = /^\w+ File: (.+)$/m.exec(part)?.[1]?.trim()
    const side = (mark) =>
      part
        .split("\n")
        .filter((line) => line.startsWith(mark))
        .map((line) => line.slice(1))
        .join("\n")
    edits.push({ path, before: side("-"), after: side("+") })
  }
  return edits
}

const written = (call) => {
  const given = call.arguments ?? {}
  const edits = editsOf(call)
  const path = stringAt(given, pathKeys)
  const isWritten = edits.length > 0 || (path !== undefined && stringAt(given, wholeKeys) !== undefined)
  return isWritten ? [...new Set([...edits.map((edit) => edit.path), path].filter((each) => each !== undefined))] : []
}

const failing =
  /exit code:? [1-9]|exited with code [1-9]|<returncode>\s*-?[1-9]|"?exit_?code"?: ?[1-9]|^error\b|^traceback|^<tool_use_error>|string to replace not found/im
const refused = /user (?:doesn't|does not) want|user rejected|requested permissions|interrupted by user/i
const hasFailed = ({ error, content }) => (error === true || failing.test(content.slice(0, 400))) && !refused.test(content.slice(0, 400))

const complaint =
  /\b(?:error|exception|fail\w*|fatal|cannot|can't|could not|unable|denied|not found|no such|invalid|unexpected|undefined|refused|missing|mismatch|does not|rejected)\b|Error\b/i
const frame =
  /^\s*(?:exit code|exited with|process exited|<\w+>$|traceback|command failed|at |wall time|chunk id|original token count|output:|<shellId|\[the command completed)/i
/** Harnesses say so of calls beside one that failed: they were never tried. */
const cancelled = /sibling tool call errored/i

/** The stretch of a failed result that says why. */
const whyOf = (content) => {
  const lines = content
    .replace(/<\/?[\w-]+>/g, "")
    .split("\n")
    .filter((line) => /\p{L}{2}/u.test(line))
  const line = lines.find((each) => complaint.test(each) && !frame.test(each)) ?? lines.find((each) => !frame.test(each))
  if (line === undefined) return undefined
  const at = Math.max(0, (complaint.exec(line)?.index ?? 0) - 10)
  return squeeze(line.slice(at)).slice(0, 40)
}

const setting = /^\s*(?:#|cd\s[^&;|]*$|export\s|set\s|source\s)/
const lineOf = (command) =>
  command
    .split("\n")
    .find((line) => line.trim() !== "" && !setting.test(line))
    ?.trim()
    .replace(/^cd\s+\S+\s*&&\s*/, "")

const testing =
  /\b(?:pytest|vitest|jest|mocha|rspec|ctest|unittest)\b|\b(?:npm|pnpm|yarn|bun|go|cargo|mvn|gradlew?|make|just)\s+(?:run\s+)?test/
const counting = /\b\d+\s+(?:tests?\s+)?(?:pass\w*|fail\w*)\b|^(?:ok|FAIL|PASS)\b|test result:|^Tests:?\s/

// What a person typed. Texts of harnesses come as elements, under headings and with openings of their own.

const harness =
  /^\s*(?:Tool \[?\w+\]? was not executed|\[?\w+ for '|\[ERROR\]|New instructions for task|Caveat: The messages below|# AGENTS\.md|This session is being continued|\[Request interrupted|Base directory for this skill|Stop hook feedback|\[Request cancelled|Another language model|System: )/
const element = /<([A-Za-z]+(?:[-_ ][a-z]+)+|skill|files|context|output|returncode)(?:\s[^>\n]*)?>[\s\S]*?(?:<\/\1>|$)/g

export const personWords = (content) => {
  if (harness.test(content)) return ""
  const request = /^## My request for [\w ]+:[ \t]*\n?/m.exec(content)
  const own = request ? content.slice(request.index + request[0].length) : content.replace(element, "")
  return own.replace(/<\/?(?:task|feedback|user_query|query)>/g, "").trim()
}

const mostWords = 60
const wordsOf = (text) => (text.match(/[\p{L}\p{N}_./-]+/gu) ?? []).slice(0, mostWords)
/** Every three words in a row: what is said near verbatim still has most of them. */
const runsOf = (text) => {
  const words = wordsOf(text)
  if (words.length < 3) return words.length === 0 ? [] : [words.join("")]
  return words.slice(2).map((_, at) => words.slice(at, at + 3).join(""))
}

const lettersOf = (text) => (text.match(/[\p{L}\p{N}_./-]+/gu) ?? []).join("")

const resultsOf = (messages) => {
  const results = new Map()
  for (const message of messages) if (message.role === "tool") results.set(message.call, message)
  return results
}

const statusOf = (value) => /complete|done|cancel|delete/i.test(String(value ?? ""))
const todoText = (todo) =>
  typeof todo === "string" ? todo : (todo?.content ?? todo?.step ?? todo?.title ?? todo?.text ?? todo?.description)

const openTodos = (call) => {
  const given = call.arguments ?? {}
  const list = given.todos ?? given.plan ?? given.todoList
  if (!Array.isArray(list)) return undefined
  return list.filter((todo) => !statusOf(todo?.status)).flatMap((todo) => (typeof todoText(todo) === "string" ? [todoText(todo)] : []))
}

const most = { files: 60, others: 40, failures: 3, commands: 8, tests: 6, current: 8, todos: 12, ids: 12 }

const lastOf = (map, count) => [...map.values()].slice(-count)
const put = (map, key, value) => {
  map.delete(key)
  map.set(key, value)
}

/** Lines that one side of an edit has and the other has not. */
const linesOnly = (text, other) => {
  const known = new Set(other.split("\n").map((line) => line.trim()))
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.length >= 12 && /\p{L}{3}/u.test(line) && !known.has(line))
}

const longest = (lines) => lines.reduce((best, line) => (line.length > best.length ? line : best), "")

/**
 * Questions by kind, each with what answers it: `any` of these stretches is in the view and `none` of those; `runs` that
 * mostly are. `dead`: lines that an edit took out and nothing showed again.
 */
export const factsOf = (messages) => {
  const results = resultsOf(messages)
  const files = new Map()
  const failures = []
  const commands = new Map()
  const tests = new Map()
  const current = new Map()
  const ids = new Map()
  const dead = new Set()
  const seen = new Set()
  let todos = []
  const said = []
  for (const message of messages) {
    if (message.role === "tool") {
      for (const line of message.content.split("\n")) dead.delete(bare(line))
      for (const item of itemsOf(message.content).keys()) seen.add(item)
      continue
    }
    if (message.role === "user") {
      const own = personWords(message.content)
      if (own !== "" && message.summary !== true) said.push(own)
      continue
    }
    if (message.calls === undefined) {
      for (const [item, type] of itemsOf(message.content)) if (type === "id" && seen.has(item)) put(ids, item, { any: [item] })
    }
    for (const call of message.calls ?? []) {
      const result = results.get(call.id)
      if (result === undefined) continue
      const failed = hasFailed(result)
      if (failed && !cancelled.test(result.content.slice(0, 200))) {
        const why = whyOf(result.content)
        if (why !== undefined && why.length >= 8) failures.push({ any: [why] })
      }
      const open = openTodos(call)
      if (open !== undefined) todos = open
      const command = commandOf(call)
      const line = command === undefined ? undefined : lineOf(command)
      if (line !== undefined) {
        put(commands, line, { any: [stretchOf(line)] })
        const status = testing.test(command) ? result.content.split("\n").findLast((each) => counting.test(each.trim())) : undefined
        if (status !== undefined) put(tests, line.replace(/[|>].*$/, "").trim(), { any: [stretchOf(status)] })
      }
      if (failed) continue
      for (const path of written(call)) put(files, path, { any: pathForms(path) })
      for (const { path, before, after } of editsOf(call)) {
        const [gone, come] = [linesOnly(before, after), linesOnly(after, before)]
        for (const each of gone) dead.add(each)
        for (const each of after.split("\n")) dead.delete(each.trim())
        if (gone.length > 0 && come.length > 0) {
          put(current, `${path}\n${longest(come)}`, { any: [stretchOf(longest(come))], none: [stretchOf(longest(gone))] })
        }
      }
    }
  }
  // What is no longer current is no question: an edit took it out again.
  for (const [key] of current) if (dead.has(key.slice(key.indexOf("\n") + 1))) current.delete(key)
  return {
    files: lastOf(files, most.files),
    others: said
      .slice(1, -1)
      .slice(-most.others)
      .map((own) => ({ runs: runsOf(own) })),
    failures: failures.slice(-most.failures),
    commands: lastOf(commands, most.commands),
    tests: lastOf(tests, most.tests),
    current: lastOf(current, most.current),
    todos: todos.slice(0, most.todos).map((text) => ({ any: [stretchOf(text)] })),
    ids: lastOf(ids, most.ids),
    dead,
  }
}

export const kinds = ["files", "others", "failures", "commands", "tests", "current", "todos", "ids"]

/** A path as a whole, or with the folder it is in: projects are said relative to where they are. */
const pathForms = (path) => {
  const parts = path.split("/").filter((part) => part !== "")
  return [...new Set([squeeze(path), parts.slice(-2).join("/")])]
}

/** Without the number that a tool printed before it. */
const bare = (line) => line.replace(/^\s*\d+(?:→|\t|:|\||\s{2})/, "").trim()

const enough = 0.6

/** By kind the share of its questions that the view answers, and over all kinds that have any. */
export const answered = (facts, messages) => {
  const text = messages.map(textOf).join("\n")
  const said = squeeze(text)
  const letters = lettersOf(text)
  const isAnswered = ({ any, none = [], runs }) => {
    if (runs) return runs.length > 0 && runs.filter((run) => letters.includes(run)).length >= enough * runs.length
    return any.some((each) => each !== "" && said.includes(each)) && !none.some((each) => said.includes(each))
  }
  const shares = {}
  for (const kind of kinds) {
    const questions = facts[kind]
    if (questions.length > 0) shares[kind] = questions.filter(isAnswered).length / questions.length
  }
  const values = Object.values(shares)
  return { ...shares, state: values.length === 0 ? undefined : values.reduce((sum, each) => sum + each, 0) / values.length }
}

/** What an oracle is told: all that answers a question. */
export const answersTo = (facts) => kinds.flatMap((kind) => facts[kind].map(({ any, runs }) => (any ? { any } : { runs })))

export const says = ({ any, runs }, line) => {
  if (any) {
    const said = squeeze(line)
    return any.some((each) => each !== "" && said.includes(each))
  }
  const letters = lettersOf(line)
  return runs.some((run) => letters.includes(run))
}

/** Share of the lines a view shows that an edit has taken out since. What a kept edit replaces is said to be old. */
export const stale = ({ dead }, messages) => {
  let [all, old] = [0, 0]
  for (const { role, content } of messages) {
    if (role === "assistant") continue
    for (const line of content.split("\n")) {
      const own = bare(line)
      if (own.length < 12) continue
      all++
      if (dead.has(own)) old++
    }
  }
  return all === 0 ? undefined : old / all
}
