/** Files of the package, which are found by its name: where the code lies differs between sources and the built package. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"

export const packageFolder = (): string => dirname(createRequire(import.meta.url).resolve("ligature/package.json"))

export const packageFile = (path: string): string => readFileSync(join(packageFolder(), path), "utf8")

export const version = (): string => (JSON.parse(packageFile("package.json")) as { readonly version: string }).version
