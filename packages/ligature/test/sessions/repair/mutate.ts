/**
 * Damage to the JSON value of a file, without any knowledge of its format: fields that are missing, of another type or
 * with the value of a field elsewhere; records and blocks that are missing, doubled, moved, swapped or put into another
 * list. Drawn from choices, so that a damaged file is a function of a list of numbers and shrinks with it.
 */
import { isWire } from "../../../src/model/index.ts"
import type { Choices } from "../../../src/testing/index.ts"

type Step = string | number
type Path = readonly Step[]

const odd: readonly [unknown, ...unknown[]] = [
  null,
  "",
  " \n",
  0,
  7,
  true,
  false,
  [],
  {},
  "x",
  "\ud800cut",
  [null],
  [{}],
  ["x"],
  [{ type: "text", text: "x" }],
  { type: "text", text: "" },
  "tool",
  "user",
  "assistant",
  "system",
  "tool_use",
  "tool_result",
  "thinking",
  "text",
  "n".repeat(230),
  "no such id",
  { a: { b: "cut \udc00" } },
  "[]",
  "{}",
  '{"a":',
  [[]],
]

const childrenOf = (value: unknown): readonly (readonly [Step, unknown])[] => {
  if (Array.isArray(value)) return value.map((each, index) => [index, each] as const)
  return isWire(value) ? Object.entries(value) : []
}

/** Every place in a value but its root, in order. */
const placesIn = (value: unknown): readonly Path[] => {
  const places: Path[] = []
  const visit = (node: unknown, path: Path): void => {
    for (const [step, child] of childrenOf(node)) {
      const own = [...path, step]
      places.push(own)
      visit(child, own)
    }
  }
  visit(value, [])
  return places
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((node: unknown, step) => (node as Readonly<Record<Step, unknown>> | undefined)?.[step], value)

/** A copy in which the list or object at a path is another one. */
const withNode = (value: unknown, path: Path, change: (node: unknown) => unknown): unknown => {
  const [step, ...rest] = path
  if (step === undefined) return change(value)
  if (Array.isArray(value)) return value.map((each, index) => (index === step ? withNode(each, rest, change) : each))
  if (!isWire(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, key === step ? withNode(each, rest, change) : each]))
}

const without = (value: unknown, path: Path): unknown => {
  const last = path.at(-1)
  return withNode(value, path.slice(0, -1), (node) => {
    if (Array.isArray(node)) return node.filter((_, index) => index !== last)
    return isWire(node) ? Object.fromEntries(Object.entries(node).filter(([key]) => key !== last)) : node
  })
}

const inserted = (list: readonly unknown[], index: number, value: unknown): readonly unknown[] =>
  list.toSpliced(Math.min(index, list.length), 0, value)

type Mutation = (value: unknown, choices: Choices) => unknown

const drawn = (places: readonly Path[], choices: Choices): Path | undefined => places[choices.number(Math.max(1, places.length))]

const listsIn = (value: unknown): readonly Path[] => [[], ...placesIn(value)].filter((path) => Array.isArray(at(value, path)))

const elementsIn = (value: unknown): readonly Path[] =>
  placesIn(value).filter((path) => typeof path.at(-1) === "number" && isWire(at(value, path)))

const fieldsIn = (value: unknown): readonly Path[] => placesIn(value).filter((path) => typeof path.at(-1) === "string")

const mutations: Readonly<Record<string, Mutation>> = {
  "remove a field": (value, choices) => {
    const path = drawn(fieldsIn(value), choices)
    return path ? without(value, path) : value
  },
  "give a field an odd value": (value, choices) => {
    const path = drawn(fieldsIn(value), choices)
    return path ? withNode(value, path, () => choices.one(odd)) : value
  },
  "give a field the value of its namesake": (value, choices) => {
    const fields = fieldsIn(value)
    const path = drawn(fields, choices)
    if (!path) return value
    const other = drawn(
      fields.filter((each) => each.at(-1) === path.at(-1)),
      choices,
    )
    return other ? withNode(value, path, () => at(value, other)) : value
  },
  "give a field the value of another": (value, choices) => {
    const fields = fieldsIn(value)
    const [path, other] = [drawn(fields, choices), drawn(fields, choices)]
    return path && other ? withNode(value, path, () => at(value, other)) : value
  },
  "remove an element": (value, choices) => {
    const path = drawn(elementsIn(value), choices)
    return path ? without(value, path) : value
  },
  "double an element": (value, choices) => {
    const path = drawn(elementsIn(value), choices)
    const copy = path && at(value, path)
    return path
      ? withNode(value, path.slice(0, -1), (list) => inserted(list as readonly unknown[], Number(path.at(-1)) + choices.number(3), copy))
      : value
  },
  "move an element within its list": (value, choices) => {
    const path = drawn(elementsIn(value), choices)
    const moved = path && at(value, path)
    if (!path) return value
    return withNode(without(value, path), path.slice(0, -1), (list) => inserted(list as readonly unknown[], choices.number(12), moved))
  },
  "copy an element into another list": (value, choices) => {
    const path = drawn(elementsIn(value), choices)
    const list = drawn(listsIn(value), choices)
    if (!path || !list) return value
    const copy = at(value, path)
    return withNode(value, list, (node) => inserted(node as readonly unknown[], choices.number(6), copy))
  },
  "empty a list": (value, choices) => {
    const path = drawn(listsIn(value), choices)
    return path ? withNode(value, path, () => []) : value
  },
  "put an odd value into a list": (value, choices) => {
    const path = drawn(listsIn(value), choices)
    return path ? withNode(value, path, (node) => inserted(node as readonly unknown[], choices.number(6), choices.one(odd))) : value
  },
  "add an unknown field": (value, choices) => {
    const objects = placesIn(value).filter((path) => isWire(at(value, path)))
    const path = drawn(objects, choices)
    return path ? withNode(value, path, (node) => ({ ...(node as object), extra: choices.one(odd) })) : value
  },
}

const kinds = Object.values(mutations) as [Mutation, ...Mutation[]]

/** Up to `most` damages, one after the other. */
export const mutated = (value: unknown, choices: Choices, most = 5): unknown => {
  let now = value
  for (let count = 1 + choices.number(most); count > 0; count--) now = choices.one(kinds)(now, choices)
  return now
}
