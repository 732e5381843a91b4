/** Every screen in both themes, wide and narrow, in both languages: nothing that axe objects to, nothing wider than the screen. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { realIo } from "../../ligature/src/cli/frame/io.ts"
import { startView } from "../../ligature/src/cli/view/view-server.ts"
import { ViewSessions } from "../../ligature/src/cli/view/view-sessions.ts"
import type { Language } from "../../ligature/src/language/index.ts"
import { violations } from "./axe.ts"
import { chromiumPath, launch, pageOf, type PageOptions } from "./chromium.ts"
import { writeHome } from "./home.ts"

const narrow = { width: 390, height: 800 }

const ways: readonly (readonly [name: string, options: PageOptions, language: Language])[] = [
  ["light", { colorScheme: "light" }, "en"],
  ["dark", { colorScheme: "dark" }, "zh-CN"],
  ["light and narrow", { colorScheme: "light", viewport: narrow }, "zh-CN"],
  ["dark and narrow", { colorScheme: "dark", viewport: narrow }, "en"],
]

describe.skipIf(chromiumPath === undefined)("every screen", () => {
  let browser: Browser
  let home: string

  beforeAll(async () => {
    browser = await launch()
    home = await mkdtemp(join(tmpdir(), "ligature-screens-"))
    await writeHome(home)
  })
  afterAll(async () => {
    await browser.close()
    await rm(home, { recursive: true })
  })

  const sound = async (page: Page, screen: string): Promise<void> => {
    expect([screen, await violations(page)]).toEqual([screen, []])
    const width = page.viewportSize()?.width
    expect([screen, await page.evaluate("document.documentElement.scrollWidth")]).toEqual([screen, width])
  }

  it.each(ways)("is accessible and fits, %s", async (_, options, language) => {
    const sessions = new ViewSessions([], { ...realIo(), cwd: home, env: { HOME: home, LIGATURE_CACHE: "off" } })
    const { server, address } = await startView({ sessions, port: 0, language })
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const page = await pageOf(browser, options)
    await page.goto(address)
    await page.locator(".entry-state").nth(2).waitFor()
    await sound(page, "list")
    await page.keyboard.press("?")
    await page.getByRole("dialog").waitFor()
    await sound(page, "keys")
    await page.keyboard.press("Escape")
    await page.getByText("Coupon and free shipping").click()
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("n")
    await page.locator(".finding-more").waitFor()
    await sound(page, "timeline")
    await page.keyboard.press("G")
    await page.locator(".subagent button").first().click()
    await page.locator(".subagent-rows .call").first().waitFor()
    await sound(page, "subagent")
    await page.keyboard.press("2")
    await page.locator(".side-row.is-changed").first().waitFor()
    await sound(page, "repair")
    await page.keyboard.press("3")
    await page.locator(".lens-line").nth(2).click()
    await page.locator(".lens-texts").waitFor()
    await sound(page, "compaction")
    await page.keyboard.press("4")
    await page.locator(".wire-name").nth(2).click()
    await page.locator("textarea").fill("messages.10: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_06.")
    await page.locator(".pin-answer button").waitFor()
    await sound(page, "requests")
    const file = { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("no session") }
    await page.locator(".bar input[type=file]").setInputFiles(file)
    await page.locator(".empty .problems").waitFor()
    await sound(page, "a file that is no session")
    await page.evaluate(() => {
      location.hash = "#/dropped-gone"
    })
    await page.locator(".failed").waitFor()
    await sound(page, "a file that is gone")
  })
})
