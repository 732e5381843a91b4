/**
 * An input file opened: its conversations as transcripts, what is wrong with the file itself, and the way from a
 * finding to the line it is on. Transcripts are made one at a time, so that a file of a thousand conversations stays
 * small.
 */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { assertUnderstood, decode, type DecodeOptions, findCodec, type Format, isSessionCodec } from "../../convert/index.ts"
import type { Document, DocumentPart, OpenOptions, Problem } from "../../document/index.ts"
import { openDocument } from "../../document/index.ts"
import { decodeOptionsOf } from "../../document/part-options.ts"
import { canBeReadAs } from "../../document/formats.ts"
import { readText } from "../../document/read-text.ts"
import { AbridgedFile, restored } from "../../files/abridged/abridged-file.ts"
import { isDatabase, openDatabase, readPlainFile, unpacked } from "../../files/open-file.ts"
import { isLongFile, longFile, recordWindows } from "../../files/record-windows.ts"
import { eventLines, opencodeExport } from "../../files/find-sessions.ts"
import { type Redactor, redactFileText } from "../../export/redact.ts"
import { LigatureError, phrase, type Place, type Transcript } from "../../model/index.ts"
import { type Content, type Original, readInput, stdinLabel } from "./files.ts"
import { imageHead } from "./image-head.ts"
import type { Io } from "../frame/io.ts"
import { SourceText } from "./source-text.ts"
import { WirePlaces } from "./wire-places.ts"

/** The file is truncated or contains invalid bytes: only a part of it was read. */
const partial: ReadonlySet<string> = new Set(["truncated-json", "invalid-json", "nul", "invalid-utf8"])

/** How files are read, from the options of the command line. */
export interface Reading {
  readonly from?: Format
  /** Which path of a session, and how much of it: see `DecodeOptions`. */
  readonly branch?: string
  readonly view?: "effective" | "whole"
}

/** Where a finding is, for people: the line if known, and the path in the JSON. */
export interface FilePlace {
  readonly line?: number
  readonly path: string
}

/** The part of `FILE#ID` after the file, if there is no file of the whole name. */
const sessionIn = (given: string, cwd: string): string | undefined => {
  const at = given.lastIndexOf("#")
  if (at <= 0 || existsSync(resolve(cwd, given)) || !existsSync(resolve(cwd, given.slice(0, at)))) return undefined
  return given.slice(at + 1)
}

/** The file of `FILE` or `FILE#ID`. */
export const filePart = (given: string, cwd: string): string => {
  const session = given === "-" ? undefined : sessionIn(given, cwd)
  return session === undefined ? given : given.slice(0, -session.length - 1)
}

const idOfPart = ({ format, value, name }: DocumentPart): string | undefined => {
  const codec = findCodec(format)
  return (codec !== undefined && isSessionCodec(codec) ? codec.session.outline(value).id : undefined) ?? name
}

/** From here on a file of lines is read without what is in the middle of its long texts, by those who can put it back. */
const abridgedFrom = 32 << 20

/** For those who write nothing but what `output` gives them. */
export interface LongReading {
  /** Called with the share that was read. */
  readonly onProgress: (share: number) => void
  /** Default: 32 MB. */
  readonly bytes?: number
}

const openingOf = ({ from }: Reading): OpenOptions => (from === undefined ? {} : { from })

export class Source {
  /** As it was given on the command line; `<stdin>` for a dash. */
  readonly name: string
  readonly content: Uint8Array | string
  readonly document: Document
  #text: SourceText | undefined

  readonly #reading: Reading

  /** Why `content` is not the content of the file, so that it must not be written there. */
  readonly derived: string | undefined
  /** What of a long file is not in `content`: see `output`. */
  readonly abridged: AbridgedFile | undefined

  constructor(
    given: string,
    content: Uint8Array | string,
    document: Document,
    reading: Reading,
    derived?: string,
    abridged?: AbridgedFile,
  ) {
    this.derived = derived
    this.abridged = abridged
    this.name = given === "-" ? stdinLabel : given
    this.content = content
    this.document = document
    this.#reading = reading
  }

