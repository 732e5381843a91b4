/** Streams in every direction, however they arrive: byte by byte, cut anywhere, with everything real servers do. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { gzipSync } from "node:zlib"
import { describe, expect, it, onTestFinished } from "vitest"
import { isExecutable, sseText, streamOf } from "ligature/record"
import { assistant, call, thinking, user } from "ligature"
import { type FakeApi } from "ligature/testing"
import { isBroken, plain, requestOf, say } from "./client.ts"
import { apis, paths, post, serve, upstreamTo } from "./serve.ts"

const pairs = apis.flatMap((client) => apis.filter((each) => each !== client).map((upstream) => [client, upstream] as const))

/** What a provider sends: bytes in pieces, then the end or a broken line. */
interface Sent {
  readonly pieces: readonly (string | Buffer)[]
  readonly broken?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const provider = async (next: () => Sent) => {
  const server = createServer(async (request, response) => {
    for await (const _ of request) void _
    const { pieces, broken, headers } = next()
    response.writeHead(200, { "content-type": "text/event-stream", ...headers })
    response.socket?.setNoDelay(true)
    for (const piece of pieces) {
      await new Promise<void>((resolve) => response.write(piece, () => resolve()))
      if (response.destroyed) return
    }
    if (broken === true) response.destroy()
    else response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const message = assistant(
  thinking("Höre 🎉"),
  'línea\n"quoted" 🎉',
  call("call_1", "read_file", { path: 'a\\b "c" 🎉' }),
  call("call_2", "bash", { deep: { list: [1, "}", null] } }),
)

const textOf = (api: FakeApi): string =>
  streamOf(message, api, {
    id: "resp_1",
    model: "m",
    usage: { inputTokens: 12, outputTokens: 34, native: {} },
    cut: (text) => text.match(/[^]{1,5}/gu) ?? [],
  })
    .events.map(sseText)
    .join("")

const words = (blocks: Parameters<typeof plain>[0]) => plain(blocks).filter((block) => !Object.hasOwn(block as object, "thinking"))

describe.each(pairs)("a stream for a client of %s from a provider of %s", (client, upstream) => {
  it("is the same answer whatever pieces it comes in", async () => {
    const bytes = Buffer.from(textOf(upstream))
    const ways: readonly Sent[] = [
      { pieces: [bytes] },
      { pieces: Array.from(bytes, (byte) => Buffer.from([byte])) },
      { pieces: [bytes.toString().replaceAll("\n", "\r\n")] },
      { pieces: [`: comment\n\n${bytes.toString().replaceAll("\n\n", "\n\n: ping\n\n")}`] },
      { pieces: [gzipSync(bytes)], headers: { "content-encoding": "gzip" } },
    ]
    let at = 0
    const gateway = await serve(upstreamTo(upstream, await provider(() => ways[at++] as Sent)))
    for (const _ of ways) {
      const { answer, recorded, blocks, objections } = await say(gateway.url, client, requestOf(client, [user("list")], true), true)
      expect([answer.broken, objections, recorded.complete, recorded.stop]).toEqual([false, [], true, "calls"])
      expect(words(blocks)).toEqual(words(message.blocks))
      expect([recorded.usage?.inputTokens, recorded.usage?.outputTokens]).toEqual([12, 34])
    }
  })

  it("that is cut never looks whole, and has no call that was not finished", async () => {
    const frames = textOf(upstream).split(/(?<=\n\n)/)
    const bytes = Buffer.from(frames.join(""))
    // Behind each event, and in the middle of each; the last one that matters is the end itself.
    const ends: number[] = []
    let length = 0
    for (const frame of frames) {
      const size = Buffer.byteLength(frame)
      ends.push(length + (size >> 1))
      length += size
      ends.push(length)
    }
    let cut = 0
    const gateway = await serve(upstreamTo(upstream, await provider(() => ({ pieces: [bytes.subarray(0, cut)], broken: true }))))
    const whole = words(message.blocks)
    const limit = ends.length - (upstream === "openai-chat" ? 6 : upstream === "anthropic" ? 5 : 3)
    for (cut of ends.slice(0, limit)) {
      const said = await say(gateway.url, client, requestOf(client, [user("list")], true), true)
      const { recorded, blocks } = said
      expect([cut, isBroken(client, said), recorded.complete]).toEqual([cut, true, false])
      for (const block of blocks) {
        if (block.type === "call" && isExecutable(block)) expect(whole).toContainEqual({ name: block.name, arguments: block.arguments })
      }
    }
  })

  it("that ends politely in the middle is broken, too", async () => {
    const text = textOf(upstream)
    const gateway = await serve(upstreamTo(upstream, await provider(() => ({ pieces: [text.slice(0, text.length >> 1)] }))))
    const said = await say(gateway.url, client, requestOf(client, [user("list")], true), true)
    expect([isBroken(client, said), said.recorded.complete]).toEqual([true, false])
  })
})

describe("an upstream that misbehaves", () => {
  it("with a broken encoding, an event without an end or no stream at all breaks one answer and nothing else", async () => {
    const ways: readonly Sent[] = [
      { pieces: ["no gzip"], headers: { "content-encoding": "gzip" } },
      { pieces: ["<html>sorry</html>"], headers: { "content-type": "text/html" } },
      { pieces: ['data: {"half": '] },
      { pieces: [] },
      { pieces: [textOf("openai-chat")] },
    ]
    let at = 0
    const gateway = await serve(upstreamTo("openai-chat", await provider(() => ways[at++] as Sent)))
    const ends: boolean[] = []
    for (const _ of ways) ends.push((await say(gateway.url, "anthropic", requestOf("anthropic", [user("list")], true), true)).answer.broken)
    expect(ends).toEqual([true, true, true, true, false])
  })

  it("that answers what is no JSON is a bad gateway", async () => {
    const gateway = await serve(upstreamTo("openai-chat", await provider(() => ({ pieces: ["<html>"] }))))
    const { answer } = await say(gateway.url, "anthropic", requestOf("anthropic", [user("list")], false), false)
    expect(answer.status).toBe(502)
  })
})

describe.each(apis)("a stream of %s that goes on as it is", (api) => {
  it("is broken where its last event is cut, and where a text only quotes how streams end", async () => {
    const text = textOf(api)
    const last = text.trimEnd().lastIndexOf("\n\n") + 2
    const first = text.slice(0, text.indexOf("\n\n", text.indexOf("\n\n") + 2) + 2)
    const quoted = [
      "[DONE]",
      "data: [DONE]",
      "event: message_stop",
      '"type":"message_stop"',
      '"finish_reason":"stop"',
      '"finishReason"',
      "response.completed",
    ]
    const ways: readonly Sent[] = [
      ...[0.4, 0.7, 0.95].map((share) => ({ pieces: [text.slice(0, last + Math.floor((text.trimEnd().length - last) * share))] })),
      { pieces: [first, `data: ${JSON.stringify({ text: quoted.join("\n") })}\n\n`] },
      { pieces: [text.trimEnd()] },
    ]
    let at = 0
    const gateway = await serve(upstreamTo(api, await provider(() => ways[at++] as Sent)))
    const cut: unknown[] = []
    for (const _ of ways) cut.push((await post(gateway.url + paths[api](true), requestOf(api, [user("list")], true))).broken)
    const isReset = api !== "gemini"
    // What Gemini clients take best is an error, where there is place for one.
    expect(cut.slice(0, 3)).toEqual([true, true, true])
    expect(cut.slice(3)).toEqual([isReset, false])
    const broke = ways.slice(1).map(() => "upstream-broke")
    expect(gateway.records.map(({ ended }) => ended)).toEqual([...broke, "complete"])
  })

  it("is broken where its provider ended it politely in the middle, and not where it was over, whatever pieces it came in", async () => {
    const text = textOf(api)
    const frames = text.split(/(?<=\n\n)/)
    const ways: readonly Sent[] = [
      { pieces: [frames.slice(0, frames.length >> 1).join("")] },
      { pieces: [text.slice(0, text.length >> 1)] },
      { pieces: [text] },
      { pieces: Array.from(Buffer.from(text), (byte) => Buffer.from([byte])) },
      { pieces: [gzipSync(text)], headers: { "content-encoding": "gzip" } },
    ]
    let at = 0
    const gateway = await serve(upstreamTo(api, await provider(() => ways[at++] as Sent)))
    const ends: unknown[] = []
    for (const _ of ways.slice(0, 4)) {
      const said = await say(gateway.url, api, requestOf(api, [user("list")], true), true)
      ends.push(said.recorded.complete)
      if (said.recorded.complete) expect(said.answer.text).toBe(text)
    }
    await post(gateway.url + paths[api](true), requestOf(api, [user("list")], true))
    expect(ends).toEqual([false, false, true, true])
    expect(gateway.records.map(({ ended }) => ended)).toEqual(["upstream-broke", "upstream-broke", "complete", "complete", "complete"])
  })
})
