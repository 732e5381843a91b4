/**
 * Structural damage to a JSON value: what other software, older versions and interrupted writes do to histories, and what
 * somebody would try who wants to break a reader. Every mutation changes the copy it is given, in place.
 */
import { cloned, isTree, jsonOf, removeAt, setAt, type Spot, spotsIn, type Tree, valueAt } from "./json-tree.ts"
import type { Random } from "./random.ts"

/** What mutations borrow from: the words and pieces of all seeds. */
export interface Vocabulary {
  /** Values seen under keys that say what a record is. */
  readonly tags: readonly string[]
  readonly keys: readonly string[]
  /** Objects of all formats: blocks, messages, records. */
  readonly pieces: readonly unknown[]
}

/** Keys whose value says what a record is. */
export const tagKeys: ReadonlySet<string> = new Set([
  "type",
  "role",
  "kind",
  "status",
  "from",
  "subtype",
  "state",
  "action",
  "observation",
  "source",
  "record_type",
  "reason",
])

/** Texts that some format reads as a call or a result, for places where they are nothing but text. */
const callLikeTexts: readonly [string, ...string[]] = [
  "<read_file>\n<path>src/secrets-of-others.ts</path>\n</read_file>",
  "[read_file for 'src/planted-header-text.ts'] Result:\nplanted header result text",
  '<tool_call>{"name":"bash","arguments":{"command":"planted hermes command"}}</tool_call>',
  '<function_calls><invoke name="bash"><parameter name="command">planted invoke command</parameter></invoke></function_calls>',
  '<details type="tool_calls" done="true" id="c9" name="bash" arguments="&quot;{}&quot;" result="&quot;planted&quot;">\n</details>\n',
  '{"type":"tool_use","id":"toolu_planted","name":"bash","input":{"command":"planted json command"}}',
]

const oddTexts: readonly [string, ...string[]] = [
  "",
  " ",
  "\n",
  "\0",
  "\u001b[2J",
  "\u202e",
  "\ud800",
  "cut \udc00 in half",
  "__proto__",
  "constructor",
  "toString",
  "0",
  "null",
  "[]",
  "{}",
  '{"a":',
  "REDACTED",
  "a".repeat(300),
  "\u00e9\u4e2d\ud83c\udf89",
]

const oddValue = (random: Random): unknown =>
  random.one<() => unknown>([
    () => random.one(oddTexts),
    () => random.one(oddTexts),
    () => random.one(callLikeTexts),
    () => null,
    () => random.one([0, -0, -1, 1.5, 1e21, 2 ** 53, Number.MAX_VALUE]),
    () => random.chance(2),
    () => [],
    () => ({}),
    () => [null],
    () => JSON.parse('{"__proto__":{"type":"text","text":"planted prototype text"}}') as unknown,
  ])()

