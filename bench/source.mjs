/** A source file of the library that no entry point exports, for benchmarks of one part. */
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

export const loadSource = async (path) => {
  const input = fileURLToPath(new URL(`../packages/ligature/src/${path}`, import.meta.url))
  const built = await rolldown({ input, platform: "node" })
  const { output } = await built.generate({ format: "esm", codeSplitting: false })
  await built.close()
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}
