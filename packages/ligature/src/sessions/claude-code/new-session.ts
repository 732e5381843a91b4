/** A conversation of another origin as a new session file. */
import type { Conversation, Wire } from "../../model/index.ts"
import type { EncodeOptions } from "../../formats/engine/codec.ts"
import { conversationSeed, deriveUuid } from "../engine/derived-id.ts"
import { isoTimes } from "../engine/iso-time.ts"
import { format, textIn } from "./tree/record.ts"
import { Composer } from "./composer.ts"
import { type Part, partsOf } from "./parts.ts"

/** The version whose records these resemble. */
const writtenVersion = "2.1.143"

const callsIn = (part: Part): boolean => part.blocks.some((block) => block.type === "call")

class SessionWriter {
  readonly records: Wire[] = []
  private readonly composer: Composer
  /** Record of each call of the reply at hand. */
  private readonly callRecords = new Map<string, string>()

  constructor(composer: Composer) {
    this.composer = composer
  }

  part(part: Part): void {
    switch (part.kind) {
      case "reply":
        this.callRecords.clear()
        for (const record of this.composer.reply({ wires: part.wires, model: part.model, calls: callsIn(part) })) {
          this.records.push(record)
        }
        part.blocks.forEach((block, index) => {
          const uuid = textIn(this.records[this.records.length - part.blocks.length + index], "uuid")
          if (block.type === "call" && uuid !== undefined) this.callRecords.set(block.id, uuid)
        })
        return
      case "result":
        for (const wire of part.wires) {
          this.records.push(this.composer.result(wire, this.callRecords.get(part.call?.id ?? "")))
        }
        return
      case "words":
        this.words(part)
    }
  }

  private words(part: Part): void {
    if (part.summary === true && this.records.length > 0) this.records.push(this.composer.boundary())
    const marks = part.summary === true ? { isVisibleInTranscriptOnly: true, isCompactSummary: true } : {}
    this.records.push(this.composer.words(part.wires, part.system === true ? { isMeta: true } : marks))
  }
}

export const newSession = (conversation: Conversation, options: EncodeOptions): readonly Wire[] => {
  const { session = {} } = options
  const seed = session.id ?? conversationSeed(conversation)
  const sessionId = session.id ?? deriveUuid(format, seed)
  const envelope = {
    isSidechain: false,
    userType: "external",
    cwd: session.folder ?? "/",
    sessionId,
    version: writtenVersion,
    gitBranch: "",
  }
  const writer = new SessionWriter(new Composer({ envelope, seed, time: isoTimes(session.startedAt), parent: null }))
  for (const part of partsOf(conversation, format)) writer.part(part)
  const title = session.title === undefined ? [] : [{ type: "custom-title", customTitle: session.title, sessionId }]
  return [...writer.records, ...title]
}
