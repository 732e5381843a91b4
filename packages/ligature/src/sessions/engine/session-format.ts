/**
 * What a session format has to say about itself; everything else is done here once for all of them.
 *
 *   records ──links──> path ──read──> messages ──settle──> conversation ──write──> records
 *
 * A format reads one record at a time and writes one record at a time. Which records lie on the path, which messages span
 * several records, what became of each block, where new records go and how links are kept whole is the engine's work.
 */
import type { Block, CallBlock, Diagnostic, Message, Native, Origin, Place, Role, Wire } from "../../model/index.ts"
import type { Capabilities, DecodeOptions } from "../../formats/engine/codec.ts"
import type {
  Recognised,
  SessionCodec,
  SessionCompaction,
  SessionPath,
  SessionPlace,
  SessionSample,
  SessionWriting,
  Subagent,
} from "../../formats/engine/session.ts"
import type { AnomalyKind } from "./anomaly.ts"
import type { Tree } from "./read-tree.ts"
import { Origins } from "./origins.ts"

/** One message as a record has it. */
export interface RecordMessage {
  readonly role: Role
  readonly blocks: readonly Block[]
  readonly id?: string
  readonly name?: string
  readonly origin?: Origin
  readonly summary?: true
  readonly paused?: true
  /**
   * The message as the API whose blocks the records hold has it: conversions into that API can pass it on. A list goes on with
   * that of the next record of the same message.
   */
  readonly native?: Native
}

/** What one record says. Without messages it is bookkeeping, and stays where it is. */
export interface RecordReading {
  readonly messages?: readonly RecordMessage[]
  /** Assistant records that name the same response are one message, also where results come between them. */
  readonly response?: string
  /** Records of results that name the same answer and follow each other are one message. */
  readonly answer?: string
  readonly compaction?: Omit<SessionCompaction, "record">
  /** What the user typed, where it is not what was sent: the session is called by it. `false`: nobody typed this. */
  readonly title?: string | false
  /** Whether a turn begins here. Default: where the user says something. */
  readonly starts?: boolean
  /** A type of record that no known version writes. */
  readonly unknownType?: unknown
  /** The same for what a record consists of. */
  readonly unknownTypes?: readonly unknown[]
  /** What the reader of its blocks found; the engine says where. A path that begins with a dot is one inside of the record. */
  readonly diagnostics?: readonly Diagnostic[]
  readonly findings?: readonly { readonly kind: AnomalyKind; readonly what: string; readonly ids?: readonly string[] }[]
}

/** A record on the path that is read, with what it says. */
export interface ReadRecord {
  readonly index: number
  readonly record: Wire
  readonly reading: RecordReading
}

export type View = "whole" | "effective"

/** Whose messages a record has. `title`: as in its reading; absent: the reading says it. */
export interface RecordGlance extends Pick<RecordReading, "response" | "title"> {
  readonly roles: readonly Role[]
}

/** A path that a format finds by itself, where links between its records do not say it. */
export interface FoundPath {
  /** The records with sound links and ids, where those of the file are not. */
  readonly records?: readonly unknown[]
  /** Records that are in the file another time. */
  readonly repeated?: readonly number[]
  readonly path: readonly number[]
  /** What the active path is called. */
  readonly id: string
  readonly others?: readonly OtherPath[]
  /** Whether the branch that was asked for exists; otherwise the path is the active one. */
  readonly isKnown: boolean
  /** Messages that were written several times, by the index of the newest version, which is the one on the path. */
  readonly versions?: ReadonlyMap<number, Versions>
  /** Records that are left out when the session is written. */
  readonly dropped?: ReadonlySet<number>
  readonly compactions?: readonly SessionCompaction[]
  readonly diagnostics: readonly Diagnostic[]
  /** Reads the records of this path, in their order. Default: `reader`, or `read`. */
  readonly read?: (record: Wire, index: number) => RecordReading
  /** Reads those of other paths, for what is told of them. Default: `read` of the format. */
  readonly readBeside?: (record: Wire, index: number) => RecordReading
  /** What an outline wants to know of a record, where that can be told without reading its blocks. */
  readonly glance?: (record: Wire, index: number) => RecordGlance | undefined
}

/** A path beside the active one. Default: an abandoned one, known by the first words of its user. */
export interface OtherPath extends Partial<Pick<SessionPath, "kind" | "title">> {
  readonly id: string
  readonly own: readonly number[]
  readonly leaves?: number | undefined
}

export interface FindOptions {
  readonly branch?: string | undefined
  readonly view: View
  readonly tools?: DecodeOptions["tools"]
  readonly placeOf: (index: number) => Place
}

/** `at`: the version that says where the message is in the order of the file. `older`: they go when the message goes. */
export interface Versions {
  readonly at: number
  readonly older: readonly number[]
}

