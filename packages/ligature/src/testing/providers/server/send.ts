/**
 * Writing a reply to the socket: whole JSON, server-sent events, or Gemini's streamed array, with the failures a script
 * asks for.
 */
import type { ServerResponse } from "node:http"
import type { Api } from "./apis.ts"
import type { ScriptedReply, WireEvent } from "./script.ts"

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  isCut = false,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(value)
  const length = Buffer.byteLength(text)
  response.writeHead(status, { ...headers, "content-type": "application/json", "content-length": length })
  if (isCut) response.write(text.slice(0, text.length >> 1), () => response.destroy())
  else response.end(text)
}

interface Stream {
  readonly reply: ScriptedReply
  readonly api: Api
  readonly isArray: boolean
}

export async function sendEvents(
  response: ServerResponse,
  events: readonly WireEvent[],
  { reply, api, isArray }: Stream,
): Promise<void> {
  response.writeHead(200, {
    "content-type": isArray ? "application/json" : "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  })
  const failure = reply.streamError
  const sent = failure === undefined
    ? events
    : [...events.slice(0, failure.afterEvents), api.replies.streamError(failure.message)]
  for (let index = 0; index < sent.length; index++) {
    const event = sent[index]
    if (index === reply.cutAfterEvents || event === undefined || response.destroyed) break
    if (index > 0 && reply.eventDelayMs !== undefined) {
      await new Promise(resolve => setTimeout(resolve, reply.eventDelayMs))
    }
    const text = isArray
      ? `${index === 0 ? "[" : ",\r\n"}${JSON.stringify(event.value)}`
      : eventText(event, api.lineEnd)
    await write(response, text)
  }
  if (reply.cutAfterEvents !== undefined && reply.cutAfterEvents < sent.length) response.destroy()
  else response.end(isArray ? "]" : "")
}

function eventText({ name, value }: WireEvent, lineEnd: string): string {
  const line = `data: ${typeof value === "string" ? value : JSON.stringify(value)}${lineEnd}${lineEnd}`
  return name === undefined ? line : `event: ${name}${lineEnd}${line}`
}

/** Resolves when the bytes are with the socket, so that a cut comes after them and not instead of them. */
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise(resolve => {
    response.write(text, () => resolve())
  })
}
