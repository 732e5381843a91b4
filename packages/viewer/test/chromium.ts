/**
 * A real Chromium for tests of the page: Debian's, or the one that `LIGATURE_CHROMIUM` names. Where there is none, the tests say that they
 * skip. A console error, an exception and a violation of the Content-Security-Policy fail the test that met it.
 */
import { existsSync } from "node:fs"
import { type Browser, chromium, type Page } from "playwright-core"
import { expect, onTestFinished } from "vitest"

const candidates = [process.env["LIGATURE_CHROMIUM"] ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]

export const chromiumPath = candidates.find((path) => path !== "" && existsSync(path))

if (chromiumPath === undefined) console.error("No Chromium (apt-get install chromium, or LIGATURE_CHROMIUM=PATH): tests of the page skip.")

const switches = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath ?? "", args: switches })

export interface PageOptions {
  readonly colorScheme?: "light" | "dark"
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly locale?: string
}

/** A page of its own for one test, which ends without complaints of the browser, but for those that the test is about. */
export const pageOf = async (browser: Browser, options: PageOptions = {}, expected: readonly RegExp[] = []): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, locale: "en-US", ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const complaints: string[] = []
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("request", (request) => {
    const { protocol, hostname } = new URL(request.url())
    if (protocol !== "data:" && protocol !== "file:" && hostname !== "127.0.0.1") complaints.push(`request to ${request.url()}`)
  })
  onTestFinished(async () => {
    await context.close()
    expect(complaints.filter((complaint) => !expected.some((each) => each.test(complaint)))).toEqual([])
  })
  return page
}