/** The fields by which records hang on each other. */
export interface Links {
  readonly id: string
  readonly parent: string
  /** Whether a record is part of the tree. Default: every object. */
  readonly isEntry?: (record: Wire) => boolean
  /** Two records of one id are one that was written twice when these values are equal. */
  readonly content: (record: Wire) => readonly unknown[]
  /** Other fields that name a record: they follow it when it gets another id, and name the one before it when it goes. */
  readonly references?: readonly string[]
  /** An id in the shape the agent gives them, made from what is given. */
  readonly newId: (...seed: readonly string[]) => string
  /** The id of the record the session goes on from. Default, and where no record has it: the last one. */
  readonly tip?: (value: unknown) => string | undefined
  /** A root that does not begin the session: a summary that replaces what is before it. The whole view reads on there. */
  readonly restarts?: (record: Wire) => boolean
  /** The path with the results that are linked beside it and answer its calls. The path itself where there are none. */
  readonly withResults?: (path: readonly number[], tree: Tree) => readonly number[]
}

/** What a session says of itself, gathered record by record. */
export interface SessionFacts {
  readonly id?: string | undefined
  readonly title?: string | undefined
  readonly folder?: string | undefined
  readonly model?: string | undefined
  readonly agentVersion?: string | undefined
  readonly startedAt?: string | undefined
  readonly subagent?: Subagent | undefined
  readonly needs?: string | undefined
}

/** A sign by which files of the format are known. The first that a file shows decides. */
export interface Mark {
  readonly certainty: Recognised["certainty"]
  /** Half a sentence: `a record has a Gemini content as its message`. */
  readonly evidence: string
  readonly isOn: (record: Wire, index: number) => boolean
  /** No other agent writes it: a file without messages is certain, too. */
  readonly suffices?: true
}

/** A sign on the whole value, or on the list of a file's lines. It needs no message beside it. */
export interface ValueMark extends Omit<Mark, "isOn"> {
  readonly isOn: (value: unknown, syntax: SessionSample["syntax"]) => boolean
}

export type ResultHome = "own" | "together" | "with-user" | "with-call"

export interface WrittenCall {
  readonly call: CallBlock
  readonly record: Wire
}

/** Where a record is written. */
export interface WritePlace {
  /** For a record that has none yet: free, in the shape of the format, the same for the same conversation. */
  readonly id: string
  /** Whether the records of this session have ids: those of the oldest versions of some agents do not. */
  readonly hasIds: boolean
  /** How many records of messages were written before it. */
  readonly index: number
  /** ISO time. */
  readonly time: string
  /** The place after this record, where a message becomes several. */
  readonly next: (record: Wire) => WritePlace
  /** The record before it, as written. */
  readonly previous: Wire | undefined
  /** What the record said when it was read: a block that is in here is unchanged. Empty for a new record. */
  readonly before: readonly RecordMessage[]
  /** The call with this id, and its record as written: for the results that answer it. */
  readonly callOf: (id: string) => WrittenCall | undefined
  /** Who the conversation was held with, where messages do not say it. */
  readonly origin: Origin | undefined
  readonly session: SessionWriting & { readonly id: string }
  /** What ids in a new session are made from: its id where one is given, else what was said. */
  readonly seed: string
  /** The header of a new session: the system text, in formats that keep it there. */
  readonly system: string
}

export interface SessionFormat {
  readonly format: string
  readonly title: string
  readonly agent: string
  /** What its records are called in findings, in the plural. Default: records. */
  readonly noun?: string
  readonly aliases?: readonly string[]
  /** Where the facts about the format come from, and which versions: for its page. */
  readonly sources: string
  readonly capabilities: Capabilities
  /** The API format whose blocks its records hold as they are. */
  readonly wraps?: string
  readonly layout: "lines" | "list" | "value"
  /** The field of the value that has the records, as findings name it. */
  readonly listKey?: string
  readonly orLines?: true
  /** Where a record is in the value, as findings name it, where records are in no list. */
  readonly pathOf?: (record: unknown, index: number) => string
  readonly view: View
  /** The profile a session moved here must suit, because the agent sends it there next. */
  readonly profile?: string
  readonly idsRepeat?: true
  /** Findings and problems of files that the agent settles by itself when it resumes: see `trials/damage.mjs`. */
  readonly heals?: readonly string[]

  /** Records that are no objects. Default `kept`: reported and left where they are. `text`: shown as text of the user. */
  readonly strays?: "kept" | "text"
  /** The value as it is read: with ids where the agent could not tell records apart. The same value where it is sound. */
  readonly prepare?: (value: unknown) => { readonly value: unknown; readonly diagnostics: readonly Diagnostic[] }
  /** The records of a value, and the value around other records. Without `change` they are the same. */
  readonly records: (value: unknown) => readonly unknown[]
  readonly wrap?: (value: unknown, records: readonly unknown[], change?: WriteChange) => Wire
  /** Where records lie inside of the records of the file: for each, the index of the one it lies in. */
  readonly homes?: (value: unknown) => readonly number[] | undefined
  /** The system text, where the session keeps it beside its messages. `write` gets the value as it is written. */
  readonly system?: {
    readonly read: (value: unknown) => string | undefined
    readonly write: (value: Wire, text: string, before: string) => Wire
  }
  /** Absent: records are read in the order of the file. */
  readonly links?: Links
  readonly find?: (value: unknown, records: readonly unknown[], options: FindOptions) => FoundPath
  readonly read: (record: Wire, view: View) => RecordReading
  /**
   * Reads a record in the light of the others of its session: of an item that is recorded several times the last version
   * counts, an id that several calls have pairs nothing. Absent: `read`, which is asked about records without their session.
   */
  readonly reader?: (records: readonly unknown[], path: readonly number[], view: View) => (record: Wire, index: number) => RecordReading
  /** The records in the order in which the model saw them, where the file has another one. */
  readonly arrange?: (path: readonly ReadRecord[]) => readonly ReadRecord[]
  /** The records the agent would send. Default: all. */
  readonly effective?: (path: readonly ReadRecord[]) => readonly ReadRecord[]
  /** Calls need no ids here: they hold their results, or go by order. */
  readonly ids?: "optional"

