/**
 * A conversation in full, for `show` and `log show`: as text (`--text`), as a Markdown document (`--md OUT`) or as a page (`--html OUT`);
 * and what is taken out before it is shown in any way (`--redact`).
 */
import { resolve } from "node:path"
import { markdownOf, type ExportHead } from "../../export/markdown.ts"
import { conversationPieces } from "../../export/pieces.ts"
import { Redactor } from "../../export/redact.ts"
import { fullLines } from "../../export/text.ts"
import { type Conversation, phrase } from "../../model/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context } from "../frame/command.ts"
import { UsageError } from "../frame/usage-error.ts"
import { filePart, type Source } from "../input/source.ts"
import { writeOutput } from "../input/files.ts"
import { homeOf } from "../sessions/session-files.ts"
import { savedPage } from "../../html/index.ts"
import { OutputNames } from "./output-names.ts"

export const exportOptions: readonly OptionSpec[] = [
  { name: "text", text: "show every message in full, with arguments and results" },
  { name: "md", value: "OUT", text: "write the same as a Markdown document (- for stdout)" },
]

export const htmlOption: OptionSpec = {
  name: "html",
  value: "OUT",
  text: "write one HTML file that shows the session in any browser, offline (- for stdout)",
}

export const redactOptions: readonly OptionSpec[] = [
  { name: "redact", text: "take out keys, tokens and the user in home paths, and say what was taken out" },
  { name: "redact-name", value: "NAME", repeatable: true, text: "also take out this name, wherever it occurs; repeatable" },
]

const kinds: Readonly<Record<string, () => string>> = {
  "home-path": () => phrase`users in home paths`,
  name: () => phrase`given names`,
  "private-key": () => phrase`private keys`,
  "anthropic-key": () => phrase`Anthropic keys`,
  "github-token": () => phrase`GitHub tokens`,
  "gitlab-token": () => phrase`GitLab tokens`,
  "slack-token": () => phrase`Slack tokens`,
  "aws-key": () => phrase`AWS keys`,
  "google-key": () => phrase`Google keys`,
  "stripe-key": () => phrase`Stripe keys`,
  "api-key": () => phrase`API keys`,
  token: () => phrase`tokens`,
  password: () => phrase`passwords`,
  secret: () => phrase`secrets`,
}

type Form = "text" | "md" | "html"

export class ExportView {
  readonly #context: Context
  readonly #form: Form | undefined
  /** Where to; undefined is stdout. */
  readonly #file: string | undefined
  readonly #redactor: Redactor | undefined
  readonly #documents: string[] = []

  private constructor(context: Context, form: Form | undefined, file: string | undefined) {
    const { arguments: given, io } = context
    const names = given.list("redact-name")
    this.#context = context
    this.#form = form
    this.#file = file
    if (given.flag("redact") || names.length > 0) this.#redactor = new Redactor({ names, homes: [homeOf(io)] })
  }

  /** `files`: the inputs, which must not be overwritten. */
  static async asked(context: Context, files: readonly string[] = []): Promise<ExportView> {
    const { arguments: given, io } = context
    const forms = (["text", "md", "html"] as const).filter((form) => given.flag(form))
    const [form] = forms
    if (forms.length > 1) throw new UsageError(phrase`Give only one of --text, --md and --html`)
    if (form !== undefined && given.flag("json")) {
      throw new UsageError(phrase`--json already shows everything`, phrase`Omit ${`--${form}`}.`)
    }
    if (form === "html") {
      if (files.length > 1) throw new UsageError(phrase`--html takes one input, got ${files.length}`, phrase`Make a page of each.`)
      const part = ["message", "search", "branch", "view", "all"].find((name) => given.flag(name))
      if (part !== undefined) throw new UsageError(phrase`--html has the whole session`, phrase`Omit ${`--${part}`}.`)
    }
    const out = form === undefined || form === "text" ? undefined : given.text(form)
    const file = out === "-" ? undefined : out
    if (
      file !== undefined &&
      (await (
        await OutputNames.besides(
          files.map((each) => filePart(each, io.cwd)),
          io.cwd,
        )
      ).isInput(resolve(io.cwd, file)))
    ) {
      throw new UsageError(phrase`${`--${form} ${file}`} is the input itself`, phrase`Give another file.`)
    }
    return new ExportView(context, form, file)
  }

  get isFull(): boolean {
    return this.#form !== undefined
  }

  /** Nothing else is printed about the conversation; text goes below its header. */
  get isDocument(): boolean {
    return this.#form === "md" || this.#form === "html"
  }

  get isPage(): boolean {
    return this.#form === "html"
  }

  /** What is shown of a file. */
  redacted(source: Source): Source {
    return this.#redactor === undefined ? source : source.redacted(this.#redactor)
  }

  /** The same of a value that did not come from a file. */
  redactedValue<Value>(value: Value): Value {
    if (this.#redactor === undefined) return value
    this.#redactor.learn(JSON.stringify(value))
    return this.#redactor.value(value) as Value
  }

  show(head: ExportHead, conversation: Conversation): void {
    const { out } = this.#context
    const pieces = conversationPieces(conversation)
    if (this.#form === "md") this.#documents.push(markdownOf(head, pieces))
    else for (const line of fullLines(pieces, out.palette)) out.whole(line)
  }

  async showPage(source: Source): Promise<void> {
    const { document, content, name } = source
    const shown = name.split(/[/\\]/).at(-1) ?? name
    const isWhole = content.length > 0 && document.parts.length > 0
    const session = isWhole
      ? { name: shown, bytes: typeof content === "string" ? Buffer.from(content) : content }
      : { name: shown, parts: document.parts, problems: document.problems }
    this.#documents.push(await savedPage(session, { language: this.#context.language }))
  }

  /** `mode`: the most permissive mode of the file. */
  async end(mode: number): Promise<void> {
    const { out, err, io } = this.#context
    if (this.isDocument && this.#documents.length > 0) {
      const text = this.#documents.join("\n")
      if (this.#file === undefined) out.write(text)
      else {
        await writeOutput(resolve(io.cwd, this.#file), text, mode)
        err.line(`${err.palette.good("✓")} ${phrase`Written to ${this.#file}`}`)
      }
    }
    this.#printRedaction()
  }

  #printRedaction(): void {
    if (this.#redactor === undefined) return
    const { err } = this.#context
    const { taken, left, encoded } = this.#redactor.report
    const list = taken.map(({ kind, times }) => `${times} × ${kinds[kind]?.() ?? kind}`).join(" · ")
    err.line(phrase`Taken out: ${list === "" ? phrase`nothing` : list}`)
    for (const { name, times } of left) {
      err.line(`  ${phrase`${name}, a user in the paths, is still there elsewhere, ${times} times: ${`--redact-name ${name}`}`}`)
    }
    if (encoded > 0) err.line(`  ${phrase`${encoded} long encoded values (images, signatures) were not looked into`}`)
    err.line(err.palette.quiet(`  ${phrase`Read the result before you share it: not every secret can be recognised.`}`))
  }
}
