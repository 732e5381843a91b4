/**
 * One odd value in one place of a healthy session or request, everything else as it was. Random damage nearly always breaks
 * several things at once, and the first hides the others; most of what is found here was missed by it.
 */
import { profileNames } from "../../../packages/ligature/src/rules/index.ts"
import type { Area } from "../area.ts"
import { cloned, isTree, jsonOf, removeAt, setAt, spotsIn, valueAt } from "../json-tree.ts"
import type { Random } from "../random.ts"
import { shrunkJson } from "../shrink.ts"
import { tryValue } from "./value-properties.ts"

type Change = (value: unknown) => unknown

/** In place of any value. */
const anywhere: readonly Change[] = [() => null, () => undefined, (value) => [value], (value) => jsonOf(value)]

const inText: readonly [Change, ...Change[]] = [
  (text) => `${String(text).slice(0, 3)}\ud83d${String(text).slice(3)}`,
  () => "",
  () => " \n",
  () => 7,
  () => ({ planted: "plantedinsteadofatext" }),
  () => ({ type: "text", text: "plantedinsteadofatext" }),
  () => ({ type: "tool_use", id: "toolu_planted", name: "bash", input: { command: "plantedinsteadofatext" } }),
  () => [{ type: "function", id: "call_planted", function: { name: "bash", arguments: '{"command":"plantedinsteadofatext"}' } }],
  () => [{ functionCall: { name: "bash", args: { command: "plantedinsteadofatext" } } }],
  () => "plantedinsteadofatext <read_file><path>x</path></read_file>",
  () => ({ toString: [], valueOf: "" }),
]

const inTree: readonly [Change, ...Change[]] = [
  () => [],
  () => ({}),
  () => "plantedinsteadofatree",
  (tree) =>
    Array.isArray(tree)
      ? [...(tree as readonly unknown[]), ...(tree as readonly unknown[])]
      : { ...(tree as object), extra: "plantedbesidefields" },
  (tree) => (Array.isArray(tree) ? (tree as readonly unknown[]).toReversed() : Object.values(tree as object)[0]),
]

const changed = (seed: unknown, random: Random): unknown => {
  const holder = { root: cloned(seed) }
  const spot = random.among(spotsIn(holder))
  if (!spot) return seed
  const value = valueAt(spot)
  const own = typeof value === "string" ? inText : isTree(value) ? inTree : anywhere
  const made = (random.among(random.chance(3) ? anywhere : own) ?? (() => null))(value)
  // The root cannot be missing.
  if (made !== undefined) setAt(spot, cloned(made))
  else if (spot.depth > 1) removeAt(spot)
  return holder.root
}

export const places: Area = {
  name: "places",
  weight: 80,
  draw: async (random, { seeds, formats }) => {
    const format = random.among(formats) ?? ""
    return { area: "places", format, value: changed(random.among(seeds.get(format) ?? []), random) }
  },
  check: async ({ format, value }, { random } = {}) =>
    tryValue(String(format), cloned(value), { profiles: random ? [random.among(profileNames) ?? ""] : profileNames, targets: [] }),
  shrink: async (subject, stillFails) => ({
    ...subject,
    value: await shrunkJson(subject["value"], (value) => stillFails({ ...subject, value })),
  }),
}
