/** An error of a provider that somebody pasted, and the block that it is about. */
import { useMemo, useState } from "preact/hooks"
import type { History } from "../history/open.ts"
import { classify, locate, refusedPlace } from "../library.ts"
import type { Place } from "../library-types.ts"

export interface Pin {
  readonly text: string
  readonly setText: (text: string) => void
  /** Undefined for an error about something else, or an unknown one. */
  readonly rule?: { readonly id: string; readonly demand: string; readonly repair: string }
  readonly place?: Place
  readonly row?: number
}

export const usePin = (history: History | undefined): Pin => {
  const [text, setText] = useState("")
  return useMemo(() => {
    if (history === undefined || text.trim() === "") return { text, setText }
    const found = classify(text)
    const place = found?.place ?? refusedPlace(text)
    const located = locate(
      { ids: found?.ids ?? [], ...(found && { rule: found.rule }), ...(place && { place }) },
      history.transcript,
      history.part.value,
    )
    return {
      text,
      setText,
      ...(found && { rule: found.rule }),
      ...(located && { place: located.place, row: history.rowOf(located.place) }),
    }
  }, [history, text])
}
