/** Looks for words in every file below a folder: what is removed must be in none of them. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"

/** The files that have the words, in UTF-8 or as JSON writes them. */
export const tracesOf = (words: string, folder: string): readonly string[] => {
  if (!existsSync(folder)) return []
  const found = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((each) => each.isFile())
  return found
    .map((each) => join(each.parentPath, each.name))
    .filter((path) => readFileSync(path).includes(words))
    .map((path) => relative(folder, path))
}
