/**
 * Gates that need our own library: what providers demand (check, for several profiles), and where each line of a digest
 * comes from. A violation the context already had is not the strategy's doing, and one that a safe repair removes (two
 * user messages in a row are joined by every client) is none.
 *
 * A line of a summary message is one of
 *   a note        in square brackets, saying what the message is
 *   a heading     `#12` or `#12.2`, a tool's name, and optionally a line of that item
 *   a line        whole, of the item the heading cites; white space may differ, and a value may have its key before it
 *   a part        of a line longer than 160 characters: stretches in their order, `…` where something is cut
 */
import { fromMessages, textOf, toTranscript } from "./canonical.mjs"

const profilesJudged = ["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock-claude"]
const longLine = 160
const cutMark = "…"

const squeeze = (text) => text.replace(/\s+/g, " ").trim()

/** Lines by what they say, and the long ones apart: of each item, and of all. */
const linesOfItems = (texts) =>
  texts.map((text) => {
    const whole = new Set()
    const long = []
    for (const line of text.split("\n")) {
      const said = squeeze(line)
      whole.add(said)
      if (said.length > longLine) long.push(said)
    }
    return { whole, long }
  })

const isPartOf = (line, parts) => {
  let from = 0
  for (const part of parts) {
    const at = line.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return true
}

/** A value that says nothing by itself has its key before it. */
const withoutKey = (line) => line.replace(/^[\w.-]{1,60}: (?=[\w#@:+.-]+$)/, "")

const comesFrom = (said, { whole, long }) => {
  if (said === "" || whole.has(said) || whole.has(withoutKey(said))) return true
  if (!said.includes(cutMark)) return false
  const parts = said
    .split(cutMark)
    .map((part) => part.trim())
    .filter((part) => part !== "")
  return long.some((line) => isPartOf(line, parts))
}

const heading = /^#(\d+)(?:\.\d+)?(?::[\d,–-]+)?(?:\s+(.*))?$/
/** What a strategy says of itself: all in brackets, or after a mark in brackets of our own. */
const note = /^(?:\[[^\]]{1,200}\]|\[(?:ligature:[\w-]+|elided)\b.{0,400})$/

/** Without the word that a heading puts before a line: the tool, or who speaks. */
const withoutLabel = (text) => text.replace(/^[\w.:-]+\s*/, "")

const strangeLines = (content, items) => {
  const strange = []
  let cited
  for (const line of content.split("\n")) {
    const said = squeeze(line)
    // A line of the original may look like a heading.
    if (said === "" || note.test(said) || (cited !== undefined && comesFrom(said, cited))) continue
    const found = heading.exec(said)
    if (found !== null && items[Number(found[1]) - 1] !== undefined) {
      cited = items[Number(found[1]) - 1]
      const rest = found[2] ?? ""
      if (!comesFrom(withoutLabel(rest), cited) && !comesFrom(rest, cited)) strange.push(line)
    } else if (cited !== undefined || !items.some((item) => comesFrom(said, item))) {
      strange.push(line)
    }
  }
  return strange
}

/** A user message that was shortened holds stretches of one that was said. */
const strangeStretches = (content, originals) =>
  content.split("\n").filter((line) => {
    const said = line.trim()
    return !note.test(squeeze(said)) && ![...originals].some((original) => original.includes(said))
  })

const textOfItem = (item) => {
  if (item.role !== "exchange") return fromMessages([item]).messages.map(textOf).join("\n")
  const results = item.outcomes.flatMap(({ result }) => (result ? [{ role: "tool", blocks: [result] }] : []))
  return fromMessages([item.message, ...results, ...(item.reply ? [item.reply] : [])])
    .messages.map(textOf)
    .join("\n")
}

/** `library`: our own, compiled or not. */
export const judgeWith = ({ check, settle }) => {
  const violations = (messages) => {
    const transcript = toTranscript(messages)
    const found = new Set()
    for (const profile of profilesJudged) {
      for (const { rule, repair } of check(transcript, { profile })) {
        if (repair?.kind !== "safe") found.add(`${rule} (${profile})`)
      }
    }
    return found
  }

  const judge = (cut, messages) => {
    const before = (cut.violations ??= violations(cut.context.messages))
    return [...violations(messages)].filter((rule) => !before.has(rule)).map((rule) => `invalid: ${rule}`)
  }

  const readItems = ({ messages }) => linesOfItems(settle(toTranscript(messages)).conversation.items.map(textOfItem))
  const itemsOf = (cut) => (cut.itemLines ??= readItems(cut.context))

  const provenance = (cut, messages) => {
    const said = cut.context.messages.filter(({ role }) => role === "user")
    const originals = (cut.userTexts ??= new Set(said.map(({ content }) => content)))
    const strange = messages
      .filter(({ role, content }) => role === "user" && !originals.has(content))
      .flatMap(({ content, summary }) => (summary ? strangeLines(content, itemsOf(cut)) : strangeStretches(content, originals)))
    if (strange.length === 0) return []
    return [`provenance: ${strange.length} lines, such as ${JSON.stringify(strange[0].slice(0, 100))}`]
  }

  return { judge, provenance }
}
