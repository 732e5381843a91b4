/**
 * A folder that is really read-only, to a process that is really another user: root may write everywhere, so the tests start a
 * child as nobody. Who reads gets everything, who writes hears which path is in the way, and not a byte changes.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Store } from "../../src/store/index.ts"
import { say } from "./conformance.ts"
import { makeBuild } from "./process-harness.ts"

const nobody = { uid: 65_534, gid: 65_534 }

/** Why no child can be started as another user here; undefined when one can. */
const hindrance = (): string | undefined => {
  if (process.getuid?.() !== 0) return "the tests do not run as root"
  const { status, error } = spawnSync(process.execPath, ["-e", "0"], nobody)
  return status === 0 ? undefined : `no process can be started as user ${nobody.uid} (${error?.message ?? `exit code ${status}`})`
}

export interface ReadOnlyCase {
  readonly kind: "jsonl" | "sqlite"
  /** Where the store is in a folder. */
  readonly placeIn: (folder: string) => string
  readonly open: (place: string) => Store
  /** Said of every refused write, with the folder in it. */
  readonly refusal: RegExp
}

const contents = (folder: string): ReadonlyMap<string, string> => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()
  return new Map(names.map((name) => [name, statSync(join(folder, name)).isFile() ? readFileSync(join(folder, name), "latin1") : ""]))
}

const reads = { load: ["a", "b"], tail: ["b"], list: ["c"], branches: ["b"], again: ["a", "b"], close: null }
const writes = ["append", "create", "fork", "acquire", "remove"]

export const surviveReadOnlyFolder = ({ kind, placeIn, open, refusal }: ReadOnlyCase): void => {
  const reason = hindrance()
  if (reason !== undefined) process.stdout.write(`skipped: the ${kind} store in a read-only folder, ${reason}\n`)

  describe.skipIf(reason !== undefined)(`${kind}: a folder that may not be written`, () => {
    let build = ""
    beforeAll(() => {
      build = makeBuild()
      chmodSync(build, 0o755)
      copyFileSync(join(import.meta.dirname, "visitor.mjs"), join(build, "visitor.mjs"))
    }, 120_000)
    afterAll(() => rmSync(build, { recursive: true, force: true }))

    for (const owner of ["the same user", "another user"]) {
      it(`is read, and named to whoever writes, when its files belong to ${owner}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), "ligature-read-only-"))
        const place = placeIn(folder)
        const store = open(place)
        await store.create({ id: "c" })
        for (const words of ["a", "b"]) await store.append("c", [say(words, words)])
        await store.close()
        for (const path of ["", ...contents(folder).keys()].map((name) => join(folder, name))) {
          if (owner === "the same user") chownSync(path, nobody.uid, nobody.gid)
          else chmodSync(path, statSync(path).isFile() ? 0o444 : 0o555)
        }
        chmodSync(folder, 0o555)
        const before = contents(folder)
        const env = { ...process.env, NODE_NO_WARNINGS: "1" }
        const parameters = [join(build, "visitor.mjs"), build, kind, place]
        const { stdout, stderr } = spawnSync(process.execPath, parameters, { ...nobody, env, encoding: "utf8", cwd: build })
        expect(stderr).toBe("")
        const refused = { error: "StoreError", reason: "unwritable", message: expect.stringMatching(refusal) as string }
        const outcomes = JSON.parse(stdout) as Readonly<Record<string, { readonly message?: string }>>
        expect(outcomes).toEqual({ ...reads, ...Object.fromEntries(writes.map((name) => [name, refused])) })
        for (const name of writes) expect(outcomes[name]?.message).toContain(folder)
        expect(contents(folder)).toEqual(before)
        rmSync(folder, { recursive: true, force: true })
      })
    }
  })
}
