/** The files of the page, built from `packages/viewer` into `dist/page`, and the document around them. */
import { isUtf8 } from "node:buffer"
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import type { DocumentPart, Problem } from "../document/index.ts"
import { assertOptions, LigatureError, phrase, visible } from "../model/index.ts"
import type { Language } from "../language/index.ts"
import { packageFolder } from "../files/package-file.ts"

const folder = (): string => join(packageFolder(), "dist/page")

const types: Readonly<Record<string, string>> = { js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" }

export interface PageFile {
  readonly type: string
  readonly content: Uint8Array
}

/** By their names. They are few, and read once. */
export const pageFiles = async (): Promise<ReadonlyMap<string, PageFile>> => {
  const names = await readdir(folder()).catch(() => {
    throw new LigatureError("cannot-read", phrase`The page was not built. Run: ${"npm run build"}`)
  })
  const files = await Promise.all(
    names.map(async (name): Promise<readonly [string, PageFile]> => {
      const type = types[name.slice(name.lastIndexOf(".") + 1)] ?? "application/octet-stream"
      return [name, { type, content: await readFile(join(folder(), name)) }]
    }),
  )
  return new Map(files)
}

const documentOf = (head: string, body: string, attributes: string): string => `<!doctype html>
<html lang="en"${attributes}>
<head>
<meta charset="utf-8">
${head}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>Ligature</title>
</head>
<body>
<div id="page"></div>
${body}
</body>
</html>
`

/** Who serves the page, which decides what it asks for, and the address that its files are below. */
export interface ServedBy {
  readonly source: "served" | "gateway"
  readonly root: string
}

/** The page that a server sends: everything else comes from the server too. */
export const servedPage = (language: Language, { source, root }: ServedBy = { source: "served", root: "/" }): string =>
  documentOf(
    `<link rel="stylesheet" href="${root}page.css">`,
    `<script type="module" src="${root}page.js"></script>`,
    ` data-source="${source}" data-language="${language}"`,
  )

/** What a served page may do: run our scripts, ask our server, show images that are in a conversation. */
export const servedPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** With every answer of a server that has the page. */
export const servedHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": servedPolicy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

/** JSON that no parser of HTML takes for markup, and without characters that a terminal would obey. */
const inScript = (value: unknown): string =>
  visible(JSON.stringify(value)).replace(/[<>&\u2028\u2029]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * What a saved page shows: the bytes of one file, or, of a database, what was read of it. `packages/viewer/src/source/embedded.ts` reads
 * it back. Redact before: everything that is given here is in the page.
 */
export type SavedSession = { readonly name: string } & (
  | { readonly bytes: Uint8Array }
  | { readonly parts: readonly DocumentPart[]; readonly problems: readonly Problem[] }
)

/** Text as text; bytes that are none, as they are. */
const embedded = (session: SavedSession): unknown => {
  if (!("bytes" in session)) return session
  const { name, bytes } = session
  return isUtf8(bytes) ? { name, text: Buffer.from(bytes).toString("utf8") } : { name, base64: Buffer.from(bytes).toString("base64") }
}

export interface SavedPageOptions {
  /** The language of the page itself: "en" or "zh-CN". Default: "en". */
  readonly language?: Language
}

/**
 * The whole page in one file with a session in it, to be sent to somebody or opened from disk: `savedPage({ name, bytes })`. It can
 * run nothing but its own script, and ask nobody for anything.
 */
export const savedPage = async (session: SavedSession, options: SavedPageOptions = {}): Promise<string> => {
  assertOptions(options, { language: true })
  const { language = "en" } = options
  const files = await pageFiles()
  const text = (name: string): string => Buffer.from(files.get(name)?.content ?? []).toString("utf8")
  // Nothing in a script may end its element.
  const script = `\n${text("saved.js").replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--")}`
  const style = `\n${text("page.css")}`
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; img-src data:; base-uri 'none'; form-action 'none'`
  return documentOf(
    `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`,
    `<script type="application/json" id="session">${inScript(embedded(session))}</script>\n<script type="module">${script}</script>`,
    ` data-source="saved" data-language="${language}"`,
  )
}
