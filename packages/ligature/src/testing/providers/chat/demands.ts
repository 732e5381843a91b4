/**
 * What tells one Chat Completions server from another, as data for the shared judge. A server that differs in more than
 * these switches adds its own pass (`extra`), which runs after the shared ones unless it says otherwise.
 */
import type { MediaDemands } from "../media/judge-media.ts"
import type { ErrorBody, JudgeOptions, Violation } from "../verdict.ts"
import type { WireObject } from "../wire.ts"

export interface ChatDemands {
  readonly errorBody: ErrorBody
  /** Prefix of the rule ids for shapes that no named rule describes. */
  readonly name: string
  /** Longest id of a call; `undefined` if the server does not count. */
  readonly idLength: number | undefined
  /** Whether the server parses `arguments` and fails on what is not an object. */
  readonly parsesArguments: boolean
  /** Whether and how unknown message keys are refused. */
  readonly unknownKeys: (role: string, key: string, message: number) => Violation | undefined
  /** Message keys beyond the published ones that this server takes. */
  readonly toleratedKeys: ReadonlySet<string>
  /** The text for calls without a response. */
  readonly unanswered: (ids: readonly string[]) => string
  readonly orphan: string
  /** If set: every message needs content, and this is the finding for one without. */
  readonly emptyContent?: (message: number) => Violation
  /** The finding for a name of a wrong shape, where it is not the usual one. */
  readonly functionName?: (name: string) => Violation
  /** Types of content parts beyond OpenAI's that user and assistant messages may hold here. */
  readonly extraParts?: ReadonlySet<string>
  /** The finding for a part that this role may not hold, where it is not the usual one. */
  readonly chunkTypes?: (role: string, type: string) => Violation
  /** The finding for an assistant message without content and without calls, where it is not the usual one. */
  readonly emptyAssistant?: () => Violation
  /** The finding for a call or result without an id, where it is not the usual one. */
  readonly missingId?: Violation
  /** What the server takes of images and files; undefined where its messages are text. */
  readonly media?: MediaDemands
  /** Longest text of a message; undefined if the server does not count. */
  readonly textLength?: number
  /** Judged before the shared passes: a server whose own order table speaks first. */
  readonly before?: (messages: readonly WireObject[], body: WireObject, options: ChatContext) => Violation | undefined
  /** Judged after the shared passes. */
  readonly extra?: (messages: readonly WireObject[], body: WireObject, options: ChatContext) => Violation | undefined
  /** Whether pairing is judged by `before` instead of the shared pass. */
  readonly ownPairing?: boolean
}

export interface ChatContext {
  readonly model: string | undefined
  readonly options: JudgeOptions | undefined
}
