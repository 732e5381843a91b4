/**
 * Writes a call or a result as text that the scanners read back to the same value.
 *
 * The plain form is what models were taught to write; escapes appear only where the plain form would be misread,
 * and each one is announced where it is used (see `values.ts` for values, `result-header.ts` for `(fenced)` and
 * quoted names).
 */
import type { JsonObject, JsonValue, Wire } from "../../model/index.ts"
import { findHeaders, isSurroundings, writeHeader } from "./scan/header-results.ts"
import type { CallStyle } from "./scan/scan-calls.ts"
import { fateOf } from "./scan/scan-results.ts"
import { escapeEntities, fenceFor, mentionsTag } from "./scan/tags.ts"
import { writeValue } from "./scan/values.ts"

const tagName = /^[A-Za-z_][\w.-]{0,127}$/
const reserved: ReadonlySet<string> = new Set(["invoke", "function_calls", "tool_call", "parameter"])

/** Names that cannot be a tag are written in `invoke` style whatever style was asked for. */
const canBeTag = (name: string): boolean => tagName.test(name) && !reserved.has(name)

const renderParameter = (key: string, value: JsonValue, tool: string | undefined, schema: Wire | undefined): string => {
  const bare = tool !== undefined && tagName.test(key) && key !== tool
  const tag = bare ? key : "parameter"
  const framing = tool === undefined ? ["parameter", "invoke", "function_calls"] : [tag, tool]
  const written = writeValue(value, framing, tool === undefined, { key, schema })
  const name = bare ? "" : ` name="${escapeEntities(key, "attribute")}"`
  return `<${tag}${name}${written.attributes}>${written.text}</${tag}>\n`
}

/** `schema`: of the tool's arguments, where those who read the call know it too. */
export const renderCall = (name: string, given: JsonObject, style: CallStyle, schema?: Wire): string => {
  if (style === "hermes") {
    const json = JSON.stringify({ name, arguments: given })
    // Readers that search for the closing tag instead of the end of the JSON must not find one inside a string.
    return `<tool_call>\n${mentionsTag(json, ["tool_call"]) ? json.replaceAll("<", "\\u003c") : json}\n</tool_call>`
  }
  const asTag = style === "tag" && canBeTag(name)
  // An object in memory may hold `undefined`, which JSON does not say either.
  const said = Object.entries(given).filter(([, value]) => JSON.stringify(value) !== undefined)
  const parameters = said.map(([key, value]) => renderParameter(key, value, asTag ? name : undefined, schema)).join("")
  if (asTag) return `<${name}>\n${parameters}</${name}>`
  const opening = `<invoke name="${escapeEntities(name, "attribute")}">`
  return `<function_calls>\n${opening}\n${parameters}</invoke>\n</function_calls>`
}

interface RenderResultOptions {
  readonly error?: boolean | undefined
  /** What the call was about, shown to the model after `for`. */
  readonly hint?: string | undefined
  readonly id?: string | undefined
  readonly style?: CallStyle | undefined
}

const resultTags = ["function_results", "tool_response"]
const fenceStart = /`{3}|^[ \t]*~{3}/m

/** True when the body could be cut short, split, or could hide the result after it. */
const needsFence = (text: string): boolean => {
  if (/^[\r\n]|[\r\n]$/.test(text) || text.trim() === "" || fenceStart.test(text)) return true
  if (text.includes("Result") && /^\[/m.test(text)) return true
  return findHeaders(text, () => true).headers.length > 0 || text.split("\n").some(isSurroundings) || mentionsTag(text, resultTags)
}

const renderTagged = (name: string, text: string, options: RenderResultOptions): string => {
  const tag = options.error === true ? "error" : "stdout"
  const element = (local: string, value: string): string => {
    const framing = [local, "result", ...resultTags]
    const { attributes, text: written } = writeValue(value, framing, false, { key: local })
    return `<${local}${attributes}>${written}</${local}>\n`
  }
  const id = options.id === undefined ? "" : element("id", options.id)
  const elements = element("name", name) + id + element(tag, text)
  return `<function_results>\n<result>\n${elements}</result>\n</function_results>`
}

const renderHermes = (name: string, text: string, options: RenderResultOptions): string => {
  const { id, error } = options
  const json = JSON.stringify({
    name,
    ...(id === undefined ? {} : { id }),
    content: text,
    ...(error === true ? { error: true } : {}),
  })
  return `<tool_response>\n${mentionsTag(json, resultTags) ? json.replaceAll("<", "\\u003c") : json}\n</tool_response>`
}

/** A hint is only written in the default (`tag`) style; the tagged forms have no place for one. */
export const renderResult = (name: string, text: string, options: RenderResultOptions = {}): string => {
  if (options.style === "invoke") return renderTagged(name, text, options)
  if (options.style === "hermes") return renderHermes(name, text, options)
  const { hint, id } = options
  const fenced = needsFence(text)
  const header = writeHeader({
    name,
    fenced,
    // A body that only looks like a failure would otherwise be read as one.
    ...(options.error === true ? { error: true } : Object.keys(fateOf(text, undefined)).length > 0 ? { error: false } : {}),
    ...(hint === undefined ? {} : { hint }),
    ...(id === undefined ? {} : { id }),
  })
  if (!fenced) return `${header}\n${text}`
  const fence = fenceFor(text)
  return `${header}\n${fence}\n${text}\n${fence}`
}
