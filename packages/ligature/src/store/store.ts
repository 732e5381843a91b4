/**
 * The store: a durable home for conversations. One interface for files, embedded databases and servers; it knows
 * nothing of files or tables.
 *
 * What it promises, whatever the store:
 *
 * 1. An append happens whole or not at all, and only on the tip the caller expected. Else a `conflict` names the real tip.
 * 2. An append whose acknowledgement was lost can be repeated with its operation id: the first outcome comes back.
 * 3. Nothing that was acknowledged changes or vanishes, except by `remove`.
 * 4. While somebody holds the lease of a conversation, nobody else appends; a lease that was taken over never writes again.
 * 5. `load` gives a Transcript. Whether it is valid is for `settle` to say, also when the store was never damaged.
 *
 *     const store = jsonlStore({ folder: "conversations" })
 *     const { id } = await store.create()
 *     const { tip } = await store.append(id, [{ kind: "message", message: user("hi") }])
 *     await store.append(id, [{ kind: "message", message: assistant("hello") }], { expectedTip: tip })
 *     const { conversation } = settle((await store.load(id)).transcript)
 */
import type { Diagnostic, Transcript } from "../model/index.ts"
import type { Dump, Restored, RestoreOptions } from "./dump.ts"
import type { Entry, NewEntry } from "./entry.ts"
import type { Lease, LeaseRequest } from "./lease.ts"

/** The conversation that started another one, as an agent starts a sub-agent. */
export interface ParentLink {
  readonly conversation: string
  /** The id of the tool call in the parent that started it, where that is known. */
  readonly call?: string
}

/** What a list shows of a conversation. */
export interface ConversationRecord {
  readonly id: string
  readonly title?: string
  /** Milliseconds since 1970. */
  readonly created: number
  /** When the last entry was written; `created` while there is none. */
  readonly updated: number
  /** Where it came from, if it is a fork. */
  readonly forkedFrom?: { readonly conversation: string; readonly entry: string | null }
  /** The conversation that started it; `list({ parent })` finds it from there. Its parent may be gone, or elsewhere. */
  readonly parent?: ParentLink
}

export interface CreateOptions {
  /** Default: a new unique id. Any non-empty text. */
  readonly id?: string
  readonly title?: string
  /** The conversation it belongs to, for example that of the agent that started a sub-agent. Not checked for existence. */
  readonly parent?: ParentLink
  /** Repeating a create with the same operation gives the same conversation instead of an `exists` error. */
  readonly operation?: string
}

export interface AppendOptions {
  /** The entry the caller believes to be the newest; null: none yet. Omitted: append wherever the tip is. */
  readonly expectedTip?: string | null
  /** Names this append: repeating it has no second effect. Default: a new unique id. */
  readonly operation?: string
  /** The lease under which this is written. Without one, a lease of anybody refuses the append. */
  readonly lease?: Lease
  /**
   * Whether it must survive a power cut before it is acknowledged. Default: as the store's durability says. Every
   * acknowledged append survives the death of the process in any case.
   */
  readonly durable?: boolean
}

export interface Appended {
  readonly tip: string | null
  /** The ids of the entries, in the order given. */
  readonly ids: readonly string[]
  readonly operation: string
  /** True when this operation had been written before. */
  readonly repeated: boolean
}

export interface LoadOptions {
  /** Load the path that ends here; null: the empty path. Default: the tip. */
  readonly at?: string | null
  /** Only this many entries, the newest. Default: all. */
  readonly last?: number
}

export interface Loaded extends ConversationRecord {
  /** Where the next append goes, also when another path was asked for. */
  readonly tip: string | null
  /** The path, oldest first. */
  readonly entries: readonly Entry[]
  /** False when `last` left out the beginning. */
  readonly whole: boolean
  /** What a model would see of the path: hidden entries left out, summaries in place of what they cover. */
  readonly transcript: Transcript
  /** The entry of each message of the transcript. */
  readonly sources: readonly string[]
  /** Summaries and hides on the path that do not count, because what they cover is not there or says something else. */
  readonly stale: readonly string[]
  /** What the store had to salvage, anywhere in the conversation. */
  readonly damage: readonly Diagnostic[]
}

export interface ForkOptions {
  /** Copy the path that ends here. Default: the tip. */
  readonly at?: string | null
  readonly id?: string
  /** Default: the title of the original. */
  readonly title?: string
  readonly operation?: string
}

export interface RemoveOptions {
  /** The lease under which this is done. Without one, a lease of anybody refuses it. */
  readonly lease?: Lease
  /** Only if the last entry was written before this time (milliseconds since 1970); else a `conflict`. */
  readonly updatedBefore?: number
}