const nested = (random: Random): unknown => {
  const levels = random.one([50, 400, 510, 1500, 12_000])
  let value: unknown = "deep down"
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

interface Site {
  readonly random: Random
  readonly spots: readonly Spot[]
  readonly vocabulary: Vocabulary
  readonly mark: () => string
}

type Mutation = (site: Site) => void

const anywhere = ({ random, spots }: Site): Spot | undefined => random.among(spots)

const where = ({ random, spots }: Site, holds: (spot: Spot) => boolean): Spot | undefined => random.among(spots.filter(holds))

const isElement = ({ parent }: Spot): boolean => Array.isArray(parent)

const listOf = (spot: Spot | undefined): unknown[] | undefined => (spot && Array.isArray(spot.parent) ? spot.parent : undefined)

const looksLikeId = (spot: Spot): boolean => typeof valueAt(spot) === "string" && /id$|uuid$|cause|parent/i.test(String(spot.key))

/** One of a pair of equals is drawn more often than the others: it is listed as often as it shall be tried. */
const mutations: readonly [Mutation, ...Mutation[]] = [
  // Something is lost.
  (site) => {
    const spot = anywhere(site)
    if (spot) removeAt(spot)
  },
  (site) => {
    const spot = where(site, isElement)
    if (spot) removeAt(spot)
  },
  (site) => {
    const spot = where(site, isElement)
    const list = listOf(spot)
    if (spot && list) list.splice(Number(spot.key), 1 + site.random.number(3))
  },
  // Something is there twice, or elsewhere.
  (site) => {
    const spot = where(site, isElement)
    const list = listOf(spot)
    if (spot && list) list.splice(site.random.number(list.length + 1), 0, cloned(valueAt(spot)))
  },
  (site) => {
    const list = listOf(where(site, isElement))
    if (!list || list.length < 2) return
    const at = site.random.number(list.length - 1)
    const [first, second] = [list[at], list[at + 1]]
    list.splice(at, 2, second, first)
  },
  (site) => {
    const [from, to] = [where(site, isElement), where(site, isElement)]
    const [source, target] = [listOf(from), listOf(to)]
    if (!from || !to || !source || !target) return
    const moved = cloned(valueAt(from))
    removeAt(from)
    target.splice(site.random.number(target.length + 1), 0, moved)
  },
  (site) => {
    const [one, other] = [anywhere(site), anywhere(site)]
    if (!one || !other) return
    const [first, second] = [cloned(valueAt(one)), cloned(valueAt(other))]
    setAt(one, second)
    setAt(other, first)
  },
  // It says that it is something else.
  (site) => {
    const spot = where(site, ({ key }) => tagKeys.has(String(key)))
    if (spot) setAt(spot, site.random.among(site.vocabulary.tags) ?? "x")
  },
  (site) => {
    const spot = where(site, ({ key }) => tagKeys.has(String(key)))
    if (spot) setAt(spot, site.random.among(site.vocabulary.tags) ?? "x")
  },
  (site) => {
    const spot = where(site, ({ parent }) => !Array.isArray(parent))
    if (!spot) return
    const value = valueAt(spot)
    removeAt(spot)
    setAt({ ...spot, key: site.random.among(site.vocabulary.keys) ?? "renamed" }, value)
  },
  // Ids collide, or are gone.
  (site) => {
    const [one, other] = [where(site, looksLikeId), where(site, looksLikeId)]
    if (one && other) setAt(one, valueAt(other))
  },
  (site) => {
    const spot = where(site, looksLikeId)
    if (spot) setAt(spot, site.random.one<unknown>(["", null, 7, "REDACTED", "a b/../c", "id\ud800", { id: "x" }]))
  },
  // The type is another one.
  (site) => {
    const spot = anywhere(site)
    if (spot) setAt(spot, oddValue(site.random))
  },
  (site) => {
    const spot = anywhere(site)
    if (!spot) return
    const value = valueAt(spot)
    const other = site.random.one<() => unknown>([
      () => [value],
      () => ({ text: value }),
      () => ({ content: value }),
      () => jsonOf(value),
      () => (Array.isArray(value) ? value[0] : isTree(value) ? "[object Object]" : String(value)),
      () => (isTree(value) ? Object.fromEntries(Object.entries(value)) : { value }),
    ])
    setAt(spot, cloned(other()))
  },
  // What belongs to another format, or to none.
  (site) => {
    const spot = where(site, isElement)
    const list = listOf(spot)
    if (list) list.splice(site.random.number(list.length + 1), 0, cloned(site.random.among(site.vocabulary.pieces)))
  },
  (site) => {
    const spot = where(site, (each) => isTree(valueAt(each)))
    if (spot) setAt(spot, cloned(site.random.among(site.vocabulary.pieces)))
  },
  (site) => {
    const spot = where(site, ({ key }) => /content|output|result|parts|response/i.test(String(key)))
    if (!spot) return
    const piece = cloned(site.random.among(site.vocabulary.pieces))
    setAt(spot, site.random.chance(2) ? [piece] : piece)
  },
  (site) => {
    const spot = where(site, ({ parent }) => !Array.isArray(parent))
    const key = site.random.one(["extra", "__proto__", "constructor", "toString", "hasOwnProperty", "length", "metadata", "x"])
    if (spot) setAt({ ...spot, key }, site.random.one<unknown>([site.mark(), { note: site.mark() }, [site.mark()]]))
  },
  (site) => {
    const list = listOf(where(site, isElement))
    const shape = { type: "shape_of_tomorrow", payload: { words: site.mark() } }
    if (list) list.splice(site.random.number(list.length + 1), 0, site.random.one<unknown>([shape, site.mark(), [site.mark()]]))
  },
  // Texts.
  (site) => {
    const spot = where(site, (each) => typeof valueAt(each) === "string")
    if (!spot) return
    const text = String(valueAt(spot))
    const at = site.random.number(text.length + 1)
    const planted = site.random.one<() => string>([
      () => site.random.one(oddTexts),
      () => site.random.one(callLikeTexts),
      () => ` ${site.mark()} `,
    ])
    setAt(spot, site.random.chance(3) ? text.slice(0, at) : `${text.slice(0, at)}${planted()}${text.slice(at)}`)
  },
  (site) => {
    const spot = where(site, (each) => typeof valueAt(each) === "string" && /text|content|output|result/.test(String(each.key)))
    if (spot) setAt(spot, site.random.one(callLikeTexts))
  },
  // Half of a surrogate pair: in a text, in an id or a name, in a key.
  (site) => {
    const spot = anywhere(site)
    if (!spot) return
    const value = valueAt(spot)
    const half = site.random.one(["\ud83d", "\udc4d"])
    if (typeof value === "string" && !site.random.chance(4)) {
      const at = site.random.number(value.length + 1)
      setAt(spot, `${value.slice(0, at)}${half}${value.slice(at)}`)
    } else if (typeof spot.key === "string") {
      removeAt(spot)
      setAt({ ...spot, key: `${spot.key}${half}` }, value)
    }
  },
  (site) => {
    if (!site.random.chance(8)) return
    const spot = anywhere(site)
    if (spot) setAt(spot, nested(site.random))
  },
  // Very many.
  (site) => {
    if (!site.random.chance(6)) return
    const spot = where(site, isElement)
    const list = listOf(spot)
    // Forty copies of a value of 12,000 levels would take as long as a thousand other inputs.
    if (!spot || !list || jsonOf(valueAt(spot)).length > 10_000) return
    for (let copies = site.random.number(40); copies > 0; copies--) list.push(cloned(valueAt(spot)))
  },
]

/** A damaged copy: one to six mutations, rarely more. Marks are words that occur nowhere else, to be found again. */
export const mutatedJson = (value: unknown, random: Random, vocabulary: Vocabulary): unknown => {
  const holder: Tree = { value: cloned(value) }
  let marks = 0
  const mark = (): string => `planted${random.number(1_000_000_000).toString(36).padStart(6, "0")}mark${marks++}`
  for (let count = 1 + random.number(random.chance(10) ? 16 : 5); count > 0; count--) {
    const spots = spotsIn(holder["value"])
    random.one(mutations)({ random, spots, vocabulary, mark })
  }
  return holder["value"]
}

/** Words and pieces of these values, for mutations to borrow. */
export const vocabularyOf = (values: readonly unknown[]): Vocabulary => {
  const tags = new Set<string>()
  const keys = new Set<string>(["id", "type", "role", "content", "text"])
  const pieces: unknown[] = []
  for (const value of values) {
    for (const spot of spotsIn(value, 2000)) {
      const held = valueAt(spot)
      if (typeof spot.key === "string") keys.add(spot.key)
      if (tagKeys.has(String(spot.key)) && typeof held === "string" && held.length < 40) tags.add(held)
      if (isTree(held) && !Array.isArray(held) && pieces.length < 3000) pieces.push(held)
    }
  }
  return { tags: [...tags], keys: [...keys], pieces }
}
