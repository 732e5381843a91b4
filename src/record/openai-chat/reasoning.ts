/**
 * Reasoning in chat streams: fields beside the content, under several names, often under two at once. Each field is
 * gathered by itself and goes back under its name; a screen hears the first that a chunk carries.
 */
import { isWire, type ThinkingBlock, type Wire } from "../../model/index.ts"
import { listOf, stringOf } from "../fields.ts"
import { Pieces, wholeCharacters } from "../pieces.ts"

const textFields = ["reasoning_content", "reasoning"] as const
const listFields = ["reasoning_details", "thinking_blocks"] as const
export const reasoningFields: readonly string[] = [...listFields, ...textFields]

const spoken = ["text", "summary", "thinking"] as const
const proofs = ["signature", "data"] as const

const firstOf = (wire: Wire, names: readonly string[]): string => {
  for (const name of names) if (stringOf(wire[name]) !== "") return stringOf(wire[name])
  return ""
}

/** An entry of a list that grows: its texts in pieces, everything else as last said. */
interface Detail {
  readonly fields: Record<string, unknown>
  readonly texts: Map<string, Pieces>
}

const isSameDetail = (detail: Detail, wire: Wire): boolean => {
  const { index, id, type } = detail.fields
  const sameIndex = index === undefined || wire["index"] === undefined || index === wire["index"]
  const sameId = !id || !wire["id"] || id === wire["id"]
  return sameIndex && sameId && (type === undefined || wire["type"] === undefined || type === wire["type"])
}

const isSaid = (value: unknown): boolean =>
  typeof value === "string" ? value.trim() !== "" : Array.isArray(value) && value.length > 0

export class Reasoning {
  readonly #texts = new Map<string, Pieces>()
  readonly #lists = new Map<string, Detail[]>()

  /** Takes what a delta says; gives the words a screen should show. */
  take(delta: Wire): string {
    let shown = ""
    for (const field of textFields) {
      const value = stringOf(delta[field])
      if (value === "") continue
      const pieces = this.#texts.get(field) ?? new Pieces()
      this.#texts.set(field, pieces)
      pieces.add(value)
      if (shown === "") shown = value
    }
    for (const field of listFields) {
      const list = this.#lists.get(field) ?? []
      let said = ""
      for (const wire of listOf(delta[field])) if (isWire(wire)) said += this.#takeDetail(list, wire)
      if (list.length > 0) this.#lists.set(field, list)
      if (shown === "") shown = said
    }
    return shown
  }

  #takeDetail(list: Detail[], wire: Wire): string {
    const last = list.at(-1)
    const detail = last && isSameDetail(last, wire) ? last : { fields: {}, texts: new Map<string, Pieces>() }
    if (detail !== last) list.push(detail)
    for (const name in wire) {
      const value = wire[name]
      if (typeof value !== "string" || !(spoken as readonly string[]).includes(name)) {
        if (value !== null || !(name in detail.fields)) detail.fields[name] = value
        continue
      }
      const pieces = detail.texts.get(name) ?? new Pieces()
      detail.texts.set(name, pieces)
      pieces.add(value)
      detail.fields[name] = ""
    }
    return firstOf(wire, spoken)
  }

  /** Nothing but blanks so far. */
  get isBlank(): boolean {
    return Object.keys(this.#fields(true)).length === 0
  }

  #fields(whole: boolean): Wire {
    const textOf = (pieces: Pieces): string => (whole ? pieces.text : wholeCharacters(pieces.text))
    const fields: Record<string, unknown> = {}
    for (const field of reasoningFields) {
      const list = this.#lists.get(field)
      const pieces = this.#texts.get(field)
      const value = list ? list.map((detail) => wireOfDetail(detail, textOf)) : pieces && textOf(pieces)
      if (isSaid(value)) fields[field] = value
    }
    return fields
  }

  /** One block for all fields. */
  build(whole: boolean): ThinkingBlock {
    const fields = this.#fields(whole)
    const details = listOf(fields["reasoning_details"] ?? fields["thinking_blocks"]).filter(isWire)
    const signature = details.map((detail) => firstOf(detail, proofs)).find((proof) => proof !== "")
    const shown = details.map((detail) => firstOf(detail, spoken)).filter((text) => text !== "")
    const text = shown.join("\n") || firstOf(fields, textFields)
    return {
      type: "thinking",
      text,
      ...(signature !== undefined && { signature }),
      ...(text === "" && { redacted: true as const }),
      native: { "openai-chat": fields },
    }
  }
}

const wireOfDetail = ({ fields, texts }: Detail, textOf: (pieces: Pieces) => string): Wire => {
  const wire: Record<string, unknown> = { ...fields }
  for (const [name, pieces] of texts) wire[name] = textOf(pieces)
  return wire
}
