/**
 * The other side of the measurement, one process each: `upstream` answers every request, `bare` is a pipe proxy of twenty
 * lines. They say where they are and, when asked, how much CPU and memory they have used.
 */
import http from "node:http"
import process from "node:process"

const [, , role, upstream] = process.argv

const answers = {
  "openai-chat": {
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  },
  anthropic: {
    id: "x",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "ok" }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  },
}

/** Each event has the time at which it was sent in its text. */
const events = 20
const pauseMs = 10
const sentAt = () => `@${process.hrtime.bigint()};`

const streams = {
  "openai-chat": {
    open: () => [{ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: { role: "assistant", content: "" } }] }],
    part: () => ({ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: sentAt() } }] }),
    close: () => [{ id: "x", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }, "[DONE]"],
  },
  anthropic: {
    open: () => [
      { type: "message_start", message: { ...answers.anthropic, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ],
    part: () => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: sentAt() } }),
    close: () => [
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 20 } },
      { type: "message_stop" },
    ],
  },
}

const frame = (event) =>
  typeof event === "string"
    ? `data: ${event}\n\n`
    : `${event.type === undefined ? "" : `event: ${event.type}\n`}data: ${JSON.stringify(event)}\n\n`

const stream = (wire, response) => {
  const { open, part, close } = streams[wire]
  response.writeHead(200, { "content-type": "text/event-stream" })
  response.write(open().map(frame).join("") + frame(part()))
  let sent = 1
  const timer = setInterval(() => {
    if (sent++ < events) return response.write(frame(part()))
    clearInterval(timer)
    response.end(close().map(frame).join(""))
  }, pauseMs)
}

const startUpstream = () =>
  http.createServer((request, response) => {
    const wire = request.url.includes("/messages") ? "anthropic" : "openai-chat"
    let isStream = false
    let end = ""
    request.on("data", (chunk) => {
      isStream ||= chunk.includes('"stream":true') || (end + chunk.toString("latin1", 0, 16)).includes('"stream":true')
      end = (end + chunk.toString("latin1", Math.max(0, chunk.length - 16))).slice(-16)
    })
    request.once("end", () => {
      if (isStream) return stream(wire, response)
      const answer = JSON.stringify(answers[wire])
      response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer)
    })
  })

const startBare = () => {
  const agent = new http.Agent({ keepAlive: true })
  const { hostname, port } = new URL(upstream)
  return http.createServer((request, response) => {
    const sent = http.request({ hostname, port, agent, method: request.method, path: request.url, headers: request.headers }, (got) => {
      response.writeHead(got.statusCode, got.headers)
      got.pipe(response)
    })
    request.pipe(sent)
  })
}

process.on("message", () => {
  const { rss } = process.memoryUsage()
  process.send({ cpu: process.cpuUsage(), rss, peak: process.resourceUsage().maxRSS * 1024 })
})

const server = role === "bare" ? startBare() : startUpstream()
// Some of those who are measured take longer than the usual five seconds between two requests.
server.keepAliveTimeout = 120_000
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
