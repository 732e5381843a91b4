/** Asks a model of a configured provider for a summary. */
import { convertSettings, encode, settle } from "ligature"
import type { Summarise } from "ligature/compact"
import { createRecorder } from "ligature/record"
import { readWhole } from "../answer/read-answer.ts"
import type { Upstream } from "../config/config.ts"
import { type Connections, Stop } from "../upstream/send.ts"
import { wires } from "../wires/index.ts"

export const summariserOf = (connections: Connections, upstream: Upstream, model: string, idleMs: number): Summarise => {
  const wire = wires[upstream.wire]
  return async ({ instructions, material, answerTokens }, { signal, temperature }) => {
    const { conversation } = settle({
      format: "ligature",
      messages: [
        { role: "system", blocks: [{ type: "text", text: instructions }] },
        { role: "user", blocks: [{ type: "text", text: material }] },
      ],
    })
    const given = { model, max_tokens: answerTokens, temperature }
    const { fields } = convertSettings(given, {
      from: "openai-chat",
      to: wire.name,
      profile: upstream.profile as never,
      replace: { model, stream: false },
    })
    const body = { ...fields, ...(encode(conversation, upstream.profile as never, { model }).value as object) }
    const stop = new Stop()
    signal.addEventListener("abort", () => stop.stop(), { once: true })
    const answer = await connections.send({
      upstream,
      method: "POST",
      path: wire.path("generate", model, false),
      headers: [
        ["content-type", "application/json"],
        ["accept", "application/json"],
        ["accept-encoding", "identity"],
        ...Object.entries(wire.headers),
        ...(upstream.key === undefined ? [] : [wire.keyHeader(upstream.key)]),
        ...Object.entries(upstream.headers),
      ],
      body: Buffer.from(JSON.stringify(body)),
      idleMs,
      stop,
    })
    const text = (await readWhole(answer)).toString("utf8")
    const { statusCode: status = 0 } = answer
    if (status >= 400) throw new Error(`The summariser answered ${status}: ${text.slice(0, 300)}`)
    const recorder = createRecorder(wire.name, { events: false })
    recorder.push(JSON.parse(text))
    return recorder.end().message
  }
}
