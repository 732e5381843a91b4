/** Newline-delimited JSON in whatever pieces it arrives: one value per line, blank lines aside. */
export class JsonLinesReader {
  #line: string[] = []

  /** Takes the next piece of text; gives the lines that are now whole, as they are. */
  push(chunk: string): readonly string[] {
    const lines: string[] = []
    let start = 0
    for (;;) {
      const at = chunk.indexOf("\n", start)
      if (at < 0) break
      this.#line.push(chunk.slice(start, at))
      this.#endLine(lines)
      start = at + 1
    }
    if (start < chunk.length) this.#line.push(chunk.slice(start))
    return lines
  }

  /** No more text will come: a last line without its end is a line. */
  end(): readonly string[] {
    const lines: string[] = []
    if (this.#line.length > 0) this.#endLine(lines)
    return lines
  }

  #endLine(lines: string[]): void {
    const line = this.#line.join("").trim()
    this.#line = []
    if (line !== "") lines.push(line)
  }
}
