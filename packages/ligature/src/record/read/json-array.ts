/**
 * A JSON array that arrives in pieces, element by element: Gemini streams one where nobody asks for server-sent events.
 * Only brackets and quotes are looked at; whether an element is sound is for JSON.parse to say. A body that is one
 * object (an error) is one element.
 */
const quote = 34
const comma = 44
const backslash = 92
const list = 0x5b

const opens = (code: number): boolean => code === 0x7b || code === list
const closes = (code: number): boolean => code === 0x7d || code === 0x5d

export class JsonArrayReader {
  /** Pieces of an element whose end has not come. */
  #element: string[] = []
  #depth = 0
  /** How deep the commas are that part elements; 0: there is no list around them. */
  #level = 0
  #inText = false
  #escaped = false

  /** Takes the next piece of text; gives the elements that are now whole, as text. */
  push(chunk: string): readonly string[] {
    const elements: string[] = []
    let start = 0
    const finish = (end: number): void => {
      this.#element.push(chunk.slice(start, end))
      this.#finish(elements)
      start = end
    }
    for (let index = 0; index < chunk.length; index++) {
      const code = chunk.charCodeAt(index)
      if (this.#inText) this.#inside(code)
      else if (code === quote) this.#inText = true
      else if (opens(code)) {
        if (this.#depth++ === 0 && code === list) {
          this.#level = 1
          this.#element = []
          start = index + 1
        }
      } else if (code === comma && this.#depth === 1 && this.#level === 1) {
        finish(index)
        start = index + 1
      } else if (closes(code)) {
        this.#depth--
        if (this.#depth > 0) continue
        finish(index + 1 - this.#level)
        start = index + 1
      }
    }
    if (start < chunk.length) this.#element.push(chunk.slice(start))
    return elements
  }

  /** No more text will come: an element without its end is given as it is. */
  end(): readonly string[] {
    const elements: string[] = []
    this.#finish(elements)
    return elements
  }

  #inside(code: number): void {
    if (this.#escaped) this.#escaped = false
    else if (code === backslash) this.#escaped = true
    else if (code === quote) this.#inText = false
  }

  #finish(elements: string[]): void {
    const element = this.#element.join("").trim()
    this.#element = []
    if (element !== "") elements.push(element)
  }
}
