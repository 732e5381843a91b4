/**
 * Garbage, collected when there is a lot of it. V8 waits until the heap is several times what is alive in it, which is
 * right for speed and wrong for a reader that promises to stay small: it kept 15 MB alive and let 290 MB pile up.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const mostBytes = 64 << 20

let collect: (() => void) | undefined

const exposed = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc") as () => void
}

/** Call it where little is alive: the pause is then a few milliseconds. */
export const collectGarbage = (): void => {
  if (getHeapStatistics().used_heap_size < mostBytes) return
  collect ??= exposed()
  collect()
}

/** From now on the heap grows in small steps: for work that lets go of most of what it makes. Costs some more time for collecting. */
export const growSlowly = (): void => setFlagsFromString("--heap-growing-percent=25")
