/** The list of sessions in a real browser: a home with sessions of several agents, some of them broken. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { parseStoreLocation } from "../../ligature/src/cli/store/store-location.ts"
import { cover, jsonlStore } from "../../ligature/src/store/index.ts"
import { ViewStore } from "../../ligature/src/cli/view/view-store.ts"
import { startView, type View } from "../../ligature/src/cli/view/view-server.ts"
import { ViewSessions } from "../../ligature/src/cli/view/view-sessions.ts"
import { realIo } from "../../ligature/src/cli/frame/io.ts"
import { cli } from "../../ligature/test/cli/cli.ts"
import { violations } from "./axe.ts"
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
    expect(await page.locator(".chip").allTextContents()).toEqual([" errors 1", " warnings 2", " healthy 5"])
    await page.getByRole("button", { name: "errors 1" }).click()
    expect(await titles(page)).toEqual(["Why does the nightly build take twice as long?"])
    expect(await page.locator(".entry-state").first().textContent()).toBe("errors: the same call, result or record was written twice")
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
    expect((await titles(page))[0]).toContain("Limits of the search modules")
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
    await page.locator(".search-count", { hasText: /^1\/\d+$/ }).waitFor()
    await page.keyboard.press("l")
    await page.getByRole("heading", { name: "Sessions" }).waitFor()
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

  it("shows what a subagent did under the call that started it, and the branches that were left", async () => {
    const page = await listed()
    await page.getByText("Coupon and free shipping").click()
    await page.locator(".row").first().waitFor()
    const fork = page.locator(".fork-name", { hasText: "rename the cart module" })
    await fork.scrollIntoViewIfNeeded()
    await fork.click()
    await page.getByText("This is a branch that was left").waitFor()
    expect(page.url()).toContain("branch=b003")
    await page.getByText("41 files import it").waitFor()
    await page.getByRole("button", { name: "Back to the active path" }).click()
    await page.keyboard.press("G")
    const task = page.locator(".call", { hasText: "Task" })
    await task.locator(".subagent button").first().click()
    await task.getByText("Searching for Math.round.").waitFor()
    expect(await violations(page)).toEqual([])
    await task.getByRole("button", { name: "Open the subagent alone" }).click()
    await expect.poll(() => page.locator(".row").count()).toBe(3)
  })

  it("shows what the agent sends after its own compaction", async () => {
    const page = await listed()
    await page.getByText("Limits of the search modules").click()
    await page.locator(".row").first().waitFor()
    const whole = await page.locator(".facts").textContent()
    await page.getByLabel("How much of it").selectOption("effective")
    await page.getByText("This session is being continued from an earlier one").first().waitFor()
    await expect.poll(() => page.locator(".facts").textContent()).not.toBe(whole)
  })
})

/** A stored conversation of three turns; what the first of them said was compacted before the third. */
const storeWith = async (folder: string): Promise<void> => {
  const store = jsonlStore({ folder })
  const { id } = await store.create({ title: "Stored and compacted" })
  const say = (role: "user" | "assistant", words: string) =>
    ({ kind: "message", message: { role, blocks: [{ type: "text", text: words }] } }) as const
  await store.append(id, [
    say("user", "The password of the test database is quagga."),
    say("assistant", "I will remember that."),
    say("user", "Now build it."),
  ])
  await store.append(id, [say("assistant", "It builds.")])
  const { entries } = await store.load(id)
  const covers = cover(entries.slice(0, 2))
  await store.append(id, [
    {
      kind: "summary",
      covers,
      message: { role: "user", summary: true, blocks: [{ type: "text", text: "Summary: the user said a password." }] },
    },
    say("user", "And deploy it."),
    say("assistant", "Deployed."),
  ])
  await store.close()
}

describe.skipIf(chromiumPath === undefined)("a new user", () => {
  it("sees which session is broken and why, repairs it with the command of the page, and sees that it is healthy", async () => {
    const browser = await launch()
    const home = await mkdtemp(join(tmpdir(), "ligature-new-user-"))
    await writeHome(home)
    const env = { HOME: home, LIGATURE_CACHE: "off" }
    const sessions = new ViewSessions([], { ...realIo(), cwd: home, env })
    const { server, address } = await startView({ sessions, port: 0, language: "en" })
    onTestFinished(async () => {
      server.close()
      server.closeAllConnections()
      await browser.close()
      await rm(home, { recursive: true })
    })
    const page = await pageOf(browser)
    await page.goto(address)
    for (const title of ["Coupon and free shipping", "nightly build"]) {
      const broken = page.locator(".session-item", { hasText: title })
      await broken.getByText(/^(?:errors|warnings): /).waitFor()
      await broken.getByRole("button", { name: "Repair" }).click()
      await page.locator(".ways .command").nth(1).waitFor()
      const [command = "", resume = ""] = await page.locator(".ways .command").allTextContents()
      expect(resume).toMatch(/^cd \/home\/mei\/work\/\w+ && (?:claude --resume|codex resume) [\w-]{36}$/)
      const [program, ...argv] = command.split(" ")
      expect(program).toBe("ligature")
      expect(await cli(argv, { cwd: home, env })).toMatchObject({ code: 0 })
      await page.keyboard.press("l")
      await page.reload()
      await broken.locator(".dot-healthy, .dot-open").waitFor()
    }
  })
})

describe.skipIf(chromiumPath === undefined)("a stored conversation", () => {
  it("shows every compaction, and whether a request still carried a text", async () => {
    const browser = await launch()
    const folder = await mkdtemp(join(tmpdir(), "ligature-stored-"))
    await storeWith(join(folder, "conversations"))
    const io = { ...realIo(), cwd: folder, env: { HOME: folder, LIGATURE_CACHE: "off" } }
    const sessions = new ViewSessions([], io, [new ViewStore(parseStoreLocation("conversations", folder))])
    const { server, address } = await startView({ sessions, port: 0, language: "en" })
    onTestFinished(async () => {
      server.close()
      server.closeAllConnections()
      await sessions.close()
      await browser.close()
      await rm(folder, { recursive: true })
    })
    const page = await pageOf(browser)
    await page.goto(address)
    await page.getByText("Stored and compacted").click()
    await page.locator(".row").first().waitFor()
    await page.keyboard.press("3")
    await page.getByText("Request 3 of 3").waitFor()
    expect(await page.locator(".compactions .chip").count()).toBe(1)
    expect(
      await page.locator(".strip-part").evaluateAll((all) => all.map(({ className }) => className.replace("strip-part fate-", ""))),
    ).toEqual(["summarised", "summarised", "verbatim", "verbatim", "verbatim"])
    await page.getByLabel(/could the model still see it/).fill("quagga")
    await page.locator(".lens-answer.no").waitFor()
    await page.locator(".lens-controls input[type=range]").fill("1")
    await page.locator(".lens-answer.yes").waitFor()
    await page.locator(".lens-controls input[type=range]").fill("2")
    await page.locator(".lens-row .lens-line").first().click()
    expect(await page.locator(".lens-texts").textContent()).toContain("Summary: the user said a password.")
    expect(await violations(page)).toEqual([])
  })
})
