/**
 * Exact token counts (o200k, cl100k) with the tokenizer of bench/peers, and the size of canonical messages:
 *
 *   message   4 + content            what providers put around a message
 *   call      6 + name + arguments   arguments as compact JSON
 *   result    2 more for its call
 *
 * Sizes are sums over messages, so that a strategy can know them exactly beforehand. Texts are counted raw, as a model
 * is given them: the escapes of a JSON body are no tokens anybody pays for. The JSON form is counted too, for the
 * report.
 *
 * The tokenizer is slow on long unbroken text, so it is fed in pieces; that adds less than one token per piece.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const peers = join(dirname(fileURLToPath(import.meta.url)), "../peers/node_modules/gpt-tokenizer/esm/encoding")
const load = async (name) => (await import(pathToFileURL(join(peers, `${name}.js`)).href)).countTokens

export const hasTokenizer = existsSync(peers)

/** Without it everything works that counts nothing. */
const loadTokenizer = async (name) => {
  try {
    return await load(name)
  } catch {
    return () => {
      throw new Error("gpt-tokenizer is missing: run `npm ci --prefix bench/peers` first")
    }
  }
}

const pieceLength = 4096
const unbroken = 256
const longestRun = 512

/** Whether there is a long stretch without white space. */
const hasLongRun = (text) => {
  if (text.length < longestRun) return false
  let run = 0
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) <= 32) run = 0
    else if (++run >= longestRun) return true
  }
  return false
}
const options = { disallowedSpecial: new Set() }

const pieceEnd = (text, start) => {
  const limit = start + pieceLength
  if (limit >= text.length) return text.length
  const line = text.lastIndexOf("\n", limit)
  if (line > start + pieceLength / 4) return line
  const space = text.lastIndexOf(" ", limit)
  return space > start + pieceLength / 4 ? space : limit
}

const counterOf = (countTokens) => {
  const memo = new Map()
  const countPiece = (piece) => {
    if (!hasLongRun(piece)) return countTokens(piece, options)
    let tokens = 0
    for (let at = 0; at < piece.length; at += unbroken) tokens += countTokens(piece.slice(at, at + unbroken), options)
    return tokens
  }
  const countFresh = (text) => {
    let tokens = 0
    for (let start = 0; start < text.length;) {
      const end = pieceEnd(text, start)
      tokens += countPiece(start === 0 && end === text.length ? text : text.slice(start, end))
      start = end
    }
    return tokens
  }
  const remember = (text, tokens) => {
    if (memo.size > 400_000) memo.clear()
    memo.set(text, tokens)
    return tokens
  }
  const count = (text) => (text === "" ? 0 : (memo.get(text) ?? remember(text, countFresh(text))))
  return Object.assign(count, { remember })
}

export const o200k = counterOf(await loadTokenizer("o200k_base"))

let secondCounter
/** The second encoding is only loaded where a report asks for it. */
export const loadCl100k = async () => (secondCounter ??= counterOf(await loadTokenizer("cl100k_base")))

const perMessage = 4
const perCall = 6
const perResult = 2

export const tokensOfCall = (call, count = o200k) => perCall + count(call.name) + count(JSON.stringify(call.arguments))

const sizes = new WeakMap()

/** Messages are never changed, so their size is counted once. */
export const tokensOf = (message, count = o200k) => {
  if (count !== o200k) return countMessage(message, count)
  const known = sizes.get(message)
  if (known !== undefined) return known
  const tokens = countMessage(message, count)
  sizes.set(message, tokens)
  return tokens
}

const countMessage = (message, count) => {
  let tokens = perMessage + count(message.content) + (message.role === "tool" ? perResult : 0)
  for (const call of message.calls ?? []) tokens += tokensOfCall(call, count)
  return tokens
}

export const tokensOfAll = (messages, count = o200k) => {
  let tokens = 0
  for (const message of messages) tokens += tokensOf(message, count)
  return tokens
}

const sizeOfText = (text) => ({ tokens: o200k(text), bytes: Buffer.byteLength(text) })
const plus = (size, tokens) => ({ tokens: size.tokens + tokens, bytes: size.bytes })
const sum = (sizes) => sizes.reduce((a, b) => ({ tokens: a.tokens + b.tokens, bytes: a.bytes + b.bytes }), { tokens: 0, bytes: 0 })

const sizeOfBlock = (block) => {
  if (block.type === "text" || block.type === "opaque") return sizeOfText(block.text)
  if (block.type === "call") {
    return { tokens: tokensOfCall(block), bytes: Buffer.byteLength(`${block.name}${JSON.stringify(block.arguments)}`) }
  }
  if (block.type !== "result") return { tokens: 0, bytes: 0 }
  return plus(sizeOfText(block.content.map(({ text = "" }) => text).join("\n")), perMessage + perResult)
}

const sizeOfMessage = (message) => {
  if (message.role === "tool") return sum(message.blocks.map(sizeOfBlock))
  const texts = message.blocks.flatMap((block) => (block.type === "text" || block.type === "opaque" ? [block.text] : []))
  const calls = message.blocks.filter((block) => block.type === "call").map(sizeOfBlock)
  return plus(sum([sizeOfText(texts.join("\n")), ...calls]), perMessage)
}

const sizeOfItem = (item) => {
  if (item.role !== "exchange") return sizeOfMessage(item)
  const results = item.outcomes.flatMap(({ result }) => (result ? [sizeOfBlock(result)] : []))
  return sum([sizeOfMessage(item.message), ...results, ...(item.reply ? [sizeOfMessage(item.reply)] : [])])
}

const remembered = (measure) => {
  const known = new WeakMap()
  return (value) => {
    const before = known.get(value)
    if (before !== undefined) return before
    const size = measure(value)
    known.set(value, size)
    return size
  }
}

/** A Meter (see src/compact/meter) whose numbers are the benchmark's own, so that no budget is lost to estimates. */
export const exactMeter = {
  count: o200k,
  sizeOfText,
  sizeOfTools: (tools) => (tools === undefined ? { tokens: 0, bytes: 0 } : sizeOfText(JSON.stringify(tools))),
  sizeOfBlock: remembered(sizeOfBlock),
  sizeOfMessage: remembered(sizeOfMessage),
  sizeOfItem: remembered(sizeOfItem),
}
