/** What is measured. All servers are asked in turns, so that whatever else the machine does hits all of them alike. */
import { bodyOf } from "./bodies.mjs"
import { ask, usageOf } from "./processes.mjs"

const at = (values, share) => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

const cpuMs = (after, before) => (after.cpu.user + after.cpu.system - before.cpu.user - before.cpu.system) / 1000

/** Answers that are no stream: milliseconds beyond those of the upstream itself, and CPU, beside the bare proxy (the second). */
export const latency = async (servers, { wire, bytes, kind, count, warm = 100 }) => {
  const bodies = (length, salt) =>
    Array.from({ length }, (_, turn) =>
      kind === "grows"
        ? bodyOf(wire, bytes, { salt: kind + bytes + salt, turns: turn })
        : bodyOf(wire, bytes, { salt: `${kind}${bytes}${salt}-${turn}` }),
    )
  // A server runs for long: what it does often is compiled.
  const before = bodies(Math.min(warm, count), "before")
  for (const server of servers) for (const body of before) await ask(server, wire, body)
  const list = bodies(count, "")
  const times = servers.map(() => [])
  const cpu = servers.map(() => 0)
  // In turns of a few, so that what a server does after its answer counts for it and not for the next one.
  const each = kind === "grows" && bytes < 1e6 ? 10 : 5
  for (let from = 0; from < list.length; from += each) {
    for (const [index, server] of servers.entries()) {
      const before = await server.usage()
      for (const body of list.slice(from, from + each)) times[index].push((await ask(server, wire, body)).ms)
      cpu[index] += cpuMs(await server.usage(), before)
    }
  }
  const direct = at(times[0], 0.5)
  const bare = at(times[1], 0.5) - direct
  return servers.slice(1).map(({ role }, index) => {
    const p50 = at(times[index + 1], 0.5)
    return {
      server: role,
      p50,
      added: p50 - direct,
      addedToBare: (p50 - direct) / bare,
      cpu: cpu[index + 1] / count,
      cpuToBare: cpu[index + 1] / cpu[1],
    }
  })
}

/** Streams of twenty events: the time to the first byte beyond that of the upstream itself, and how late the events arrive. */
export const streams = async (servers, { wire, bytes, count, model = "m" }) => {
  const results = servers.map(() => ({ first: [], lags: [] }))
  // A server runs for long: what it does often is compiled.
  for (const server of servers) {
    for (let batch = 0; batch < 3; batch++) {
      const bodies = Array.from({ length: 12 }, (_, at) =>
        bodyOf(wire, bytes, { salt: `warm${bytes}${model}${at}`, turns: batch, stream: true, model }),
      )
      await Promise.all(bodies.map((body) => ask(server, wire, body)))
    }
  }
  for (let turn = -2; turn < count; turn++) {
    const body = bodyOf(wire, bytes, { salt: `stream${bytes}${model}`, turns: turn + 2, stream: true, model })
    for (const [index, server] of servers.entries()) {
      const { firstMs, lags } = await ask(server, wire, body)
      if (turn < 0) continue
      results[index].first.push(firstMs)
      results[index].lags.push(...lags)
    }
  }
  const direct = at(results[0].first, 0.5)
  return servers.slice(1).map(({ role }, index) => {
    const { first, lags } = results[index + 1]
    return { server: role, first: at(first, 0.5) - direct, lag50: at(lags, 0.5), lag95: at(lags, 0.95) }
  })
}

/** The memory of one server after many requests of many conversations, and after large ones at the same time. */
export const memory = async (server, { requests }) => {
  const conversations = 50
  let next = 0
  const worker = async () => {
    while (next < requests) {
      const turn = next++
      await ask(
        server,
        "openai-chat",
        bodyOf("openai-chat", 210_000, { salt: `m${turn % conversations}`, turns: Math.floor(turn / conversations) % 60 }),
      )
    }
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  const many = usageOf(server.pid).rss
  const large = Array.from({ length: 32 }, (_, index) => bodyOf("openai-chat", 2_000_000, { salt: `large${index}` }))
  let most = 0
  for (let round = 0; round < 5; round++) {
    const sampler = setInterval(() => (most = Math.max(most, usageOf(server.pid).rss)), 20)
    await Promise.all(large.map((body) => ask(server, "openai-chat", body)))
    clearInterval(sampler)
  }
  return { many, most }
}
