/**
 * Where outputs go. No output may overwrite an input or another output: inputs with the same base name in different
 * folders are common (`a/session.json`, `b/session.json`), and silently losing one of them would be the worst possible
 * failure of this program.
 */
import { basename, extname, join, resolve } from "node:path"
import { identityOf } from "../input/files.ts"

export class OutputNames {
  readonly #inputs: ReadonlySet<string>
  readonly #taken = new Set<string>()

  private constructor(inputs: ReadonlySet<string>) {
    this.#inputs = inputs
  }

  static async besides(inputs: readonly string[], cwd: string): Promise<OutputNames> {
    const files = inputs.filter((name) => name !== "-")
    return new OutputNames(new Set(await Promise.all(files.map((name) => identityOf(resolve(cwd, name))))))
  }

  async isInput(path: string): Promise<boolean> {
    return this.#inputs.has(await identityOf(path))
  }

  /** Excludes a path from outputs: something else is written there. */
  reserve(path: string): void {
    this.#taken.add(path.toLowerCase())
  }

  /**
   * Paths for the conversations of one input: NAME.json, or NAME.0001.json, NAME.0002.json, … If one of them is taken,
   * all get a number after NAME, and `renamed` is true.
   */
  async claim(
    folder: string,
    input: string,
    conversations: number,
    extension: string | undefined,
  ): Promise<{ readonly paths: readonly string[]; readonly renamed: boolean }> {
    const file = input === "-" ? "stdin" : basename(input)
    const own = extname(file)
    const name = own === "" ? file : file.slice(0, -own.length)
    const ending = extension ?? (own === "" ? ".json" : own)
    for (let attempt = 1; ; attempt++) {
      const stem = attempt === 1 ? name : `${name}-${attempt}`
      const paths = Array.from({ length: conversations }, (_, index) =>
        join(folder, `${stem}${conversations === 1 ? "" : `.${String(index + 1).padStart(4, "0")}`}${ending}`),
      )
      if (!(await this.#areFree(paths))) continue
      // On some file systems Session.json and session.json are one file.
      for (const path of paths) this.#taken.add(path.toLowerCase())
      return { paths, renamed: attempt > 1 }
    }
  }

  async #areFree(paths: readonly string[]): Promise<boolean> {
    for (const path of paths) {
      if (this.#taken.has(path.toLowerCase()) || (await this.isInput(path))) return false
    }
    return true
  }
}
