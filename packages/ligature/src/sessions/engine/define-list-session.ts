/**
 * Sessions that are a list of an API's messages under a key of their file. The API's own format reads and writes the
 * messages; only the list and what is around it belong to the session. Both views are the same, because such files do not
 * record what was hidden from the model.
 */
import { type Conversation, type Diagnostic, type Transcript, type Wire } from "../../model/index.ts"
import { type Codec, type DecodeOptions, type EncodeOptions, sameElements } from "../../formats/engine/codec.ts"
import { withDepthLimit } from "../../formats/engine/depth-door.ts"
import type { SessionCodec, SessionOutline } from "../../formats/engine/session.ts"
import { listOf } from "./fields.ts"
import { notABranch } from "./read-session.ts"
import type { SessionFacts } from "./session-format.ts"

export interface ListSession extends Pick<SessionCodec["session"], "agent" | "sources" | "aliases" | "recognise" | "sessionsIn"> {
  readonly format: string
  readonly title: string
  /** The format of the messages. */
  readonly api: Codec
  /** The file around the list, also where the bare list was given. */
  readonly fileOf: (value: unknown) => Wire
  readonly keyOf: (file: Wire) => string
  /** Whether a record is a message. Default: all are. Others stay at the end of the list. */
  readonly isMessage?: (record: unknown) => boolean
  /** A record as the API's message, and a new or changed message as a record. Default: they are the same. */
  readonly toMessage?: (record: unknown) => unknown
  readonly toRecord?: (message: unknown, key: string) => unknown
  readonly facts: (file: Wire) => Omit<SessionFacts, "needs">
  /** The name of the only path, in a session without id. */
  readonly path: string
}

/** What reading keeps for writing: the file, and the record of each message. */
interface ListReading {
  readonly file: Wire
  readonly records: ReadonlyMap<unknown, unknown>
}

const readingOf = ({ native }: Conversation, format: string): ListReading | undefined => {
  const reading = native?.[format] as Partial<ListReading> | undefined
  return reading?.records instanceof Map ? (reading as ListReading) : undefined
}

/** The API calls its list `messages`; here it has another name. */
const placedIn =
  (key: string) =>
  (found: Diagnostic): Diagnostic => {
    const path = found.place.path?.replace(/^messages(?=\[)/, key)
    return path === undefined ? found : { ...found, place: { ...found.place, path } }
  }

export const defineListSession = (session: ListSession): SessionCodec => {
  const { format, title, api, agent, sources, aliases, recognise, sessionsIn, fileOf, keyOf, path } = session
  const isMessage = session.isMessage ?? (() => true)
  const recordsIn = (file: Wire): readonly unknown[] => listOf(file[keyOf(file)])

  const outline = (value: unknown): SessionOutline => {
    const file = fileOf(value)
    const known = Object.fromEntries(Object.entries(session.facts(file)).filter(([, fact]) => fact !== undefined))
    const messages = recordsIn(file).filter(isMessage).length
    const id = typeof known["id"] === "string" ? known["id"] : path
    return { ...known, paths: [{ id, kind: "active", messages, first: 0 }], compactions: [] }
  }

  const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
    const file = fileOf(value)
    const records = new Map<unknown, unknown>()
    const messages = recordsIn(file)
      .filter(isMessage)
      .map((record) => {
        const message = session.toMessage?.(record) ?? record
        if (message !== record) records.set(message, record)
        return message
      })
    const { diagnostics: found = [], ...read } = api.decode(messages, options)
    const diagnostics = found.map(placedIn(keyOf(file)))
    const { branch } = options
    if (branch !== undefined && outline(value).paths[0]?.id !== branch) diagnostics.push(notABranch(branch))
    const reading: ListReading = { file, records }
    return {
      ...read,
      format,
      // The empty envelope says that the messages are of that format: its encoder then knows their fields.
      native: { [api.format]: {}, [format]: reading },
      ...(diagnostics.length > 0 && { diagnostics }),
    }
  }

  const encode = (conversation: Conversation, options: EncodeOptions = {}): Wire => {
    const { file = fileOf(undefined), records } = readingOf(conversation, format) ?? {}
    const key = keyOf(file)
    const before = recordsIn(file)
    const { messages } = api.encode(conversation, { ...options, extras: "keep" })
    const list = listOf(messages).map((message) => records?.get(message) ?? session.toRecord?.(message, key) ?? message)
    for (const record of before) if (!isMessage(record)) list.push(record)
    return sameElements(list, before) ? file : { ...file, [key]: list }
  }

  return withDepthLimit({
    format,
    title,
    capabilities: api.capabilities,
    decode,
    encode,
    session: {
      agent,
      sources,
      layout: "value",
      writes: "own",
      view: "whole",
      idsRepeat: true,
      aliases,
      recognise,
      ...(sessionsIn && { sessionsIn }),
      outline,
    },
  })
}
