/** The pictures of the README and the guides: `node scripts/pictures.mjs`. Each is taken after what it shows was seen to be there. */
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { post, serve } from "../../gateway/test/serve.ts"
import { realIo } from "../../ligature/src/cli/frame/io.ts"
import { gatewayPage, gatewayPagePath } from "../../ligature/src/cli/view/gateway-page.ts"
import { startView } from "../../ligature/src/cli/view/view-server.ts"
import { ViewSessions } from "../../ligature/src/cli/view/view-sessions.ts"
import type { Language } from "../../ligature/src/language/index.ts"
import { chromiumPath, launch, pageOf } from "./chromium.ts"
import { writeHome } from "./home.ts"

const folder = process.env["LIGATURE_PICTURES"]

const languages: readonly (readonly [language: Language, ending: string])[] = [
  ["en", ""],
  ["zh-CN", ".zh-CN"],
]

describe.skipIf(folder === undefined || chromiumPath === undefined)("pictures", () => {
  let browser: Browser
  let home: string

  beforeAll(async () => {
    browser = await launch()
    home = await mkdtemp(join(tmpdir(), "ligature-pictures-"))
    await writeHome(home)
    await mkdir(folder ?? "", { recursive: true })
  })
  afterAll(async () => {
    await browser.close()
    await rm(home, { recursive: true })
  })

  const take = async (page: Page, name: string): Promise<void> => {
    // The pointer is over nothing, and what moves has come to rest.
    await page.mouse.move(0, 0)
    await page.evaluate(() => document.fonts.ready)
    await page.waitForTimeout(400)
    await page.screenshot({ path: join(folder ?? "", `${name}.png`) })
  }

  const viewport = { width: 1200, height: 740 }

  const listed = async (language: Language): Promise<Page> => {
    const sessions = new ViewSessions([], { ...realIo(), cwd: home, env: { HOME: home, LIGATURE_CACHE: "off" } })
    const { server, address } = await startView({ sessions, port: 0, language })
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const page = await pageOf(browser, { viewport })
    await page.goto(address)
    await page.locator(".chip").nth(2).waitFor()
    await page.locator(".entry-state").nth(2).waitFor()
    return page
  }

  it.each(languages)("of the list, the timeline, the repair and the compaction lens, in %s", async (language, ending) => {
    const page = await listed(language)
    await take(page, `view-sessions${ending}`)
    await page.getByText("Coupon and free shipping").click()
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("n")
    await page.locator(".finding-more").waitFor()
    expect(await page.locator(".call-interrupted").count()).toBeGreaterThan(0)
    await take(page, `view-timeline${ending}`)
    await page.keyboard.press("2")
    await page.locator(".joint-lines path").first().waitFor()
    await page.locator(".side-row.is-changed").last().scrollIntoViewIfNeeded()
    await take(page, `view-repair${ending}`)
    await page.keyboard.press("l")
    await page.getByText("Limits of the search modules").click()
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("3")
    await page.locator(".lens-controls select").selectOption("mask")
    // 50 %.
    await page.locator(".lens-controls input[type=range]").first().fill("11")
    await page.locator(".lens-controls input[type=search]").fill("Tests: 10 passed")
    await page.locator(".lens-answer.no").waitFor()
    await page.locator(".fate-row-stub .lens-line").first().click()
    await take(page, `view-compaction${ending}`)
  })

  it("of a gateway, live", async () => {
    const server = createServer(async (asked, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of asked) chunks.push(chunk as Buffer)
      const refused = (JSON.parse(Buffer.concat(chunks).toString()) as { readonly seed?: unknown }).seed !== undefined
      response.writeHead(refused ? 400 : 200, { "content-type": "application/json" })
      response.end(
        refused
          ? '{"error":{"message":"Unrecognized request argument supplied: seed"}}'
          : '{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Done."},"finish_reason":"stop"}],"usage":{"prompt_tokens":2841,"completion_tokens":12}}',
      )
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => void server.close())
    const gateway = await serve(
      { upstreams: { openai: { wire: "openai-chat", url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } } },
      {
        mounts: [{ path: gatewayPagePath, needsKey: false, handle: gatewayPage("en") }],
      },
    )
    const page = await pageOf(browser, { viewport: { width: 1200, height: 520 } })
    await page.goto(`${gateway.url}${gatewayPagePath}#token=${gateway.secret}`)
    await page.locator(".connection-open").waitFor()
    const ask = (name: string, messages: readonly object[], more: object = {}) =>
      post(`${gateway.url}/v1/chat/completions`, JSON.stringify({ model: "gpt-5.1", messages, ...more }), {
        headers: { "x-ligature-conversation": name },
      })
    const call = { id: "call_6", type: "function", function: { name: "bash", arguments: '{"command":"npm install money@5"}' } }
    await ask("release-notes", [{ role: "user", content: "Write the release notes of 2.4." }])
    await ask("nightly-build", [{ role: "user", content: "Why does the nightly build take twice as long?" }], { seed: 7 })
    await ask("checkout", [
      { role: "user", content: "Update the money library." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "user", content: "Did it work? My laptop went to sleep." },
    ])
    await page.getByText("400, healed").waitFor()
    await page.locator(".exchange").nth(2).waitFor()
    await take(page, "view-live")
  })
})
