/**
 * What the library takes from the runtime it runs in: in Node the setting `DEBUG=ligature:*` is obeyed, and session formats
 * and the rule book are loaded when they are first needed. Entry modules import this for its effect. Nothing of Node is
 * imported, so that the same modules run in a browser or at the edge, where session formats are known after
 * `import "ligature/sessions"`, and findings quote the provider after `import "ligature/rules"`.
 */
import { setDebugSink, visible } from "../model/index.ts"
import { loadSessionsWith } from "../registry/known-sessions.ts"
import { loadBookWith } from "../rules/profiles/demands.ts"
import { wantsTopic } from "../debug/wants-topic.ts"

interface Runtime {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stderr?: { readonly write: (text: string) => unknown }
  readonly getBuiltinModule?: (name: string) => unknown
}

interface ModuleOfNode {
  readonly createRequire: (from: string) => (path: string) => unknown
}

const runtime = (globalThis as { readonly process?: Runtime }).process

/** The setting DEBUG; undefined where there is none. */
export const debugSetting = (): string | undefined => runtime?.env?.["DEBUG"]

export const writeToStderr = (text: string): void => {
  const stderr = runtime?.stderr
  if (stderr) stderr.write(text)
}

const setting = debugSetting()

if (setting?.includes("ligature") === true || setting?.includes("*") === true) {
  setDebugSink((topic) =>
    wantsTopic(setting, topic) ? (line) => writeToStderr(`ligature:${topic} ${visible(line).replaceAll("\n", "\\n")}\n`) : undefined,
  )
}

// Node loads a module in the middle of a synchronous function by `require` alone. In a bundle the file is not there: then
// the error for an unknown format names the import to add, and findings quote no provider.
const loading = (path: string) => (): void => {
  const node = runtime?.getBuiltinModule?.("node:module") as ModuleOfNode | undefined
  try {
    node?.createRequire(import.meta.url)(path)
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== "MODULE_NOT_FOUND") throw error
  }
}

loadSessionsWith(loading("../registry/sessions.js"))
loadBookWith(loading("../rules/book/index.js"))
