/**
 * A simulation of tau2 → Transcript of its agent. Two models speak here: the agent and a simulated user, who has tools
 * as well. The default view is `effective`, what the agent saw: without the calls of the user and their results.
 * `whole` tells them as text of user messages, where they stood. They are never read as calls, because the agent made
 * none of them.
 */
import { type Diagnostic, isWire, type Message, type Transcript } from "../../model/index.ts"
import type { DecodeOptions } from "../../formats/engine/codec.ts"
import { malformedBlock, malformedMessage } from "../../formats/engine/malformed.ts"
import { format, readMessage } from "./read-message.ts"
import { isUserTraffic, messagesOf, simulationOf } from "./simulation.ts"

export const decode = (value: unknown, options: DecodeOptions = {}): Transcript => {
  const simulation = simulationOf(value)
  const messages: Message[] = []
  const diagnostics: Diagnostic[] = []
  messagesOf(simulation).forEach((record, index) => {
    if (options.view !== "whole" && isWire(record) && isUserTraffic(record)) return
    const message = readMessage(record)
    if (message) {
      messages.push(message)
      return
    }
    const place = { message: messages.length, path: `messages[${index}]` }
    diagnostics.push(malformedMessage(place, "Expected a message with role system, user, assistant or tool"))
    messages.push({ role: "user", blocks: [malformedBlock(format, record)], native: { [format]: record } })
  })
  return {
    format,
    messages,
    native: { [format]: simulation },
    ...(options.source !== undefined && { source: options.source }),
    ...(diagnostics.length > 0 && { diagnostics }),
  }
}

export { format }
