/** Keys in an address or a header are in no error, event or log line. */
import { inspect } from "node:util"
import { describe, expect, it } from "vitest"
import { anthropicModel, chatModel, geminiModel, run } from "../../src/agent/index.ts"
import { ended } from "./run/ended.ts"
import { validFetch } from "../../src/agent/valid-fetch.ts"
import { withoutCredentials, withoutSecretsIn } from "../../src/model/index.ts"
import { memoryStore } from "../../src/store/index.ts"

const key = "sk-very-secret-0123456789"

const everythingOf = async (model: ReturnType<typeof chatModel>, fetch: typeof globalThis.fetch): Promise<string> => {
  const seen: unknown[] = []
  try {
    const onEvent = (event: unknown): void => void seen.push(event)
    seen.push(await ended(run({ store: memoryStore(), prompt: "hi", model, retry: { attempts: 1 }, onEvent, surroundings: { fetch } })))
  } catch (error) {
    seen.push(error)
  }
  return inspect(seen, { depth: 12, maxStringLength: null })
}

/** Fails as the platform's fetch does: it quotes the address, also in a field of a cause. */
const quoting: typeof fetch = (input) => {
  const address = typeof input === "string" ? input : input instanceof URL ? input.href : input.url
  const cause = Object.assign(new TypeError(`Invalid URL ${address}`), { code: "ERR_INVALID_URL", input: address })
  return Promise.reject(new TypeError(`Request cannot be constructed from a URL that includes credentials: ${address}`, { cause }))
}

const echoing: typeof fetch = (_, init) =>
  Promise.resolve(
    new Response(
      `{"error":"bad key ${new Headers(init?.headers).get("x-api-key") ?? new Headers(init?.headers).get("authorization") ?? ""}"}`,
      { status: 401 },
    ),
  )

describe("credentials", () => {
  it("of an address are in nothing that a run says", async () => {
    for (const baseUrl of [`https://user:${key}@localhost/v1`, `https://${key}@localhost/v1`]) {
      const said = await everythingOf(chatModel({ model: "m", baseUrl }), quoting)
      expect(said).toContain("localhost")
      expect(said).not.toContain(key)
    }
    const said = await everythingOf(
      { ...geminiModel({ model: "m" }), url: `https://localhost/v1/models/m:streamGenerateContent?alt=sse&key=${key}` },
      quoting,
    )
    expect(said).not.toContain(key)
    expect(said).toContain("alt=sse&key=…")
  })

  it("of a header are hidden where a provider or the platform quotes them", async () => {
    expect(await everythingOf(anthropicModel({ model: "m", key }), echoing)).not.toContain(key)
    expect(await everythingOf(chatModel({ model: "m", key }), echoing)).not.toContain(key)
    const broken = await everythingOf(chatModel({ model: "m", key: `${key}\nx` }), echoing)
    expect(broken).toContain("caller-failed")
    expect(broken).not.toContain(key)
  })

  it("of an address that is none are not in the mistake that names it", async () => {
    const said = await everythingOf({ ...chatModel({ model: "m" }), url: `http//user:${key}@h` }, quoting)
    expect(said).toContain("Expected the address of a model")
    expect(said).not.toContain(key)
    expect(await everythingOf({ ...chatModel({ model: "m" }), url: `https://user:${key}@:bad:` }, quoting)).not.toContain(key)
  })

  it("of an address that is spelt in another way are hidden too", async () => {
    const spellings = [
      `http:/user:${key}@localhost/v1`,
      `http:\\\\user:${key}@localhost/v1`,
      `//user:${key}@localhost/v1`,
      `user:${key}@localhost/v1`,
      `http://user:a ${key}@localhost/v1`,
      `http://user:a%20${key}@localhost/v1`,
      `http://user:a@${key}@localhost/v1`,
    ]
    for (const baseUrl of spellings) {
      for (const fetch of [quoting, globalThis.fetch]) {
        const said = await everythingOf(chatModel({ model: "m", baseUrl }), fetch)
        expect(said).toContain("localhost")
        expect(said).not.toContain(key)
      }
    }
  })

  it("are not in what a wrapped fetch tells", async () => {
    const told: unknown[] = []
    const body = JSON.stringify({ model: "m", messages: [{ role: "tool", tool_call_id: "x", content: "orphan" }] })
    const inner = () => Promise.resolve(new Response("{}"))
    await validFetch(inner, { onRepair: (repaired) => void told.push(repaired) })(`https://u:${key}@api.openai.com/v1/chat/completions`, {
      method: "POST",
      body,
    })
    expect(told).toMatchObject([{ url: "https://…@api.openai.com/v1/chat/completions" }])
  })

  it("are found in texts, and nothing else is", () => {
    const texts: readonly (readonly [string, string])[] = [
      ["see https://a:b@host/x and postgres://me:pa/ss@h:5432/d", "see https://…@host/x and postgres://…@h:5432/d"],
      ["https://host:8080/@scope/name?limit=5", "https://host:8080/@scope/name?limit=5"],
      ["GET /x?api_key=abc&page=2&access_token=t#y", "GET /x?api_key=…&page=2&access_token=…#y"],
      ["mail a@b.c", "mail a@b.c"],
    ]
    for (const [text, expected] of texts) expect(withoutCredentials(text)).toBe(expected)
  })

  it("leave an error the very same that names none", () => {
    const plain = new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })
    expect(withoutSecretsIn(plain, withoutCredentials)).toBe(plain)
  })
})