  /** The file as it is, to be written elsewhere. Throws for a database, which has no text. */
  get unchanged(): Content {
    const { abridged } = this
    if (abridged) return { pieces: () => abridged.whole() }
    return this.content.length > 0 ? this.content : this.document.rebuild(new Map())
  }

  /** What was made of `content`, to be written: of a long file, with its long texts in full. */
  output(content: string): Content {
    const { abridged } = this
    return abridged === undefined ? content : { pieces: () => restored(content, [abridged]) }
  }

  /** The content with other values for some conversations. NUL bytes outside of them are read as spaces, so they are written as spaces. */
  rebuilt(replacements: ReadonlyMap<DocumentPart, unknown>): string {
    return this.document.rebuild(replacements).replaceAll("\0", " ")
  }

  /** What was read, to see whether the file is still the same. */
  get original(): Original {
    return this.abridged ?? this.content
  }

  static of(given: string, content: Uint8Array | string, reading: Reading, derived?: string): Source {
    return new Source(given, content, openDocument(content, openingOf(reading)), reading, derived)
  }

  /** `given`: a file, or `FILE#ID` for one of the sessions in it. */
  static async read(given: string, reading: Reading, io: Io, long?: LongReading): Promise<Source> {
    const name = sessionIn(given, io.cwd)
    if (name === undefined) return Source.#readFile(given, reading, io, long)
    const { content, document, derived, abridged } = await Source.#readFile(given.slice(0, -name.length - 1), reading, io, long)
    const parts = document.parts.filter((part) => idOfPart(part) === name)
    if (parts.length === 0) throw new LigatureError("cannot-read", phrase`The file has no session ${name}.`)
    return new Source(given, content, { ...document, parts }, reading, derived, abridged)
  }