  /**
   * The record of these messages. `like`: the record they came from, whose other fields stay. Called only for records that
   * changed or are new. A list: a record for each block, or what comes before the record and it. Empty: none of it can be
   * written here. Absent: sessions of this format are not written, and go back as they came.
   */
  readonly write?: (messages: readonly RecordMessage[], like: Wire | undefined, place: WritePlace) => Wire | readonly Wire[]
  /** Blocks that need a record of their own: no other block of their message joins them. */
  readonly alone?: (block: Block) => boolean
  /**
   * Where results go that have no record yet. Default `own`: each into a record of its own. `together`: all of one message
   * into one record, that of the first result that has one. `with-user`: so, too, and what the user says next joins them.
   * `with-call`: into the record of their call. A function: as the records of the session have them.
   */
  readonly results?: ResultHome | ((records: readonly unknown[]) => ResultHome)
  /** All that the assistant does in one turn is one record, also where it takes several messages. Default: each is one. */
  readonly answers?: "joined"
  /** How a record is written depends on all the others: `write` is asked about untouched ones, too, and returns them as they are. */
  readonly writesAll?: true
  /** Records of results stay apart: neither messages nor further results join them. */
  readonly resultsApart?: true
  /** The id of a new session for which none is given. Default: a UUID. */
  readonly sessionId?: (seed: string, startedAt: string) => string
  /** The records before the first message of a new session. Absent: only its own sessions can be written. */
  readonly header?: (place: WritePlace) => readonly Wire[]
  /** The records after the last message of a new session. */
  readonly trailer?: (place: WritePlace) => readonly Wire[]
  /** New sessions are for reading: the agent does not take over a file that it did not make. Default with a header: any. */
  readonly writes?: "own"
  /** What changes elsewhere when records were added or left out: counts, names of records that are gone. */
  readonly afterWrite?: (records: readonly unknown[], change: WriteChange) => readonly unknown[]

  /** Who the conversation was held with, where the session says it apart from its messages. */
  readonly origin?: (value: unknown) => Origin
  readonly facts?: (record: Wire) => SessionFacts
  /** What the value around the records says of the session. It counts before what records say. */
  readonly about?: (value: unknown) => SessionFacts
  /** The records that count as messages of a session, which is then counted whole. Default: all that say something. */
  readonly counts?: (record: Wire) => boolean
  readonly marks: readonly Mark[]
  readonly valueMarks?: readonly ValueMark[]
  /** Where several sessions share a file. */
  readonly sessionsIn?: SessionCodec["session"]["sessionsIn"]
  /** For files that are no JSON. */
  readonly fromText?: SessionCodec["session"]["fromText"]
  readonly place?: (
    facts: SessionFacts,
    value: unknown,
  ) => Omit<SessionPlace, "path" | "resume" | "reopen"> & {
    readonly path: (name: string) => string
    readonly resume: (name: string) => string
    readonly reopen?: (name: string) => string
    readonly beside?: SessionPlace["beside"] & {}
    /** What is in the place of an id the session does not have. Default: session. */
    readonly otherwise?: string
  }
  readonly copy?: SessionCodec["session"]["copy"] & {}
}

export interface WriteChange {
  readonly before: readonly unknown[]
  /** Indices of the records that were read, in order. */
  readonly path: readonly number[]
  /** For each record that was read, its index now; -1 where it is gone or was moved. */
  readonly places: readonly number[]
}

/** What reading keeps for writing: in `Transcript.native`, under the name of the format. */
export interface SessionReading {
  readonly value: unknown
  readonly view: View
  readonly records: readonly unknown[]
  readonly path: readonly number[]
  /** Records that are in the file again further down. */
  readonly repeated: readonly number[]
  /** What each record said that became part of the transcript, in the order of the transcript. */
  readonly said: ReadonlyMap<number, readonly RecordMessage[]>
  readonly origins: Origins
  /** Records in a shape that is readable and is not what the agent writes: they are rewritten. */
  readonly irregular: ReadonlySet<number>
  readonly versions?: ReadonlyMap<number, Versions>
  readonly dropped?: ReadonlySet<number>
  /** The system text beside the records. */
  readonly system?: string
}

export const readingOf = (native: Message["native"], format: string): SessionReading | undefined => {
  const reading = native?.[format] as Partial<SessionReading> | undefined
  return reading?.origins instanceof Origins ? (reading as SessionReading) : undefined
}
