/**
 * F against the budget, one line per strategy, as SVG by hand. Colours are the eight that people with any kind of
 * colour vision tell apart; every line also has its own marker and its name at its end, so nothing hangs on colour
 * alone. The page behind it may be light or dark: text and grid follow the reader's scheme.
 */
const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7A7A7A", "#B8A800", "#332288"]

const markers = [
  (x, y) => `<circle cx="${x}" cy="${y}" r="4"/>`,
  (x, y) => `<rect x="${x - 3.5}" y="${y - 3.5}" width="7" height="7"/>`,
  (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>`,
  (x, y) => `<path d="M${x} ${y - 5}l5 5l-5 5l-5 -5z"/>`,
]

const size = { width: 860, height: 480, left: 56, right: 250, top: 44, bottom: 52 }
const escape = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;")
const fixed = (number) => Number(number.toFixed(1))

/** Names at the ends of lines, moved apart where they would lie on each other. */
const spreadLabels = (labels) => {
  const sorted = [...labels].sort((a, b) => a.y - b.y)
  for (let index = 1; index < sorted.length; index++) sorted[index].y = Math.max(sorted[index].y, sorted[index - 1].y + 15)
  const excess = (sorted.at(-1)?.y ?? 0) - (size.height - size.bottom)
  if (excess > 0) for (const label of sorted) label.y -= excess
  for (let index = sorted.length - 2; index >= 0; index--) sorted[index].y = Math.min(sorted[index].y, sorted[index + 1].y - 15)
  return sorted
}

/** `lines`: `{ title, points: [[rho, value]], isDashed }`. */
export const plotRecall = (lines, rhos, subtitle) => {
  const inner = { width: size.width - size.left - size.right, height: size.height - size.top - size.bottom }
  const [least, most] = [Math.log(rhos[0]), Math.log(rhos.at(-1))]
  const x = (rho) => fixed(size.left + (most === least ? 0.5 : (Math.log(rho) - least) / (most - least)) * inner.width)
  const y = (value) => fixed(size.top + (1 - value) * inner.height)
  const grid = [0, 0.2, 0.4, 0.6, 0.8, 1].map(
    (value) =>
      `<line class="grid" x1="${size.left}" x2="${size.left + inner.width}" y1="${y(value)}" y2="${y(value)}"/>` +
      `<text class="tick" x="${size.left - 8}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(1)}</text>`,
  )
  const below = `y="${size.top + inner.height + 20}" text-anchor="middle"`
  const ticks = rhos.map((rho) => `<text class="tick" x="${x(rho)}" ${below}>${Math.round(rho * 100)} %</text>`)
  const labels = []
  const drawn = lines.map(({ title, points, isDashed }, index) => {
    const colour = colours[index % colours.length]
    const known = points.filter(([, value]) => value !== undefined)
    if (known.length === 0) return ""
    const path = known.map(([rho, value], at) => `${at === 0 ? "M" : "L"}${x(rho)} ${y(value)}`).join("")
    const marks = known.map(([rho, value]) => markers[index % markers.length](x(rho), y(value))).join("")
    labels.push({ title, colour, y: y(known.at(-1)[1]) })
    const dash = isDashed ? ' stroke-dasharray="5 4"' : ""
    const line = `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${index === 0 ? 3 : 2}"${dash}/>`
    return `${line}<g fill="${colour}">${marks}</g>`
  })
  const names = spreadLabels(labels).map(
    ({ title, colour, y: at }) =>
      `<rect x="${size.left + inner.width + 12}" y="${at - 5}" width="10" height="10" fill="${colour}"/>` +
      `<text x="${size.left + inner.width + 28}" y="${at + 4}">${escape(title)}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" role="img" aria-labelledby="title">
<title id="title">F, what an agent later needs and still finds, against the budget</title>
<style>
svg { color-scheme: light dark; background: #ffffff }
text { font: 12px system-ui, sans-serif; fill: #1c1c1c }
.head { font-size: 14px; font-weight: 600 }
.tick { fill: #555555 }
.grid { stroke: #dddddd }
@media (prefers-color-scheme: dark) {
svg { background: #14171a } text { fill: #eeeeee } .tick { fill: #b0b0b0 } .grid { stroke: #3a3f44 }
}
</style>
<text class="head" x="${size.left}" y="22">What survives compaction: F against the budget</text>
<text class="tick" x="${size.left}" y="38">${escape(subtitle)}</text>
${grid.join("\n")}
${ticks.join("\n")}
<text class="tick" x="${size.left + inner.width / 2}" y="${size.height - 12}" text-anchor="middle">tokens of the view, in percent of the context</text>
${drawn.join("\n")}
${names.join("\n")}
</svg>
`
}
