/**
 * Messages and parts whose id names nothing (redacted) or another one too: the agent stores each under its id, so
 * that an import would refuse or lose them. They get ids that sort where they stand. What is sound is not touched.
 */
import { isWire, type Wire } from "../../model/index.ts"
import { stringOf, wireOf } from "../engine/fields.ts"
import { idOf, infoOf, numberOf, partsOf } from "./fields.ts"
import { idAfter, timedId } from "./timed-id.ts"

class Names {
  private readonly taken = new Set<string>()
  private made = 0

  /** True when the id was free; it is taken now. */
  take(id: string): boolean {
    if (id === "" || this.taken.has(id)) return false
    this.taken.add(id)
    return true
  }

  ordinal(): number {
    return this.made++
  }
}

const renewPart = (part: unknown, messageID: string, session: string, previous: string, names: Names): unknown => {
  // A value that was put together from tables may say no ids at all.
  if (!isWire(part) || part["id"] === undefined) return part
  const given = idOf(part)
  const id = names.take(given) ? given : idAfter("prt", previous, names.ordinal())
  const sound = part["id"] === id && (part["messageID"] ?? messageID) === messageID
  return sound ? part : { ...part, id, messageID, ...(session !== "" && { sessionID: session }) }
}

const renewParts = (message: Wire, messageID: string, session: string, names: Names): readonly unknown[] => {
  const before = partsOf(message)
  let after: unknown[] | undefined
  let previous = messageID
  for (let index = 0; index < before.length; index++) {
    const next = renewPart(before[index], messageID, session, previous, names)
    if (isWire(next)) previous = stringOf(next["id"]) || previous
    if (next !== before[index]) after ??= before.slice(0, index)
    after?.push(next)
  }
  return after ?? before
}

/** Values that are no messages, and whatever is whole, come back as they are. */
export const renewIds = (session: Wire, messages: readonly unknown[]): readonly unknown[] => {
  const parts = new Names()
  const ids = new Names()
  const sessionId = idOf(session)
  const seed = stringOf(session["id"])
  let lastUser = ""
  let previous = ""
  let after: unknown[] | undefined
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]
    let next = message
    const info = isWire(message) ? infoOf(message) : {}
    if (isWire(message) && Array.isArray(message["parts"]) && info["id"] !== undefined) {
      const created = numberOf(wireOf(info["time"])["created"])
      const given = idOf(info)
      const made = (): string =>
        previous === "" && created !== undefined
          ? timedId("msg", created, 0, seed)
          : idAfter("msg", previous, ids.ordinal())
      const id = ids.take(given) ? given : made()
      const named = info["role"] !== "assistant" || idOf({ id: info["parentID"] }) !== "" || lastUser === ""
      const fresh = id === info["id"] && named ? info : { ...info, id, ...(!named && { parentID: lastUser }) }
      const list =
        id === info["id"] ? renewParts(message, stringOf(id), "", parts) : renewParts(message, id, sessionId, parts)
      if (fresh !== info || list !== partsOf(message)) next = { ...message, info: fresh, parts: list }
      if (info["role"] === "user") lastUser = id
      previous = id
    }
    if (next !== message) after ??= messages.slice(0, index)
    after?.push(next)
  }
  return after ?? messages
}
