/**
 * An input file opened: its conversations as transcripts, what is wrong with the file itself, and the way from a
 * finding to the line it is on. Transcripts are made one at a time, so that a file of a thousand conversations stays
 * small.
 */
import { decode } from "../codecs/index.ts"
import type { Document, DocumentPart, FormatName, Problem } from "../codecs/document/index.ts"
import { openDocument } from "../codecs/document/index.ts"
import { readText } from "../codecs/document/read-text.ts"
import { isWire, type Place, type Transcript } from "../model/index.ts"
import { readInput, stdinLabel } from "./files.ts"
import type { Io } from "./io.ts"
import { SourceText } from "./source-text.ts"
import { WirePlaces } from "./wire-places.ts"

/** The file breaks off or stops being text: what was read of it is not all of it. */
const partial: ReadonlySet<string> = new Set(["truncated-json", "invalid-json", "nul", "invalid-utf8"])

const toolName = (tool: unknown): readonly string[] => {
  if (!isWire(tool)) return []
  const { name, function: target, toolSpec, functionDeclarations } = tool
  if (typeof name === "string") return [name]
  if (Array.isArray(functionDeclarations)) return functionDeclarations.flatMap(toolName)
  const inner = [target, toolSpec].find(isWire)
  return typeof inner?.["name"] === "string" ? [inner["name"]] : []
}

/** Names of the tools a request declares. */
const toolNames = (tools: unknown): readonly string[] => {
  if (Array.isArray(tools)) return tools.flatMap(toolName)
  if (!isWire(tools)) return []
  return Array.isArray(tools["tools"]) ? tools["tools"].flatMap(toolName) : Object.keys(tools)
}

/** What is passed to a decoder beside the value. */
export const decodeOptions = (
  part: DocumentPart,
  source: string,
): { readonly source: string; readonly lines?: readonly number[]; readonly tools?: readonly string[] } => {
  const tools = toolNames(part.tools)
  return { source, ...(part.lines && { lines: part.lines }), ...(tools.length > 0 && { tools }) }
}

/** Where a finding is, for people: the line as far as it is known, and the path in the JSON. */
export interface FilePlace {
  readonly line?: number
  readonly path: string
}

export class Source {
  /** As it was given on the command line; `<stdin>` for a dash. */
  readonly name: string
  readonly content: Uint8Array | string
  readonly document: Document
  #text: SourceText | undefined

  constructor(given: string, content: Uint8Array | string, from: FormatName | undefined) {
    this.name = given === "-" ? stdinLabel : given
    this.content = content
    this.document = openDocument(content, from === undefined ? {} : { from })
  }

  static async read(given: string, from: FormatName | undefined, io: Io): Promise<Source> {
    return new Source(given, await readInput(given, io), from)
  }

  get parts(): readonly DocumentPart[] {
    return this.document.parts
  }

  get problems(): readonly Problem[] {
    return this.document.problems
  }

  /** Nothing, or not what was asked for, can be read. */
  get isUnreadable(): boolean {
    return this.problems.some(({ severity }) => severity === "error")
  }

  get isPartial(): boolean {
    return this.problems.some(({ kind }) => partial.has(kind))
  }

  /** Some of its lines are damaged; the others are whole. */
  get isTorn(): boolean {
    return this.problems.some(({ kind }) => kind === "torn-line" || kind === "torn-last-line")
  }

  transcript(part: DocumentPart): Transcript {
    return decode(part.format, part.value, decodeOptions(part, this.name))
  }

  /** How one conversation of this file is called: the file's name, with a number where it holds several. */
  labelOf(index: number): string {
    return this.parts.length === 1 ? this.name : `${this.name}#${index + 1}`
  }

  placeOf(place: Place, part: DocumentPart, places: WirePlaces): FilePlace {
    const keys = places.keysOf(place)
    const path = WirePlaces.written(keys)
    if (this.document.syntax === "json") return { line: this.text.lineOf(keys), path }
    const line = place.line ?? part.line
    return line === undefined ? { path } : { line, path }
  }

  get text(): SourceText {
    this.#text ??= new SourceText(readText(this.content).text)
    return this.#text
  }
}
