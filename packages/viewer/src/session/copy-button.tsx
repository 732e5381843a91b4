/** A command or a text to copy, and the word that it was. */
import { useState } from "preact/hooks"
import { phrase } from "../words.ts"
import { copy } from "./save.ts"

export const CopyButton = ({ text, label }: { readonly text: string; readonly label: string }) => {
  const [done, setDone] = useState(false)
  return (
    <button
      type="button"
      class="small-button"
      onClick={() => {
        copy(text).then(
          () => setDone(true),
          // Without the clipboard the text is there to be marked by hand.
          () => setDone(false),
        )
        setTimeout(() => setDone(false), 1500)
      }}
    >
      {done ? phrase`Copied` : label}
    </button>
  )
}
