/**
 * All pages that come from the code, as texts by path. A plain function: `test/docs.test.ts` compares its result with
 * what is committed, and writes it when UPDATE_DOCS=1.
 */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { cliPages } from "./docs/cli-pages.ts"
import { formatPages } from "./docs/format-pages.ts"
import { lossesPage } from "./docs/losses-page.ts"
import { profilePages } from "./docs/profile-pages.ts"
import { realSessionsPage } from "./docs/real-sessions-page.ts"
import { rulePages } from "./docs/rule-pages.ts"
import { fillSections } from "./docs/sections.ts"
import { root } from "./source-files.ts"

/** Written by hand, with sections from the code. */
const pagesWithSections: readonly string[] = ["README.md", "docs/invariants.md", "docs/guides/repair-a-dead-session.md"]

/** Folders in which every page is generated: a page there that is not in the map is stale. */
export const generatedFolders: readonly string[] = ["docs/rules", "docs/profiles", "docs/formats"]

export const generateDocs = async (): Promise<ReadonlyMap<string, string>> => {
  const pages = new Map([
    ...rulePages(),
    ...profilePages(),
    ...formatPages(),
    ...lossesPage(),
    ...realSessionsPage(),
    ...(await cliPages()),
  ])
  for (const path of pagesWithSections) {
    const file = join(root, path)
    if (existsSync(file)) pages.set(path, await fillSections(readFileSync(file, "utf8")))
  }
  return pages
}
