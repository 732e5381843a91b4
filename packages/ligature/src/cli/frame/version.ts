/** The version of the package, as package.json says it: two levels up, both in src/ and in dist/. */
import { readFileSync } from "node:fs"

export const version = (): string => {
  const { version: value } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    readonly version: string
  }
  return value
}
