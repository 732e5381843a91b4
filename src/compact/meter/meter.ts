/**
 * Measures histories. Sizes of blocks are remembered by object, so that measuring after one more exchange costs
 * O(new).
 */
import type { Block, Item, Message } from "../../model/index.ts"
import type { Size } from "../size.ts"

export interface Meter {
  /** By which share its counts may be too high. Shares of a budget are taken that much wider. Default 0: it is exact. */
  readonly tolerance?: number
  /** Tokens of a bare text. */
  readonly count: (text: string) => number
  /** Tokens, and the bytes the text has inside a JSON request: UTF-8 with escapes. */
  readonly sizeOfText: (text: string) => Size
  readonly sizeOfBlock: (block: Block) => Size
  readonly sizeOfMessage: (message: Message) => Size
  /** With what the wire adds around messages, calls and results. */
  readonly sizeOfItem: (item: Item) => Size
  /** Tool definitions as a request carries them, or any other JSON value that is sent along. */
  readonly sizeOfTools: (tools: unknown) => Size
}
