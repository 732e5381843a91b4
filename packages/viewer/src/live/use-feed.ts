/** The exchanges of a feed, drawn again whenever they change, at most once per frame. */
import { useEffect, useReducer } from "preact/hooks"
import type { LiveFeed } from "./feed.ts"

export const useFeed = (feed: LiveFeed | undefined): void => {
  const [, redraw] = useReducer((times: number) => times + 1, 0)
  useEffect(() => {
    let frame = 0
    const stop = feed?.watch(() => {
      cancelAnimationFrame(frame)
      frame = requestAnimationFrame(() => redraw(0))
    })
    return () => {
      cancelAnimationFrame(frame)
      stop?.()
    }
  }, [feed])
}
