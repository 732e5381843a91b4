/** The list of models for a client of another wire than the upstream: what the upstream lists, and what rules name. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { readWhole } from "../answer/read-answer.ts"
import type { Config, Upstream } from "../config/config.ts"
import { targetOf } from "../server/target.ts"
import { wires } from "../wires/index.ts"
import { isJson, type Wire } from "../wires/wire.ts"
import { writeFailure, writeJson } from "./turn.ts"

type Send = (path: string, headers: readonly (readonly [string, string])[]) => Promise<IncomingMessage>

const mostListBytes = 4 << 20

/** Names of models, however a provider lists them. */
const idsIn = (text: string): readonly string[] => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return []
  }
  const list = isJson(value) ? (value["data"] ?? value["models"]) : undefined
  if (!Array.isArray(list)) return []
  return list.flatMap((each) => {
    const id = isJson(each) ? (each["id"] ?? each["name"]) : undefined
    return typeof id === "string" ? [id.replace(/^models\//, "")] : []
  })
}

const listed = async (upstream: Upstream, send: Send): Promise<readonly string[]> => {
  const { modelsPath, headers, keyHeader } = wires[upstream.wire]
  const key = upstream.key === undefined ? [] : [keyHeader(upstream.key)]
  try {
    const answer = await send(modelsPath, [...Object.entries(headers), ...key, ...Object.entries(upstream.headers)])
    const text = (await readWhole(answer, mostListBytes)).toString("utf8")
    return answer.statusCode === 200 ? idsIn(text) : []
  } catch {
    // Who cannot list its models can still answer.
    return []
  }
}

export const answerModels = async (
  request: IncomingMessage,
  response: ServerResponse,
  { config, upstream, wire }: { readonly config: Config; readonly upstream: Upstream; readonly wire: Wire },
  send: Send,
): Promise<void> => {
  const named = config.models.flatMap(({ name }) => name ?? [])
  const ids = [...new Set([...named, ...(await listed(upstream, send))])]
  const one = /\/models\/(.+)$/.exec(targetOf(request.url).path)?.[1]
  if (one === undefined) return writeJson(response, 200, wire.modelsBody(ids))
  if (ids.includes(one)) return writeJson(response, 200, wire.modelBody(one))
  writeFailure(response, wire, { status: 404, message: `There is no model ${one}` })
}
