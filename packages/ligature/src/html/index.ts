/**
 * A session as a page: one HTML file that opens offline, with its timeline, every finding, and each repair before and after. Redact
 * before; everything that is given here is in the page. Reads the page from the installed package, so it needs Node.
 *
 * @example
 * import { savedPage } from "ligature/html"
 *
 * const bytes = Buffer.from(JSON.stringify(request))
 * const html = await savedPage({ name: "session.json", bytes }, { language: "en" })
 */
export { savedPage, type SavedPageOptions, type SavedSession } from "./page-files.ts"
