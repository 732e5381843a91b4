/** Source files of the library that no entry point exports, for benchmarks of one part. What they share is there once. */
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

export const loadSource = async (...paths) => {
  const files = paths.map((path) => fileURLToPath(new URL(`../packages/ligature/src/${path}`, import.meta.url)))
  const all = files.map((file) => `export * from ${JSON.stringify(file)}`).join("\n")
  const entry = {
    name: "entry",
    resolveId: (id) => (id === "entry" ? id : null),
    load: (id) => (id === "entry" ? all : null),
  }
  const built = await rolldown({ input: "entry", platform: "node", plugins: [entry], logLevel: "silent" })
  const { output } = await built.generate({ format: "esm", codeSplitting: false })
  await built.close()
  return import(`data:text/javascript,${encodeURIComponent(output[0].code)}`)
}
