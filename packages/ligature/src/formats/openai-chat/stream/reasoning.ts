/**
 * Reasoning in chat streams: fields beside the content, under several names, often under two at once. Each field is
 * gathered by itself and goes back under its name; a screen hears the first that a chunk carries.
 */
import { isWire, limitDepth, type ThinkingBlock, type Wire } from "../../../model/index.ts"
import { listOf, stringOf } from "../../engine/recorder/fields.ts"
import { detailTexts, firstText, isSaid, readReasoning, reasoningFields } from "../reasoning.ts"
import { Pieces, wholeCharacters } from "../../engine/recorder/pieces.ts"

const textFields = ["reasoning_content", "reasoning"] as const
const listFields = ["reasoning_details", "thinking_blocks"] as const

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
      if (typeof value !== "string" || !(detailTexts as readonly string[]).includes(name)) {
        if (value !== null || !(name in detail.fields)) detail.fields[name] = value
        continue
      }
      const pieces = detail.texts.get(name) ?? new Pieces()
      detail.texts.set(name, pieces)
      pieces.add(value)
      detail.fields[name] = ""
    }
    return firstText(wire, detailTexts)
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
    const fields = limitDepth(this.#fields(whole))
    return readReasoning(fields) ?? { type: "thinking", text: "", native: { "openai-chat": fields } }
  }
}

const wireOfDetail = ({ fields, texts }: Detail, textOf: (pieces: Pieces) => string): Wire => {
  const wire: Record<string, unknown> = { ...fields }
  for (const [name, pieces] of texts) wire[name] = textOf(pieces)
  return wire
}
