/**
 * `node scripts/pictures.mjs`: takes the pictures of the README and the guides anew, from the page as it is built now (`npm run build`),
 * with sessions that are written for it. Needs Chromium (`apt-get install chromium fonts-wqy-microhei`).
 *
 *   node scripts/pictures.mjs              into docs/images
 *   node scripts/pictures.mjs /tmp/shots   elsewhere
 */
import { spawnSync } from "node:child_process"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const env = { ...process.env, LIGATURE_PICTURES: resolve(process.argv[2] ?? join(root, "docs/images")) }
const vitest = join(root, "node_modules/vitest/vitest.mjs")
const { status } = spawnSync(process.execPath, [vitest, "run", "packages/viewer/test/pictures.test.ts"], {
  cwd: root,
  stdio: "inherit",
  env,
})
process.exit(status ?? 1)
