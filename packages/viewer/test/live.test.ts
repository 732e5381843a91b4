/** The page of a gateway in a real browser: exchanges as they happen, what was repaired and healed, and the conversations of its store. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { hashedKey } from "../../gateway/src/index.ts"
import { fake, post, serve, upstreamTo } from "../../gateway/test/serve.ts"
import { gatewayPage, gatewayPagePath } from "../../ligature/src/cli/view/gateway-page.ts"
import { violations } from "./axe.ts"
import { chromiumPath, launch, pageOf } from "./chromium.ts"

const mounts = [{ path: gatewayPagePath, needsKey: false, handle: gatewayPage("en") }]

const storeFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "ligature-live-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const conversation = { "x-ligature-conversation": "checkout" }

const messagesBody = (messages: readonly object[]): string => JSON.stringify({ model: "claude-x", max_tokens: 9, messages })

const damaged = [
  { role: "user", content: "Build it" },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: { command: "make" } }] },
  { role: "user", content: "And did it work?" },
]

/** Refuses requests with a seed, as some servers do, and takes all others. */
const strictServer = async (): Promise<string> => {
  const server = createServer(async (asked, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of asked) chunks.push(chunk as Buffer)
    const refused = (JSON.parse(Buffer.concat(chunks).toString()) as { readonly seed?: unknown }).seed !== undefined
    response.writeHead(refused ? 400 : 200, { "content-type": "application/json" })
    response.end(
      refused
        ? '{"error":{"message":"Unrecognized request argument supplied: seed"}}'
        : '{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"It builds."},"finish_reason":"stop"}]}',
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.skipIf(chromiumPath === undefined)("the page of a gateway", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  const watched = async ({ url, secret }: { readonly url: string; readonly secret: string }): Promise<Page> => {
    const page = await pageOf(browser)
    await page.goto(`${url}${gatewayPagePath}#token=${secret}`)
    await page.locator(".connection-open").waitFor()
    expect(page.url()).not.toContain("token")
    return page
  }

  it("shows a request when it comes, and what was wrong with one that was repaired", async () => {
    const provider = await fake({ api: "anthropic", script: [{ text: "Not yet." }] })
    const gateway = await serve({ ...upstreamTo("anthropic", provider) }, { mounts })
    const page = await watched(gateway)
    await page.getByText("Nothing has come through").waitFor()
    await post(`${gateway.url}/v1/messages`, messagesBody(damaged))
    const exchange = page.locator(".exchange").first()
    await exchange.getByText("And did it work?").waitFor()
    expect(await exchange.locator(".note-rule").textContent()).toBe("unanswered-call")
    expect(await exchange.locator(".mark").getAttribute("aria-label")).toBe("repaired")
    expect(await violations(page)).toEqual([])
    await post(`${gateway.url}/v1/messages`, messagesBody([{ role: "user", content: "Something healthy" }]))
    await page.getByText("Something healthy").waitFor()
    await page.getByRole("button", { name: /repaired, healed or refused/ }).click()
    expect(await page.locator(".exchange").count()).toBe(1)
  })

  it("shows a 400 that was healed in the conversation it belongs to, which grows while it is read", async () => {
    const gateway = await serve(
      { ...upstreamTo("openai-chat", { url: await strictServer() }), store: { place: storeFolder() } },
      { mounts },
    )
    const page = await watched(gateway)
    const messages: object[] = [{ role: "user", content: "Does it build?" }]
    const ask = (more: object) =>
      post(`${gateway.url}/v1/chat/completions`, JSON.stringify({ model: "m", messages, ...more }), { headers: conversation })
    await ask({ seed: 7 })
    const exchange = page.locator(".exchange").first()
    await exchange.getByText("400, healed").waitFor()
    expect(await exchange.locator(".refusal").textContent()).toBe("Unrecognized request argument supplied: seed")
    await exchange.getByRole("button").first().click()
    const answer = page.locator(".row", { hasText: "It builds." })
    await answer.getByText("400, healed").waitFor()
    messages.push({ role: "assistant", content: "It builds." }, { role: "user", content: "And the tests?" })
    await ask({})
    await page.locator(".row", { hasText: "And the tests?" }).waitFor()
    expect(await page.locator(".row").count()).toBe(4)
    expect(await violations(page)).toEqual([])
    await page.getByRole("link", { name: "Conversations" }).click()
    await page.locator(".session-entry").waitFor()
    expect(await page.locator(".session-entry").count()).toBe(1)
  })

  it("asks for a key where keys are needed, and shows what the key may see", async () => {
    const provider = await fake({ api: "anthropic", script: [{ text: "Hello." }] })
    const gateway = await serve({ ...upstreamTo("anthropic", provider), keys: [hashedKey("a-key")] }, { mounts })
    const page = await pageOf(browser, {}, [/401/])
    await page.goto(`${gateway.url}${gatewayPagePath}`)
    await page.getByLabel(/Key of this gateway/).fill("a-key")
    await page.getByRole("button", { name: "Watch" }).click()
    await page.locator(".connection-open").waitFor()
    await post(`${gateway.url}/v1/messages`, messagesBody([{ role: "user", content: "Hi there" }]), {
      headers: { authorization: "Bearer a-key" },
    })
    await page.getByText("Hi there").waitFor()
  })
})
