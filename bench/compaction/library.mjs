/** Our own library as compiled into a folder. */
import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"

const load = (path) => import(pathToFileURL(path).href)

export const loadLibrary = async (dist) => {
  const index = join(resolve(dist), "index.js")
  if (!existsSync(index)) throw new Error(`${dist} holds no compiled library: run \`npm run build\` first`)
  const compact = join(resolve(dist), "compact/index.js")
  return { ...(await load(index)), ...(existsSync(compact) && (await load(compact))) }
}
