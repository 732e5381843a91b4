/** A command or a text to copy, and the word that it was. */
import { useState } from "preact/hooks"
import { phrase } from "../words.ts"
import { copy } from "./save.ts"

interface CopyProperties {
  readonly text: string
  readonly label: string
  readonly title?: string
}

export const CopyButton = ({ text, label, title }: CopyProperties) => {
  const [state, setState] = useState<"" | "done" | "failed">("")
  const said = (next: "done" | "failed"): void => {
    setState(next)
    setTimeout(() => setState(""), 2500)
  }
  return (
    <button
      type="button"
      class="small-button"
      title={title}
      onClick={() => {
        copy(text).then(
          () => said("done"),
          () => said("failed"),
        )
      }}
    >
      <span aria-live="polite">
        {state === "done" ? phrase`Copied` : state === "failed" ? phrase`Not allowed: copy it by hand` : label}
      </span>
    </button>
  )
}
