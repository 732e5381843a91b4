/** Lines from where blocks were to where they are, over the two columns. Measured after each drawing. */
import { useEffect, useRef, useState } from "preact/hooks"

interface Line {
  readonly number: string
  readonly path: string
}

const linesIn = (sides: HTMLElement): readonly Line[] => {
  const frame = sides.getBoundingClientRect()
  return [...sides.querySelectorAll<HTMLElement>("[data-left]")].flatMap((left): readonly Line[] => {
    const number = left.dataset["left"] ?? ""
    const right = sides.querySelector<HTMLElement>(`[data-right="${number}"]`)
    if (right === null) return []
    const [from, to] = [(left.lastElementChild ?? left).getBoundingClientRect(), right.getBoundingClientRect()]
    // One below the other on a narrow screen: the words say where it is.
    if (to.left <= from.left) return []
    const [x1, y1] = [from.right - frame.left + 4, from.top + from.height / 2 - frame.top]
    const [x2, y2] = [to.left - frame.left - 4, to.top + Math.min(20, to.height) / 2 - frame.top]
    const bend = Math.max(24, (x2 - x1) / 2)
    return [{ number, path: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}` }]
  })
}

/** `drawn`: changes whenever the columns do. */
export const JointLines = ({ drawn }: { readonly drawn: unknown }) => {
  const element = useRef<SVGSVGElement>(null)
  const [lines, setLines] = useState<readonly Line[]>([])
  useEffect(() => {
    const sides = element.current?.parentElement
    if (!sides) return undefined
    const measure = (): void => setLines(linesIn(sides))
    const resized = new ResizeObserver(measure)
    resized.observe(sides)
    measure()
    return () => resized.disconnect()
  }, [drawn])
  return (
    <svg class="joint-lines" ref={element} aria-hidden="true">
      {lines.map(({ number, path }) => (
        <path key={number} d={path} />
      ))}
    </svg>
  )
}
