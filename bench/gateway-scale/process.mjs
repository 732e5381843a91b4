/** The processes of the measurement: a gateway, a pipe proxy of ten lines, a provider that answers with the next call of the history. */
import http from "node:http"
import process from "node:process"

const [, , role, given = "{}"] = process.argv

process.on("message", (asked) => {
  if (asked === "collected") globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.send({ cpu: process.cpuUsage(), rss, heap: heapUsed })
})

const answerTo = (body) => {
  const { messages } = JSON.parse(body)
  const [, sample = "0"] = /Sample (\d+)/.exec(JSON.stringify(messages.slice(0, 2))) ?? []
  const turn = Math.floor((messages.length - 2) / 2)
  const call = { name: "bash", arguments: JSON.stringify({ command: `make step-${turn} NUMBER=${sample}` }) }
  const message = {
    role: "assistant",
    content: `Step ${turn} of ${sample}.`,
    tool_calls: [{ id: `call_${sample}_${turn}`, type: "function", function: call }],
  }
  return JSON.stringify({
    id: `chatcmpl-${sample}-${turn}`,
    object: "chat.completion",
    model: "m-1",
    choices: [{ index: 0, message, finish_reason: "tool_calls" }],
    usage: { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 },
  })
}

if (role === "gateway") {
  const { readConfig, startGateway } = await import("ligature-gateway")
  const { url } = await startGateway(readConfig(JSON.parse(given)), { onError: (error) => console.error(String(error)) })
  process.send({ url })
} else if (role === "bare") {
  const agent = new http.Agent({ keepAlive: true })
  const { hostname, port } = new URL(JSON.parse(given).to)
  const server = http.createServer((request, response) => {
    const sent = http.request({ hostname, port, agent, method: request.method, path: request.url, headers: request.headers }, (got) => {
      response.writeHead(got.statusCode, got.headers)
      got.pipe(response)
    })
    request.pipe(sent)
  })
  server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
} else {
  const server = http.createServer((request, response) => {
    const chunks = []
    request.on("data", (chunk) => chunks.push(chunk))
    request.once("end", () => {
      const answer = answerTo(Buffer.concat(chunks).toString("utf8"))
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) }).end(answer)
    })
  })
  server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
}