  static async #readFile(given: string, reading: Reading, io: Io, long: LongReading | undefined): Promise<Source> {
    const path = resolve(io.cwd, given)
    if (long && given !== "-" && (await isLongFile(path, long.bytes ?? abridgedFrom))) {
      const { bytes, file } = await AbridgedFile.read(path, { base64Head: imageHead, onProgress: long.onProgress })
      return new Source(given, bytes, openDocument(bytes, openingOf(reading)), reading, undefined, file)
    }
    if (given !== "-" && (await isDatabase(path))) {
      return new Source(given, new Uint8Array(), await openDatabase(path), reading, phrase`a database`)
    }
    const gathered = given === "-" ? undefined : ((await eventLines(path)) ?? (await opencodeExport(path)))
    if (gathered !== undefined) return Source.of(given, gathered, reading, phrase`gathered from many files`)
    const bytes = await readInput(given, io)
    const content = unpacked(bytes)
    return Source.of(given, content, reading, content === bytes ? undefined : phrase`compressed`)
  }

  /** A regular file, at once; undefined for one that is long, a database, or none at all. */
  static readNow(path: string, reading: Reading): Source | undefined {
    const found = readPlainFile(path, longFile - 1)
    return found && Source.of(path, found.bytes, reading, found.isPacked ? phrase`compressed` : undefined)
  }

  /** A file too long for memory, one stretch after another; undefined for other files. */
  static async stretches(given: string, reading: Reading, io: Io): Promise<AsyncIterable<Source> | undefined> {
    const path = resolve(io.cwd, given)
    if (given === "-" || !(await isLongFile(path))) return undefined
    return (async function* (): AsyncGenerator<Source> {
      for await (const document of recordWindows(path, openingOf(reading))) {
        yield new Source(given, new Uint8Array(), document, reading)
      }
    })()
  }

  /** The same file, read along another path of its session. */
  onBranch(branch: string): Source {
    return new Source(this.name, this.content, this.document, { ...this.#reading, branch }, this.derived, this.abridged)
  }

  /** The same without what a redactor takes out: of the file where there is a text, else of what was read. */
  redacted(redactor: Redactor): Source {
    const { document, derived } = this
    redactor.learn(this.name)
    const isWhole = this.content.length > 0 && openDocument(this.content, openingOf(this.#reading)).parts.length === document.parts.length
    if (isWhole) {
      const content = redactFileText(readText(this.content).text, redactor)
      return new Source(redactor.text(this.name), content, openDocument(content, openingOf(this.#reading)), this.#reading, derived)
    }
    redactor.learn(JSON.stringify(document.parts.map(({ value }) => value)))
    const parts = document.parts.map((part) => ({
      ...part,
      value: redactor.value(part.value),
      why: redactor.text(part.why),
      ...(part.name !== undefined && { name: redactor.text(part.name) }),
    }))
    const problems = document.problems.map((one) => redactor.value(one) as Problem)
    return new Source(redactor.text(this.name), new Uint8Array(), { ...document, parts, problems }, this.#reading, derived)
  }

  /** The options for the decoder. */
  decodeOptions(part: DocumentPart): DecodeOptions {
    const { branch, view } = this.#reading
    return {
      ...decodeOptionsOf(part),
      source: this.name,
      ...(branch !== undefined && { branch }),
      ...(view && { view }),
    }
  }

  get parts(): readonly DocumentPart[] {
    return this.document.parts
  }

  get problems(): readonly Problem[] {
    return this.document.problems
  }

  /** One of several documents of a file that is too long for memory. */
  get isStretch(): boolean {
    return this.content.length === 0 && this.derived === undefined
  }

  /** Nothing, or not what was requested, can be read. */
  get isUnreadable(): boolean {
    return this.problems.some(({ severity }) => severity === "error")
  }

  get isPartial(): boolean {
    return this.problems.some(({ kind }) => partial.has(kind))
  }

  /** Why a file without a conversation may have contained one. Other files in a folder are not a problem. */
  get sessionProblem(): Problem | undefined {
    return this.problems.find(({ kind }) => kind === "session-file" || kind === "truncated-json" || kind === "too-large")
  }

  /** Some of its lines are damaged; the others are whole. */
  get isTorn(): boolean {
    return this.problems.some(({ kind }) => kind === "torn-line" || kind === "torn-last-line")
  }

  /**
   * Throws when new content for this file would not be read back as intended: nothing may be written then.
   * `formats`: of each conversation in it. Default: unchanged.
   */
  assertReads(content: string, formats: readonly string[] = this.parts.map(({ format }) => format)): void {
    const again = this.again(content)
    const isMeant = ({ format }: DocumentPart, index: number): boolean => canBeReadAs(format, formats[index] ?? "")
    const isSame = again.parts.length === formats.length && again.parts.every(isMeant)
    if (!again.isUnreadable && !again.isPartial && isSame) return
    throw new LigatureError(
      "cannot-write",
      phrase`${this.name} would not be readable afterwards, so nothing was written. Please report this file.`,
    )
  }

  /** New content for this file, as it will be read. */
  again(content: string | Uint8Array): Source {
    // Lines are read faster from bytes, and with less memory.
    const bytes = this.abridged !== undefined && typeof content === "string" ? Buffer.from(content) : content
    return Source.of(this.name, bytes, this.#reading)
  }

  transcript(part: DocumentPart): Transcript {
    const transcript = decode(part.format, part.value, this.decodeOptions(part))
    // One stretch of a long file may have no messages.
    if (!this.isStretch) assertUnderstood(transcript, part.value, part.format)
    return transcript
  }

  /** The name of one conversation of this file: the file's name, with a number if there are several. */
  labelOf(index: number): string {
    const { branch } = this.#reading
    const path = branch === undefined ? "" : ` (${branch})`
    return this.parts.length === 1 ? `${this.name}${path}` : `${this.name}#${index + 1}${path}`
  }

  /** Maps places of a part to places in the file. The part is decoded again only when there is something to locate. */
  locatorOf(part: DocumentPart): (place: Place) => FilePlace | undefined {
    let places: WirePlaces | undefined
    return (place) => {
      if (place.message === undefined) return undefined
      places ??= new WirePlaces(part, this.transcript(part))
      return this.placeOf(place, part, places)
    }
  }

  placeOf(place: Place, part: DocumentPart, places: WirePlaces): FilePlace {
    const keys = places.keysOf(place)
    const path = WirePlaces.written(keys)
    if (this.document.syntax === "json") return { line: this.text.lineOf(keys), path }
    const line = places.lineOf(place) ?? place.line ?? part.line
    return line === undefined ? { path } : { line, path }
  }

  get text(): SourceText {
    this.#text ??= new SourceText(readText(this.content).text)
    return this.#text
  }
}
