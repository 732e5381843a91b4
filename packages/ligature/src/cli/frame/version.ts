/** The version in package.json, which has the same relative path from src/ and from dist/. */
import { readFileSync } from "node:fs"

export const version = (): string => {
  const { version: value } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    readonly version: string
  }
  return value
}
