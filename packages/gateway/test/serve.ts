/** A gateway before fake providers, for tests: real HTTP on 127.0.0.1. */
import { request as ask } from "node:http"
import type { IncomingHttpHeaders } from "node:http"
import { onTestFinished } from "vitest"
import { type FakeApi, type FakeProvider, type FakeProviderOptions, startFakeProvider } from "ligature/testing"
import { type ExchangeRecord, type Gateway, type GatewayOptions, readConfig, startGateway } from "../src/index.ts"

export const fake = async (options: FakeProviderOptions): Promise<FakeProvider> => {
  const provider = await startFakeProvider(options)
  onTestFinished(() => provider.close())
  return provider
}

export interface Served extends Gateway {
  readonly records: ExchangeRecord[]
}

export const serve = async (config: object, more: GatewayOptions = {}): Promise<Served> => {
  const records: ExchangeRecord[] = []
  const errors: unknown[] = []
  const gateway = await startGateway(readConfig({ port: 0, ...config }), {
    onExchange: (record) => records.push(record),
    onError: (error) => errors.push(error),
    ...more,
  })
  onTestFinished(async () => {
    await gateway.stop()
    if (errors.length > 0) throw errors[0]
  })
  return { ...gateway, records }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The connection broke before the end of the answer. */
  readonly broken: boolean
}

export interface Post {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: string
  readonly onChunk?: (chunk: string) => void
}

/** Sends exactly these bytes. */
export const post = (
  url: string,
  body: string | Buffer | undefined,
  { headers = {}, method = "POST", onChunk }: Post = {},
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = ask(url, { method, headers: { "content-type": "application/json", ...headers } }, (response) => {
      const chunks: Buffer[] = []
      const end = (broken: boolean): void =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString("utf8"), broken })
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        onChunk?.(chunk.toString("utf8"))
      })
      response.once("end", () => end(!response.complete))
      response.once("error", () => end(true))
    })
    sent.once("error", reject)
    sent.end(body)
  })

export const paths: Readonly<Record<FakeApi, (stream: boolean) => string>> = {
  anthropic: () => "/v1/messages",
  "openai-chat": () => "/v1/chat/completions",
  "openai-responses": () => "/v1/responses",
  gemini: (stream) => `/v1beta/models/gemini-2.5-pro:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
}

export const apis: readonly FakeApi[] = ["anthropic", "openai-chat", "openai-responses", "gemini"]

export const upstreamTo = (api: FakeApi, provider: { readonly url: string }, more: object = {}): object => ({
  upstreams: { [`fake-${api}`]: { wire: api, url: provider.url, ...more } },
})

/** The values of the events of a stream; markers as texts. */
export const eventsIn = (text: string): readonly unknown[] =>
  text.split(/\r?\n\r?\n/).flatMap((frame) => {
    const data = frame
      .split(/\r?\n/)
      .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
      .join("\n")
    if (data === "") return []
    try {
      return [JSON.parse(data) as unknown]
    } catch {
      return [data]
    }
  })