/** The end of one branch. */
export interface Branch {
  readonly tip: string
  readonly at: number
  /** Whether the conversation's tip is here. */
  readonly active: boolean
}

export interface ListOptions {
  /** Default 50. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
  /** Only the conversations that this one started, or one of these. Default: all. */
  readonly parent?: string | readonly string[]
}

export interface Page {
  /** Newest first. */
  readonly conversations: readonly ConversationRecord[]
  /** Give it as `after` for the next page; absent on the last one. */
  readonly next?: string
  /** Things in the store that are not readable as conversations; they are left alone. */
  readonly unreadable: readonly { readonly name: string; readonly why: string }[]
}

/** What keeps others from writing to a conversation. */
export interface Holding {
  /**
   * `lease`: somebody's right to write, or to do the work of another slot. `lock`: a commit that did not end.
   * `machine`: another machine uses the folder of the store.
   */
  readonly type: "lease" | "lock" | "machine"
  readonly holder: string
  /** Of a lease. */
  readonly slot?: string
  readonly generation?: number
  /** Of a lease: when it runs out, in milliseconds since 1970. */
  readonly expires?: number
}

export interface UnlockOptions {
  /** Take it away from whoever holds it. Default: only say who does. */
  readonly force?: boolean
}

export interface Store {
  create(options?: CreateOptions): Promise<ConversationRecord>
  /** Writes entries after the tip, in order. A `tip` entry moves the tip for the entries after it in the same append. */
  append(id: string, entries: readonly NewEntry[], options?: AppendOptions): Promise<Appended>
  load(id: string, options?: LoadOptions): Promise<Loaded>
  /** Rewinds or switches the branch: the next entry goes after `to`. Nothing is deleted. */
  moveTip(id: string, to: string | null, options?: AppendOptions): Promise<Appended>
  /** The ends of all branches, in the order they were written. */
  branches(id: string): Promise<readonly Branch[]>
  /** A new conversation with a copy of a path; entries keep their ids, so hides and summaries keep their meaning. */
  fork(id: string, options?: ForkOptions): Promise<ConversationRecord>
  list(options?: ListOptions): Promise<Page>
  /** The conversation as a whole, for a backup or another store. */
  dump(id: string): Promise<Dump>
  /**
   * Writes a dump, with its ids, times and operations. A conversation of that name that is equal stays as it is; for another
   * one it throws `exists` and changes nothing.
   */
  restore(dump: Dump, options?: RestoreOptions): Promise<Restored>
  /** Takes the lease of a slot. Throws `held` while another owner's lease runs; the same owner replaces its own. */
  acquire(id: string, request: LeaseRequest): Promise<Lease>
  /** Prolongs a lease; also one that ran out, while nobody else took it. Throws `lease-lost` otherwise. */
  renew(id: string, lease: Lease, durationMs: number): Promise<Lease>
  /** Gives a lease back. A lease that was lost is lost already: no error. */
  release(id: string, lease: Lease): Promise<void>
  /**
   * What keeps others from writing to the conversation. With `force`, for a person who knows that the holders are gone, or may
   * be stopped: leases are ended, and whoever held one gets `lease-lost`; locks of processes that cannot be asked are broken.
   */
  unlock(id: string, options?: UnlockOptions): Promise<readonly Holding[]>
  /**
   * Deletes the conversation for good: afterwards no file of the store has its contents or its title. (A server keeps deleted
   * rows until it is vacuumed; so do backups and the disk itself what they keep.) Refused while somebody else holds a lease
   * of it, in any slot. Forks are copies and stay.
   */
  remove(id: string, options?: RemoveOptions): Promise<void>
  /** When it returns, everything acknowledged so far survives a power cut. */
  flush(): Promise<void>
  /** Flushes and lets go of everything. Using the store afterwards is an error. */
  close(): Promise<void>
}

/**
 * Every acknowledged append survives the death of the process. What survives a power cut or a crash of the system:
 *
 * - `turn` (default): everything up to the last user message and up to the last finished answer. Two flushes per turn,
 *   however many calls it has.
 * - `entry`: every append. Appends that wait at the same time share a flush.
 * - `none`: whatever the system wrote by itself, until `flush` or `close`.
 */
export type Durability = "turn" | "entry" | "none"

/** What the user said, and an answer that asks for nothing more. */
const marksTurn = (entry: NewEntry): boolean => {
  if (entry.kind !== "message") return entry.kind === "summary" || entry.kind === "tip"
  const { role, blocks } = entry.message
  return role === "user" || (role === "assistant" && blocks.every((block) => block.type !== "call"))
}

export const mustFlush = (durability: Durability, entries: readonly NewEntry[]): boolean =>
  durability === "entry" || (durability === "turn" && entries.some(marksTurn))
