/** The keys, shown by `?`. */
import { useEffect, useRef } from "preact/hooks"
import { phrase } from "../words.ts"

const keys: readonly (readonly [keys: string, what: () => string])[] = [
  ["n  p", () => phrase`next or previous finding`],
  ["j  k", () => phrase`next or previous message, or session in the list`],
  ["g  G", () => phrase`first or last message`],
  ["o", () => phrase`open or close what is in the selected message`],
  ["/", () => phrase`search; Enter and Shift+Enter go from match to match`],
  ["f", () => phrase`show or hide the findings`],
  ["1  2  3  4", () => phrase`timeline, repair, compaction, requests`],
  ["l", () => phrase`back to the list of sessions`],
  ["Esc", () => phrase`leave a field, or close this`],
  ["?", () => phrase`these keys`],
]

export const Help = ({ onClose }: { readonly onClose: () => void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      class="help"
      aria-labelledby="help-title"
      onClose={onClose}
      onClick={(event) => {
        // Beside it is its backdrop.
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="help-in">
        <header class="tab-head">
          <h2 id="help-title">{phrase`Keys`}</h2>
          <button type="button" class="small-button" onClick={onClose}>
            {phrase`Close`}
          </button>
        </header>
        <dl class="keys">
          {keys.map(([key, what]) => (
            <>
              <dt>
                {key.split("  ").map((each) => (
                  <kbd>{each}</kbd>
                ))}
              </dt>
              <dd>{what()}</dd>
            </>
          ))}
        </dl>
        <p class="quiet">{phrase`Files are read in this page: drop one anywhere.`}</p>
      </div>
    </dialog>
  )
}
