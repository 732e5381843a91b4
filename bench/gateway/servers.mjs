/**
 * The other side of the measurement, one process each: `upstream` answers every request, `bare` is a pipe proxy of twenty
 * lines, `gateway` is ours. They say where they are and, when asked, how much CPU they have used.
 */
import http from "node:http"
import process from "node:process"

const [, , role, upstream] = process.argv

const answer = JSON.stringify({
  id: "x",
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
})

const startUpstream = () =>
  http.createServer((request, response) => {
    request.resume()
    request.once("end", () => response.writeHead(200, { "content-type": "application/json", "content-length": answer.length }).end(answer))
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

process.on("message", () => process.send({ cpu: process.cpuUsage(), rss: process.memoryUsage().rss }))

if (role === "gateway") {
  const { readConfig, startGateway } = await import("ligature-gateway")
  const { url } = await startGateway(readConfig({ port: 0, upstreams: { it: { wire: "openai-chat", url: upstream } } }))
  process.send({ url })
} else {
  const server = role === "bare" ? startBare() : startUpstream()
  server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }))
}
