/**
 * What changed between two lists: which elements stayed, which are gone, which are new. The shortest script by Myers's
 * greedy search, between the common prefix and the common suffix; beyond a limit of changes the rest counts
 * as replaced, so that two unrelated lists cost no more than similar ones.
 */

export interface Step {
  readonly kind: "same" | "gone" | "new"
  /** Index in its list: the old one for `gone`, the new one otherwise. */
  readonly index: number
}

const mostChanges = 1500

export const difference = (before: readonly string[], after: readonly string[]): readonly Step[] => {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const steps: Step[] = []
  for (let index = 0; index < start; index++) steps.push({ kind: "same", index })
  const middle = changes(before.slice(start, before.length - end), after.slice(start, after.length - end))
  for (const { kind, index } of middle) steps.push({ kind, index: index + start })
  for (let index = after.length - end; index < after.length; index++) steps.push({ kind: "same", index })
  return steps
}

const replaced = (before: readonly string[], after: readonly string[]): readonly Step[] => [
  ...before.map((_, index): Step => ({ kind: "gone", index })),
  ...after.map((_, index): Step => ({ kind: "new", index })),
]

/** `furthest[d]` has, for each diagonal, how far into `before` d changes reach; walked backwards, it is the script. */
const changes = (before: readonly string[], after: readonly string[]): readonly Step[] => {
  const [width, height] = [before.length, after.length]
  if (width === 0 || height === 0) return replaced(before, after)
  const trail: Map<number, number>[] = []
  let furthest = new Map<number, number>([[1, 0]])
  for (let cost = 0; cost <= Math.min(width + height, mostChanges); cost++) {
    trail.push(furthest)
    const next = new Map<number, number>()
    for (let diagonal = -cost; diagonal <= cost; diagonal += 2) {
      const down = furthest.get(diagonal + 1) ?? -1
      const right = furthest.get(diagonal - 1) ?? -1
      let x = diagonal === -cost || (diagonal !== cost && right < down) ? down : right + 1
      let y = x - diagonal
      while (x < width && y < height && before[x] === after[y]) {
        x++
        y++
      }
      next.set(diagonal, x)
      if (x >= width && y >= height) return script(trail, width, height)
    }
    furthest = next
  }
  return replaced(before, after)
}

const script = (trail: readonly ReadonlyMap<number, number>[], width: number, height: number): readonly Step[] => {
  const steps: Step[] = []
  let [x, y] = [width, height]
  for (let cost = trail.length - 1; cost >= 0; cost--) {
    const furthest = trail[cost] ?? new Map<number, number>()
    const diagonal = x - y
    const down = furthest.get(diagonal + 1) ?? -1
    const right = furthest.get(diagonal - 1) ?? -1
    const isDown = diagonal === -cost || (diagonal !== cost && right < down)
    const fromX = isDown ? down : right
    const fromY = fromX - (isDown ? diagonal + 1 : diagonal - 1)
    while (x > fromX && y > fromY && x > 0 && y > 0) steps.push({ kind: "same", index: (x--, --y) })
    if (cost > 0) steps.push(isDown ? { kind: "new", index: --y } : { kind: "gone", index: --x })
    ;[x, y] = [fromX, fromY]
  }
  return steps.reverse()
}
