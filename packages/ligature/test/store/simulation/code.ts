/** The build that simulated processes run: the one at hand if it is newer than the sources, else a new one. */
import { existsSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { makeBuild } from "../process-harness.ts"

const root = join(import.meta.dirname, "..", "..", "..")

const newest = (folder: string): number =>
  Math.max(0, ...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).mtimeMs))

export const buildToSimulate = (): { readonly code: string; readonly dispose: () => void } => {
  const built = join(root, "dist")
  const main = join(built, "store", "index.js")
  if (existsSync(main) && statSync(main).mtimeMs >= newest(join(root, "src"))) return { code: built, dispose: () => {} }
  const code = makeBuild()
  return { code, dispose: () => rmSync(code, { recursive: true, force: true }) }
}
