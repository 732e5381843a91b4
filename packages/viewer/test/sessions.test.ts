/** The list of sessions in a real browser: a home with sessions of several agents, some of them broken. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startView, type View } from "../../ligature/src/cli/view/view-server.ts"
import { ViewSessions } from "../../ligature/src/cli/view/view-sessions.ts"
import { realIo } from "../../ligature/src/cli/frame/io.ts"
import { chromiumPath, launch, pageOf } from "./chromium.ts"
import { writeHome } from "./home.ts"

describe.skipIf(chromiumPath === undefined)("the list of sessions", () => {
  let browser: Browser
  let home: string
  let view: View

  beforeAll(async () => {
    browser = await launch()
    home = await mkdtemp(join(tmpdir(), "ligature-home-"))
    await writeHome(home)
    const sessions = new ViewSessions([], { ...realIo(), cwd: home, env: { HOME: home, LIGATURE_CACHE: "off" } })
    view = await startView({ sessions, port: 0, language: "en" })
  })

  afterAll(async () => {
    view.server.close()
    view.server.closeAllConnections()
    await browser.close()
    await rm(home, { recursive: true })
  })

  const listed = async (): Promise<Page> => {
    const page = await pageOf(browser)
    await page.goto(view.address)
    await page.getByText("8 sessions", { exact: true }).waitFor()
    return page
  }
  const titles = (page: Page): Promise<readonly string[]> => page.locator(".entry-title").allTextContents()

  it("says which are broken and why, and hides the others with one click", async () => {
    const page = await listed()
    expect(await page.locator(".chip").allTextContents()).toEqual([" errors 2", " warnings 1", " healthy 5"])
    await page.getByRole("button", { name: "errors 2" }).click()
    expect(await titles(page)).toEqual(["Coupon and free shipping give a wrong total", "Why does the nightly build take twice as long?"])
    expect(await page.locator(".entry-state").first().textContent()).toBe("errors: a call or a result was never written, or was removed")
  })

  it("goes from a broken session to its repair, and says how to go on with it", async () => {
    const page = await listed()
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
    const broken = page.locator(".session-item", { hasText: "Coupon and free shipping" })
    await broken.getByRole("button", { name: "Copy resume command" }).click()
    await broken.getByText("Copied").waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      "cd /home/mei/work/shop && claude --resume 55555555-2a34-4b56-8c78-9d0e1f2a3b4c",
    )
    await broken.getByRole("button", { name: "Repair" }).click()
    await page.getByText("ligature repair 55555555").first().waitFor()
    expect(page.url()).toContain("tab=repair")
  })

  it("filters by words, agent and order", async () => {
    const page = await listed()
    const words = page.getByRole("searchbox")
    await words.fill("build")
    expect(await titles(page)).toEqual(["Why does the nightly build take twice as long?"])
    await words.fill("")
    await page.getByLabel("Agent").selectOption("Codex CLI")
    expect(await titles(page)).toHaveLength(2)
    await page.getByLabel("Agent").selectOption("")
    await page.getByLabel("Order").selectOption("largest")
    expect((await titles(page))[0]).toContain("Go through the modules")
    await page.getByLabel("Order").selectOption("worst")
    expect((await titles(page)).slice(0, 2).join()).toContain("nightly build")
  })

  it("finds words in the contents, and keeps the choice while a session is read", async () => {
    const page = await listed()
    await page.keyboard.press("/")
    await page.keyboard.type("money@5.0.2")
    expect(await titles(page)).toEqual([])
    await page.keyboard.press("Enter")
    await page.locator(".entry-excerpt").waitFor()
    expect(await titles(page)).toEqual(["Coupon and free shipping give a wrong total"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("l")
    expect(await page.getByRole("searchbox").inputValue()).toBe("money@5.0.2")
  })

  it("is used with the keys alone, which ? shows", async () => {
    const page = await listed()
    await page.keyboard.press("?")
    await page.getByRole("dialog").getByText("next or previous finding").waitFor()
    await page.keyboard.press("Escape")
    expect(await page.getByRole("dialog").count()).toBe(0)
    await page.keyboard.press("j")
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: "Why does the nightly build" }).waitFor()
  })
})
