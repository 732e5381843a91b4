/** The page in a real browser, served by the command as users start it. */
import { readdirSync } from "node:fs"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { library } from "../../../scripts/source-files.ts"
import { savedPage } from "../../ligature/src/html/index.ts"
import { startView, type View } from "../../ligature/src/cli/view/view-server.ts"
import { ViewSessions } from "../../ligature/src/cli/view/view-sessions.ts"
import { openDocument } from "../../ligature/src/document/index.ts"
import { check, decode } from "../../ligature/src/index.ts"
import type { Language } from "../../ligature/src/language/index.ts"
import { realIo } from "../../ligature/src/cli/frame/io.ts"
import { sessionCodecs } from "../../ligature/src/registry/sessions.ts"
import { violations } from "./axe.ts"
import { chromiumPath, launch, pageOf, type PageOptions } from "./chromium.ts"
import { archive } from "../../ligature/test/files/zip-archive.ts"
import { fine, written } from "./home.ts"
import { damagedRequest, hostileRequest, longRequest } from "./samples.ts"

describe.skipIf(chromiumPath === undefined)("the page", () => {
  let browser: Browser
  let folder: string
  const views: View[] = []

  beforeAll(async () => {
    browser = await launch()
    folder = await mkdtemp(join(tmpdir(), "ligature-view-"))
  })

  afterAll(async () => {
    for (const { server } of views) {
      server.close()
      server.closeAllConnections()
    }
    await browser.close()
    await rm(folder, { recursive: true })
  })

  const fileOf = async (name: string, content: unknown): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, typeof content === "string" ? content : JSON.stringify(content))
    return path
  }

  const viewOf = async (path: string, language: Language = "en"): Promise<View> => {
    const sessions = new ViewSessions([path], { ...realIo(), cwd: folder, env: { LIGATURE_CACHE: "off" } })
    const view = await startView({ sessions, port: 0, language, first: sessions.add(path) })
    views.push(view)
    return view
  }

  const opened = async (name: string, content: unknown, options: PageOptions = {}): Promise<Page> => {
    const page = await pageOf(browser, options)
    await page.goto((await viewOf(await fileOf(name, content))).address)
    return page
  }

  it("shows a file with calls joined to their results, and its findings", async () => {
    const page = await opened("damaged.json", damagedRequest)
    await page.locator(".call").first().waitFor()
    expect(await page.locator(".call-line .call-name").first().textContent()).toBe("Grep")
    expect(await page.locator(".call .mark-failed").count()).toBe(1)
    const rules = await page.locator(".finding .finding-rule").allTextContents()
    expect(rules).toContain("unanswered-call")
    expect(rules).toContain("orphan-result")
    // The secret is not in the address any more.
    expect(page.url()).not.toContain("token")
    expect(await violations(page)).toEqual([])
  })

  it("goes from finding to finding with n and p, and opens what is folded", async () => {
    const page = await opened("damaged.json", damagedRequest)
    await page.locator(".finding").first().waitFor()
    await page.keyboard.press("n")
    expect(await page.locator(".finding[aria-current=true] .finding-rule").textContent()).toBe(
      await page.locator(".finding .finding-rule").first().textContent(),
    )
    expect(await page.locator(".finding-more dd").count()).toBeGreaterThan(2)
    await page.keyboard.press("n")
    await page.keyboard.press("p")
    await page.locator(".call-line").nth(1).click()
    await page
      .getByRole("button", { name: /Show more/ })
      .first()
      .click()
    expect(await page.locator(".call-whole").textContent()).toContain("case 120")
    await page.keyboard.press("g")
    await page.keyboard.press("j")
    await page.locator('.list-row[aria-current="true"]', { hasText: "#2" }).waitFor()
    expect(await page.locator('.list-row[aria-current="true"] .row-number').textContent()).toBe("#2")
    expect(page.url()).toContain("row=2")
  })

  it("shows a repair before and after, with policies that can be chosen, and saves the file", async () => {
    const page = await opened("damaged.json", damagedRequest)
    await page.getByRole("tab", { name: "Repair" }).click()
    const rules = page.locator(".sides .change .note-rule")
    expect((await rules.allTextContents()).toSorted()).toEqual(["orphan-result", "unanswered-call"])
    // The result that became text is struck nowhere: it is joined to the row it is in now.
    expect(await page.locator(".line-gone").count()).toBe(0)
    const moved = page.locator(".line-moved")
    expect((await moved.allTextContents()).map((text) => text.includes("Deployed to"))).toEqual([true, true])
    expect(await page.locator(".joint-lines path").count()).toBe(1)
    await page.getByLabel("A call without result").selectOption("drop-call")
    expect(await page.locator(".command").textContent()).toContain("--policy unansweredCall=drop-call")
    expect(await page.locator(".line-gone").textContent()).toContain("npm install money@5")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download repaired file" }).click(),
    ])
    expect(download.suggestedFilename()).toBe("damaged.repaired.json")
    const saved = join(folder, "repaired.json")
    await download.saveAs(saved)
    expect(check(decode("anthropic", JSON.parse(await readFile(saved, "utf8"))), { tip: "open" })).toEqual([])
    expect(await violations(page)).toEqual([])
  })

  it("shows what a compaction leaves, and whether a text is still in sight", async () => {
    const page = await opened("long.json", longRequest(60))
    await page.getByRole("tab", { name: "Compaction" }).click()
    await page.getByLabel("Strategy").selectOption("window")
    expect(await page.locator(".strip-part.fate-left-out").count()).toBeGreaterThan(10)
    const find = page.getByLabel(/could the model still see it/)
    await find.fill("needle10 ")
    await page.locator(".lens-answer.no").waitFor()
    await find.fill("needle50 ")
    await page.locator(".lens-answer.yes").waitFor()
    await find.fill("not anywhere")
    await page.getByText("It is not in this history.").waitFor()
    await find.fill("")
    await page.locator(".lens-row").nth(3).locator("button").first().click()
    await page.getByText("What the model sees").waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: "Show in the timeline" }).click()
    await page.locator('.list-row[aria-current="true"]').waitFor()
  })

  it("shows the request for every provider, and pins an error to its message", async () => {
    const page = await opened("damaged.json", damagedRequest, { colorScheme: "dark" })
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("4")
    await page.getByRole("tab", { name: "OpenAI Chat Completions" }).click()
    expect(await page.locator(".wire-text").textContent()).toContain('"tool_call_id": "toolu_06"')
    expect(await page.locator(".loss").count()).toBeGreaterThan(0)
    await page
      .getByLabel(/Paste a provider's error/)
      .fill('400 {"error":{"message":"messages.10: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_06."}}')
    await page.getByText("anthropic-tool-use-needs-result").waitFor()
    expect(await violations(page)).toEqual([])
    await page.getByRole("button", { name: /in the timeline/ }).click()
    expect(await page.locator('.list-row[aria-current="true"] .call').getAttribute("data-call")).toBe("toolu_06")
  })

  it("is Chinese where the reader is, and fits on a narrow screen", async () => {
    const path = await fileOf("damaged.json", damagedRequest)
    const page = await pageOf(browser, { viewport: { width: 390, height: 800 } })
    await page.goto((await viewOf(path, "zh-CN")).address)
    await page.getByRole("tab", { name: "时间线" }).waitFor()
    await page.locator(".finding").first().waitFor()
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390)
    expect(await page.locator(".finding-what").first().textContent()).toContain("没有结果")
    expect(await violations(page)).toEqual([])
  })

  it("shows edits as diffs, tables as tables and images as images", async () => {
    const page = await opened("damaged.json", damagedRequest, { colorScheme: "dark" })
    await page.locator(".call-line", { hasText: "Edit" }).click()
    expect(await page.locator(".diff-added").count()).toBeGreaterThan(0)
    expect(await page.locator(".diff-removed").count()).toBeGreaterThan(0)
    expect(await page.locator(".markdown table th").count()).toBe(2)
    await page.locator(".media img").scrollIntoViewIfNeeded()
    await page.waitForFunction(() => (document.querySelector(".media img") as HTMLImageElement | null)?.naturalWidth === 24)
    expect(await violations(page)).toEqual([])
  })

  it("shows a hostile file and does nothing that it says, on any screen", async () => {
    const page = await opened("hostile.json", hostileRequest)
    await page.locator(".call").first().waitFor()
    for (const line of await page.locator(".call-line").all()) await line.click()
    const text = (await page.locator(".list").textContent()) ?? ""
    expect(text).toContain('<script>alert("script")</script>')
    expect(text).toContain("\\u202edesrever")
    expect(text).toContain("\\u001b[31mred")
    // oxlint-disable-next-line no-control-regex -- these characters are the point
    expect(text).not.toMatch(/[\u202e\u2066\u001b\u200b]/)
    expect(await page.locator("main a, main iframe, main script, main style").count()).toBe(0)
    // Of the pictures neither the drawing with a script nor the one elsewhere is loaded.
    expect(await page.locator("main img").count()).toBe(0)
    await page.keyboard.press("G")
    await page.getByText("A line of five megabytes").waitFor()
    await page
      .getByRole("button", { name: /Show more/ })
      .last()
      .click()
    expect((await page.locator(".list").textContent())?.length).toBeLessThan(1_000_000)
    for (const [key, ready] of [
      ["2", ".tab.repair"],
      ["3", ".lens-rows"],
      ["4", ".wire-text"],
    ] as const) {
      await page.keyboard.press("Escape")
      await page.keyboard.press(key)
      // A compaction of megabytes takes a second, and longer where the machine is busy.
      await page.locator(ready).waitFor({ timeout: 60_000 })
      for (const line of await page.locator(".lens-line").all()) await line.click()
      const shown = (await page.locator("main").textContent()) ?? ""
      // oxlint-disable-next-line no-control-regex -- these characters are the point
      expect([key, /[\u202e\u2066\u001b\u200b]/.exec(shown)?.[0]]).toEqual([key, undefined])
      expect([key, await page.locator("main a, main iframe, main script, main style, main img").count()]).toEqual([key, 0])
      expect([key, shown.length < 3_000_000]).toEqual([key, true])
    }
  })

  it("draws only the rows in sight of ten thousand exchanges", async () => {
    const page = await opened("long.json", longRequest(10_000))
    await page.locator(".row").first().waitFor()
    expect(await page.locator(".list-row").count()).toBeLessThan(60)
    await page.keyboard.press("G")
    await page.getByText("Module 999 is fine.").waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("needle5000")
    await page.keyboard.press("Enter")
    await page.getByText("needle5000").waitFor()
    expect(await page.locator(".search-count").textContent()).toBe("1/1")
  })

  it("reads every damaged history that is dropped on it", async () => {
    const page = await opened("damaged.json", damagedRequest)
    const fixtures = join(library, "fixtures/damaged")
    for (const name of readdirSync(fixtures).filter((each) => each.endsWith(".json"))) {
      await page.locator(".bar input[type=file]").setInputFiles(join(fixtures, name))
      await page.locator(`.session-foot, .empty, .failed`).filter({ hasText: name }).waitFor()
      expect(await page.locator(".failed").count(), name).toBe(0)
    }
  }, 300_000)

  it("reads a session of every agent that is dropped on it", async () => {
    const page = await opened("damaged.json", damagedRequest)
    const session = {
      id: "0a1b2c3d-2a34-4b56-8c78-9d0e1f2a3b4c",
      folder: "/home/mei/work",
      start: "2026-03-02T09:14:00.000Z",
      title: "Dropped",
    }
    const agents = Object.values(sessionCodecs).filter(({ session: { writes } }) => writes === "any")
    expect(agents.length).toBeGreaterThan(10)
    for (const {
      format,
      session: { agent },
    } of agents) {
      const [path, content] = written(format, fine("Which commit changed the parser?"), session)
      const name = `${format}-${path.split("/").at(-1) ?? ""}`
      await page.locator(".bar input[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) })
      await page.locator(`.session-foot, .empty, .failed`).filter({ hasText: name }).waitFor()
      expect([format, await page.locator(".facts").textContent()]).toEqual([format, expect.stringContaining(agent)])
      expect([format, await page.locator(".call-name").count()]).toEqual([format, 1])
    }
  }, 300_000)

  it("opens an archive with the server that it came from", async () => {
    const page = await opened("damaged.json", damagedRequest)
    const sample = {
      id: "1",
      epoch: 1,
      input: "go",
      messages: [
        { role: "user", content: "packed" },
        { role: "assistant", content: "done" },
      ],
    }
    const buffer = archive([
      { name: "header.json", text: JSON.stringify({ version: 2, status: "success", eval: { task: "t" }, plan: {}, samples: null }) },
      { name: "samples/1_epoch_1.json", text: JSON.stringify(sample) },
    ])
    await page.locator(".bar input[type=file]").setInputFiles({ name: "run.eval", mimeType: "application/zip", buffer })
    await page.locator(".row", { hasText: "packed" }).waitFor()
  })

  it("goes on when something cannot be shown, and says what", async () => {
    const page = await opened("damaged.json", damagedRequest)
    const drop = (files: readonly (readonly [string, string])[]): Promise<void> =>
      page.evaluate((given) => {
        const dataTransfer = new DataTransfer()
        for (const [name, content] of given) dataTransfer.items.add(new File([content], name))
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }))
      }, files)
    await drop([
      ["notes.txt", "no session"],
      ["second.json", JSON.stringify({ messages: [{ role: "user", content: "the second" }] })],
    ])
    await page.locator(".empty", { hasText: "notes.txt" }).waitFor()
    await page.getByRole("link", { name: "second.json" }).click()
    await page.locator(".row", { hasText: "the second" }).waitFor()
    // Loaded again, the page has it no more; another one that is dropped is not taken for it.
    await page.reload()
    await page.getByText("A dropped file is gone").waitFor()
    await drop([["third.json", JSON.stringify({ messages: [{ role: "user", content: "the third" }] })]])
    await page.locator(".row", { hasText: "the third" }).waitFor()
    // What fails while it is drawn leaves everything else as it is.
    await page.evaluate(() => {
      const write = JSON.stringify
      JSON.stringify = ((value: unknown, ...more: [undefined, number]) => {
        if (more[1] === 2) throw new Error("Too much to write")
        return write(value, ...more)
      }) as typeof write
    })
    await page.keyboard.press("4")
    await page.locator("[role=alert]", { hasText: "Too much to write" }).waitFor()
    await page.keyboard.press("1")
    await page.locator(".row", { hasText: "the third" }).waitFor()
  })

  it("follows a link to another row of what it shows, and paints the words that are looked for", async () => {
    const page = await opened("damaged.json", damagedRequest)
    await page.evaluate(() => {
      location.hash = `${location.hash}${location.hash.includes("?") ? "&" : "?"}row=6`
    })
    await page.locator('[data-index="5"][aria-current="true"]').waitFor()
    await page.keyboard.press("/")
    await page.keyboard.type("money")
    await page.waitForFunction(() => (CSS.highlights.get("found")?.size ?? 0) > 2)
    await page.keyboard.press("Enter")
    await page.locator(".search-count", { hasText: /^2\/\d+$/ }).waitFor()
  })

  it("marks in a request what was lost, and pins a provider's error to its block", async () => {
    const page = await opened("damaged.json", damagedRequest)
    await page.locator(".call").first().waitFor()
    await page.keyboard.press("4")
    await page.getByRole("tab", { name: "OpenAI Chat Completions" }).click()
    await page.locator(".wire-mark-lost", { hasText: "thinking-signature: lost" }).waitFor()
    await page.locator("textarea").fill("messages.10: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_06.")
    await page.locator(".wire-mark-pin").waitFor()
    await page.locator(".pin-answer button").click()
    await page.locator('.row:has([data-call="toolu_06"]) .refusal').waitFor()
  })

  it("says of a database what reads it", async () => {
    const page = await opened("damaged.json", damagedRequest)
    const buffer = Buffer.concat([Buffer.from("SQLite format 3\0"), Buffer.alloc(5000)])
    await page.locator(".bar input[type=file]").setInputFiles({ name: "opencode.db", mimeType: "application/octet-stream", buffer })
    await page.locator(".empty").waitFor()
    expect(await page.locator(".empty .problems").textContent()).toMatch(/database/i)
  })

  it("works as one file that is opened from disk, and can neither be left nor ended by what is in it", async () => {
    const request = { ...damagedRequest, system: "</script><script>alert(1)</script><!-- <script> \u2028" }
    const path = await fileOf("saved.html", await savedPage({ name: "damaged.json", bytes: Buffer.from(JSON.stringify(request)) }))
    const page = await pageOf(browser)
    await page.goto(`file://${path}`)
    await page.locator(".call").first().waitFor()
    expect(await page.locator(".finding .finding-rule").allTextContents()).toContain("orphan-result")
    await page.keyboard.press("2")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download repaired file" }).click(),
    ])
    const repaired = join(folder, "from-saved.json")
    await download.saveAs(repaired)
    expect(JSON.parse(await readFile(repaired, "utf8"))["system"]).toBe(request.system)
    expect(await violations(page)).toEqual([])
  })

  it("is saved with the bytes of a file that is no text, and with what was read of a database", async () => {
    const torn = Buffer.concat([Buffer.from(JSON.stringify(damagedRequest)), Buffer.from([0xff, 0xfe])])
    const page = await pageOf(browser)
    await page.goto(`file://${await fileOf("torn.html", await savedPage({ name: "torn.json", bytes: torn }, { language: "zh-CN" }))}`)
    await page.locator(".session-foot, .empty").first().waitFor()
    expect(await page.locator("main").textContent()).toContain("torn.json")
    expect(await page.locator("html").getAttribute("lang")).toBe("zh-CN")
    const { parts, problems } = openDocument(new TextEncoder().encode(JSON.stringify(damagedRequest)), { name: "x.json" })
    await page.goto(`file://${await fileOf("read.html", await savedPage({ name: "sessions.db", parts, problems }))}`)
    await page.locator(".call").first().waitFor()
  })

  it("answers nobody else", async () => {
    const { address } = await viewOf(await fileOf("damaged.json", damagedRequest))
    const { origin, hash } = new URL(address)
    const token = new URLSearchParams(hash.slice(1)).get("token") ?? ""
    const id = new URLSearchParams(hash.slice(1)).get("open") ?? ""
    const ask = async (headers: Readonly<Record<string, string>>, path = `/api/session/${id}`): Promise<number> =>
      (await fetch(`${origin}${path}`, { headers })).status
    const known = { authorization: `Bearer ${token}` }
    expect(await ask(known)).toBe(200)
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: `Bearer ${token}x` })).toBe(401)
    expect(await ask({ ...known, origin: "https://evil.example.test" })).toBe(403)
    expect(await ask({ ...known, "sec-fetch-site": "cross-site" })).toBe(403)
    expect(await ask(known, "/api/session/..%2f..%2fetc%2fpasswd")).toBe(404)
    expect(await ask(known, "/..%2fpackage.json")).toBe(404)
    expect((await fetch(`${origin}/`, { method: "POST" })).status).toBe(405)
    const page = await fetch(`${origin}/`)
    expect(page.headers.get("content-security-policy")).not.toContain("unsafe")
    expect(await page.text()).not.toContain(token)
  })
})
