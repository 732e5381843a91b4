/** Spans on the timeline of the browser's tools, and for `node bench/viewer.mjs`. */

let parsed: number | undefined

export const timed = <Value>(name: "parse" | "index" | "search", work: () => Value): Value => {
  const start = performance.now()
  const value = work()
  performance.measure(`ligature:${name}`, { start })
  if (name === "parse") parsed = performance.now()
  return value
}

/** Called after the rows were put into the page, before the browser paints them. */
export const timedUntilDrawn = (): void => {
  if (parsed !== undefined) performance.measure("ligature:open", { start: parsed })
  parsed = undefined
}
