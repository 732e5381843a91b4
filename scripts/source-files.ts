/** The source files of the package, read once, for the tests and pages that speak about all of them. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, posix, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { type CodeOnly, codeOnly } from "./code-only.ts"

/** The repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** The package of the library. */
export const library = join(root, "packages/ligature")

export interface SourceFile extends CodeOnly {
  /** Path below `src`, with forward slashes: `rules/catalog/index.ts`. */
  readonly path: string
  /** First folder of the path; "" for files of `src` itself. */
  readonly folder: string
  readonly text: string
  readonly lines: number
  /** What it imports, as written. */
  readonly imports: readonly string[]
}

/** Paths of all files below a folder, relative to it, sorted. */
export const filesBelow = (folder: string, ending: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort()

/** In scanned code, where strings are blank but keep their quotes and their place. */
const importPattern = /(?:\bfrom\s*|\bimport\s*\(?\s*)"(\s*)"/g

const readSource = (path: string, below = join(library, "src")): SourceFile => {
  const text = readFileSync(join(below, path), "utf8")
  const scanned = codeOnly(text)
  const imports = [...scanned.code.matchAll(importPattern)].map((match) => {
    const end = match.index + match[0].length - 1
    return text.slice(end - (match[1] as string).length, end)
  })
  const folder = path.includes("/") ? path.slice(0, path.indexOf("/")) : ""
  return { ...scanned, path, folder, text, lines: text.trimEnd().split("\n").length, imports }
}

export const readSources = (): readonly SourceFile[] => filesBelow(join(library, "src"), ".ts").map((path) => readSource(path))

/** The source files of the page, whose sentences are in the catalogues of the library. */
export const readPageSources = (): readonly SourceFile[] => {
  const below = join(root, "packages/viewer/src")
  return [".ts", ".tsx"].flatMap((ending) => filesBelow(below, ending)).map((path) => readSource(path, below))
}

/** Where a relative import leads, below `src`; undefined for a package or a Node module. */
export const resolveImport = (file: SourceFile, specifier: string): string | undefined =>
  specifier.startsWith(".") ? posix.normalize(posix.join(posix.dirname(file.path), specifier)) : undefined
