/**
 * Are the calls in the text? Cline, Roo and their relatives ask for tools with XML tags in the assistant's text and
 * answer with a user text that starts `[read_file for 'x'] Result:`. Their files look like anthropic ones otherwise,
 * and some hold native calls answered by such a text. Prose about XML must not count, so a tag alone proves nothing: it
 * takes an answer in text, or the frame these agents put around every user message.
 */

import { isOrphanText } from "../model/index.ts"
import { isList, isObject, type JsonObject } from "../json/json-value.ts"
import { sampleOf } from "./message-list.ts"

const headCharacters = 2_000
const tailCharacters = 8_000
const blocksLookedAt = 24

/** As `xml-text/scan/result-header.ts` reads and writes them: a hint in either quotes, and marks such as `(Error, fenced)`. */
const hint = String.raw`(?: for (?:'[^\n]{0,500}'|"(?:[^"\\\n]|\\.){0,1000}"))?[^\n\]]{0,200}`
const marks = String.raw`(?: \([A-Za-z, ]{1,40}\))?`
const resultInText = new RegExp(String.raw`^\s*\[[a-z][\w-]{1,60}(?:${hint}\] Result${marks}:| Result${marks}\])`)
/** Of any agent: its tools may be called `Bash` or `web-search`, and then the answer has to name the very tag. */
const namedResult = new RegExp(String.raw`^\s*\[([A-Za-z][\w.-]{1,60})${hint}\] Result${marks}:`)
const lineTag = /^<([A-Za-z][\w.-]{1,60})>/gm
const tagCall = /<([a-z][a-z0-9_]{2,60})>\s*<([a-z][a-z0-9_]{0,60})>/g
const invokeCall = /<(?:\w+:)?invoke\s+name="[^"\n]{1,100}"\s*>/
const invokeResult = /<(?:\w+:)?(?:function_results|fnr)>|<(?:\w+:)?result>\s*<(?:\w+:)?(?:tool_)?name>/

export class TextStyle {
  hasSystemMessage = false
  hasTypedText = false
  hasTypedAssistantText = false
  hasPlainText = false
  beginsWithAssistant = false
  #calls = 0
  #results = 0
  #textCalls = 0
  #invokeCalls = 0
  #invokeResults = 0
  #textResults = 0
  #namedResults = 0
  #messages = 0
  readonly #tags = new Set<string>()
  #frames = 0
  #tasks = 0
  /** Results that a repair wrote as text, since their call was gone: they were blocks. */
  #orphans = 0

  look(message: JsonObject): void {
    const { role, content } = message
    if (role === "system" || role === "developer") {
      this.hasSystemMessage = true
      return
    }
    if (++this.#messages === 1) this.beginsWithAssistant = role === "assistant"
    if (isList(message["tool_calls"])) this.#calls += message["tool_calls"].length
    if (role === "tool") this.#results += 1
    if (typeof content === "string") {
      this.hasPlainText = true
      this.#lookAtText(role, content, false)
      return
    }
    if (!isList(content)) return
    // Where no block has a type, none is missing: Bedrock's have none.
    const isTyped = content.some((block) => isObject(block) && Object.hasOwn(block, "type"))
    for (const block of sampleOf(content, blocksLookedAt)) {
      if (!isObject(block)) continue
      const { type, text } = block
      if (type === "tool_use" || type === "tool-call") this.#calls += 1
      else if (type === "tool_result" || type === "tool-result") this.#results += 1
      else if (type === "text" && typeof text === "string") {
        this.hasTypedText = true
        if (role === "assistant") this.hasTypedAssistantText = true
        this.#lookAtText(role, text, true)
      } else if (typeof text === "string" && typeof type !== "string" && isTyped) {
        // Decoders read it as text, and repair writes it as such: the file must not be of another format afterwards.
        this.#lookAtText(role, text, true)
      }
    }
  }

  /** `undefined` when the calls, if there are any, are blocks answered by blocks. */
  callsInText(): { readonly certainty: "certain" | "likely"; readonly why: string } | undefined {
    if (this.#namedResults > 0 || (this.#textResults > 0 && this.#textCalls > 0)) {
      const why = 'calls are XML tags in assistant text, answered by user text that starts "[tool …] Result:"'
      return { certainty: "certain", why }
    }
    if (this.#textResults > 0 && this.#calls > this.#results) {
      return { certainty: "certain", why: 'native calls are answered by user text that starts "[tool …] Result:"' }
    }
    if (this.#calls + this.#results > 0) return undefined
    if (this.#invokeCalls > 0 && this.#invokeResults > 0) {
      return { certainty: "certain", why: "calls are <invoke> tags in assistant text, answered in user text" }
    }
    if (this.#orphans > 0) return undefined
    if (this.#frames > 0 && (this.#textCalls > 0 || this.#tasks > 0)) {
      return { certainty: "likely", why: "user messages are framed by <task> and <environment_details>" }
    }
    if (this.#tasks > 0 && this.hasTypedText && !this.hasSystemMessage) {
      return { certainty: "likely", why: "the first user message is a block of text in <task> tags" }
    }
    return this.#invokeCalls > 0 ? { certainty: "likely", why: "calls are <invoke> tags in assistant text" } : undefined
  }

  #lookAtText(role: unknown, text: string, isBlock: boolean): void {
    const tail = text.length > tailCharacters ? text.slice(-tailCharacters) : text
    if (role === "assistant") {
      if (hasTagCall(tail)) this.#textCalls += 1
      for (const [, name = ""] of tail.matchAll(lineTag)) if (tail.includes(`</${name}>`)) this.#tags.add(name)
      if (invokeCall.test(tail)) this.#invokeCalls += 1
      return
    }
    if (role !== "user") return
    const head = text.slice(0, headCharacters)
    if (isOrphanText(head)) this.#orphans += 1
    if (resultInText.test(head)) this.#textResults += 1
    if (this.#tags.has(namedResult.exec(head)?.[1] ?? "")) this.#namedResults += 1
    if (invokeResult.test(head)) this.#invokeResults += 1
    if (head.startsWith("<environment_details>") || tail.trimEnd().endsWith("</environment_details>")) this.#frames += 1
    if (isBlock && head.trimStart().startsWith("<task>")) this.#tasks += 1
  }
}

function hasTagCall(text: string): boolean {
  for (const match of text.matchAll(tagCall)) {
    if (text.includes(`</${match[1] ?? ""}>`, match.index)) return true
  }
  return false
}
