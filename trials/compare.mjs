/** What of a conversation has arrived in a request: every text, call and result, found by its content. */

const squeezed = (text) => text.replace(/\s+/g, " ").trim()

const partsOf = (messages) => {
  const parts = { texts: [], calls: [], results: [] }
  const textIn = (content) => content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type === "text" && squeezed(block.text) !== "") parts.texts.push(squeezed(block.text))
      if (block.type === "call") parts.calls.push(JSON.stringify(block.arguments))
      if (block.type === "result") parts.results.push(squeezed(textIn(block.content)))
    }
  }
  return parts
}

/** Every string in a JSON value, also in JSON that is a string, as arguments are in some APIs. */
const stringsIn = (value, out = []) => {
  if (typeof value === "string") {
    out.push(value)
    if (/^\s*[[{]/.test(value)) {
      try {
        stringsIn(JSON.parse(value), out)
      } catch {
        // Text that only looks like JSON.
      }
    }
  } else if (typeof value === "object" && value !== null) for (const each of Object.values(value)) stringsIn(each, out)
  return out
}

/** `{ texts: [found, of], calls: …, results: … }` and the first that is missing. */
export const arrived = (messages, body) => {
  const haystack = squeezed(stringsIn(body).join("\n"))
  const missing = []
  const count = (kind, list, isThere) => {
    const found = list.filter((each) => isThere(each) || void missing.push(`${kind}: ${each.slice(0, 80)}`))
    return [found.length, list.length]
  }
  const parts = partsOf(messages)
  const has = (text) => haystack.includes(text)
  return {
    texts: count("text", parts.texts, has),
    calls: count("call", parts.calls, (json) => stringsIn(JSON.parse(json)).every((text) => has(squeezed(text)))),
    results: count("result", parts.results, has),
    missing,
  }
}
