/**
 * A complete conversation, for `show` and `log show`: as text (`--full`) or as a Markdown document (`--markdown`), on
 * stdout or in a file. Files and pipes get no colours.
 */
import { resolve } from "node:path"
import { type Conversation, phrase, visible } from "../../model/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context } from "../frame/command.ts"
import { writeOutput } from "../input/files.ts"
import { fullLines } from "../print/full-text.ts"
import { markdownOf } from "../print/markdown.ts"
import { plainPalette } from "../frame/palette.ts"
import { conversationPieces } from "../print/pieces.ts"
import { oneLine } from "../frame/text.ts"
import { UsageError } from "../frame/usage-error.ts"
import { OutputNames } from "./output-names.ts"

export const wholeOptions: readonly OptionSpec[] = [
  { name: "full", text: "show every message in full, with arguments and results" },
  { name: "markdown", text: "the same, as a Markdown document" },
  { name: "out", short: "o", value: "OUT", text: "write the output of --markdown or --full to this file" },
]

export interface WholeHead {
  readonly title: string
  readonly facts: readonly string[]
}

/** Collects the documents, and writes them at the end if a file was given. */
export class WholeView {
  readonly #context: Context
  readonly #form: "markdown" | "text"
  readonly #file: string | undefined
  readonly #documents: string[] = []

  private constructor(context: Context, form: "markdown" | "text", file: string | undefined) {
    this.#context = context
    this.#form = form
    this.#file = file
  }

  /** Undefined if not requested. `files`: the inputs, which must not be overwritten. */
  static async asked(context: Context, files: readonly string[] = []): Promise<WholeView | undefined> {
    const { arguments: given, io } = context
    const [full, markdown, file] = [given.flag("full"), given.flag("markdown"), given.text("out")]
    if (full && markdown) throw new UsageError(phrase`Give only one of --full and --markdown`)
    if ((full || markdown) && given.flag("json"))
      throw new UsageError(phrase`--json already shows everything`, phrase`Omit --full or --markdown.`)
    if (!full && !markdown) {
      if (file === undefined) return undefined
      throw new UsageError(phrase`-o needs --markdown or --full`, phrase`For example: ${"--markdown -o conversation.md"}`)
    }
    const target = file === "-" ? undefined : file
    if (target !== undefined && (await (await OutputNames.besides(files, io.cwd)).isInput(resolve(io.cwd, target)))) {
      throw new UsageError(phrase`-o ${target} is the input itself`, phrase`Give another file.`)
    }
    return new WholeView(context, markdown ? "markdown" : "text", target)
  }

  /** Nothing else is printed about the conversation; `--full` on a terminal goes below its header. */
  get isDocument(): boolean {
    return this.#form === "markdown" || this.#file !== undefined
  }

  show(head: WholeHead, conversation: Conversation): void {
    const { out } = this.#context
    const pieces = conversationPieces(conversation)
    if (!this.isDocument) for (const line of fullLines(pieces, out.palette)) out.line(line)
    else if (this.#form === "markdown") this.#documents.push(markdownOf(head, pieces))
    else {
      const facts = head.facts.map((fact) => `  ${oneLine(fact)}`)
      const lines = [oneLine(head.title), ...facts, ...fullLines(pieces, plainPalette).map((line) => visible(line))]
      this.#documents.push(`${lines.join("\n")}\n`)
    }
  }

  /** `mode`: the most permissive mode of the file. */
  async end(mode: number): Promise<void> {
    const { out, err, io } = this.#context
    if (!this.isDocument || this.#documents.length === 0) return
    const text = this.#documents.join("\n")
    if (this.#file === undefined) return out.write(text)
    await writeOutput(resolve(io.cwd, this.#file), text, mode)
    err.line(`${err.palette.good("✓")} ${phrase`Written to ${this.#file}`}`)
  }
}
