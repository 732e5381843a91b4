/** What axe finds wrong with a page: whatever its impact. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

interface Found {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

export const violations = async (page: Page): Promise<readonly string[]> => {
  // The policy of the page allows no script of others; the devtools may evaluate one.
  await page.evaluate(source)
  const found = (await page.evaluate("axe.run()")) as Found
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`)
}
