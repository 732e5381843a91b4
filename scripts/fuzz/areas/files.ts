/** Files of every format, damaged in their bytes. */
import { isDeeper, jsonText } from "../../../packages/ligature/src/model/index.ts"
import { type Area, bytesOf } from "../area.ts"
import { mutatedBytes } from "../mutate-bytes.ts"
import { mutatedJson } from "../mutate-json.ts"
import type { Random } from "../random.ts"
import { shrunkBytes } from "../shrink.ts"
import { tryFile } from "./file-properties.ts"

/** As agents write it: lists one record per line, values on one line or over many. */
export const fileOf = (value: unknown, random: Random): Buffer => {
  const isPretty = random.chance(2)
  if (Array.isArray(value)) return Buffer.from(value.map(jsonText).join("\n"))
  // Indentation of a deep value would be longer than the value itself by far.
  return Buffer.from(isPretty && !isDeeper(value) ? (JSON.stringify(value, undefined, 2) ?? "") : jsonText(value))
}

export const files: Area = {
  name: "files",
  weight: 20,
  draw: async (random, { seeds, vocabulary, formats }) => {
    const seed = random.among(seeds.get(random.among(formats) ?? "") ?? [])
    const value = random.chance(2) ? seed : mutatedJson(seed, random, vocabulary)
    return { area: "files", bytes: mutatedBytes(fileOf(value, random), random).toString("base64") }
  },
  check: async ({ bytes }) => tryFile(bytesOf(bytes)),
  shrink: async (subject, stillFails) => {
    const small = await shrunkBytes(bytesOf(subject["bytes"]), (bytes) => stillFails({ ...subject, bytes: bytes.toString("base64") }))
    return { ...subject, bytes: small.toString("base64"), text: small.toString("utf8") }
  },
}
