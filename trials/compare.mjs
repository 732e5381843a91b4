/** What of a conversation has arrived in a request: every text, every call and the result of that very call, in their order. */
import { settle } from "ligature"
import { estimateMeter } from "ligature/compact"

const squeezed = (text) => text.replace(/\s+/g, " ").trim()

const canonical = (value) =>
  Array.isArray(value)
    ? `[${value.map(canonical).join(",")}]`
    : typeof value === "object" && value !== null
      ? `{${Object.keys(value)
          .sort()
          .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
          .join(",")}}`
      : JSON.stringify(value)

const textIn = (content) => squeezed(content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"))

/** Texts and calls in their order; each call with the result that answers it. */
export const contentOf = (messages) => {
  const texts = []
  const calls = []
  const waiting = new Map()
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "text" && squeezed(block.text) !== "") texts.push(squeezed(block.text))
      else if (block.type === "call") {
        const call = { key: `${block.name} ${canonical(block.arguments)}`, result: undefined }
        calls.push(call)
        waiting.set(block.id, [...(waiting.get(block.id) ?? []), call])
      } else if (block.type === "result") {
        const call = waiting.get(block.callId)?.shift()
        if (call) call.result = textIn(block.content)
      }
    }
  }
  return { texts, calls }
}

/** How many tokens a conversation has, by Ligature's estimate, which is what a compaction promises. */
export const sizeOf = (messages) =>
  settle({ format: "anthropic", messages }).conversation.items.reduce((sum, item) => sum + estimateMeter.sizeOfItem(item).tokens, 0)

/** Whether a result is what was left of a longer one. */
const isCut = (result, of) => result.length < of.length && result.slice(0, 100) === of.slice(0, 100)

/**
 * `{ texts: [found, of], calls: …, results: …, missing, shortened }`. Texts that were joined are found in the longer one.
 * `mayCut`: results that begin alike count as shortened; `isShortened`: whether a result is what the agent makes of a longer one.
 */
export const arrived = (source, request, { mayCut = false, isShortened = () => false } = {}) => {
  const [wanted, sent] = [contentOf(source), contentOf(request)]
  const missing = []
  let shortened = 0
  let at = 0
  const texts = wanted.texts.filter((text) => {
    const found = sent.texts.findIndex((each, index) => index >= at && each.includes(text))
    if (found === -1) missing.push(`text: ${text.slice(0, 80)}`)
    else at = found
    return found !== -1
  })
  let next = 0
  let results = 0
  const calls = wanted.calls.filter(({ key, result }) => {
    const found = sent.calls.findIndex((each, index) => index >= next && each.key === key)
    if (found === -1) {
      missing.push(`call: ${key.slice(0, 80)}`)
      return false
    }
    next = found + 1
    const there = sent.calls[found].result
    if (result === undefined || there?.includes(result)) results += result === undefined ? 0 : 1
    else if (there !== undefined && (isShortened(there) || (mayCut && isCut(there, result)))) {
      results++
      shortened++
    } else missing.push(`result of ${key.slice(0, 60)}: ${result.slice(0, 60)} · there: ${there?.slice(0, 60)}`)
    return true
  })
  return {
    texts: [texts.length, wanted.texts.length],
    calls: [calls.length, wanted.calls.length],
    results: [results, wanted.calls.filter(({ result }) => result !== undefined).length],
    shortened,
    missing,
  }
}
