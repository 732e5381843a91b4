/**
 * Items: the strings of a history that an agent may have to say again letter by letter. Taken line by line, in the
 * order of `itemTypes`; a stretch of a line belongs to the first type that claims it. No pattern backtracks: each
 * starts after a boundary and repeats over disjoint characters.
 */
export const itemTypes = ["url", "path", "file", "flag", "id", "identifier", "number", "phrase"]

const extensions =
  "ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonl|jsonc|json5|md|mdx|txt|rst|py|pyi|ipynb|go|mod|sum|rs|toml|yaml|yml|java|kt|kts|" +
  "gradle|scala|rb|php|c|h|cc|cpp|hpp|cs|swift|m|sh|bash|zsh|ps1|bat|html|htm|css|scss|less|vue|svelte|astro|sql|db|sqlite|" +
  "xml|csv|tsv|log|lock|env|ini|cfg|conf|proto|graphql|tf|dockerfile|png|jpg|jpeg|gif|svg|pdf|zip|gz|tar|whl|ex|exs|erl|lua|r|" +
  "jl|dart|patch|diff|traj|snap|map|wasm|so|dll|exe|tmp|bak|example|j2|tpl"

const letters = (text) => text.replace(/[^A-Za-z]/g, "").length

const looksNamed = (text) => /[a-z][A-Z]/.test(text) || /[A-Za-z0-9]_[A-Za-z0-9]/.test(text) || text.includes(".")

const patterns = [
  { type: "url", pattern: /\b[a-z][a-z0-9+.-]{1,12}:\/\/[^\s"'`<>()[\]{}|\\^]+/g, accepts: (text) => text.length >= 8 },
  {
    type: "path",
    pattern: /(?<![\w.@+~/-])(?:~|\.{1,2})?\/?(?:[\w.@+-]+\/)+[\w.@+-]+/g,
    accepts: (text) => text.length >= 5 && letters(text) >= 2,
  },
  {
    type: "file",
    pattern: new RegExp(`(?<![\\w.@+-])[\\w@+-][\\w.@+-]*\\.(?:${extensions})(?![\\w])`, "gi"),
    accepts: (text) => text.length >= 4,
  },
  { type: "flag", pattern: /(?<![\w-])--[A-Za-z][\w-]{3,}/g, accepts: () => true },
  {
    type: "id",
    pattern: /(?<![\w-])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w-])/g,
    accepts: (text) => text.length >= 5 && /[0-9]/.test(text) && /[A-Za-z]/.test(text),
  },
  {
    type: "identifier",
    pattern: /(?<![\w$.])[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*/g,
    accepts: (text) => text.length >= 6 && looksNamed(text),
  },
  {
    type: "number",
    pattern: /(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w])/g,
    accepts: (text) => /[0-9]{3}/.test(text) || /\.[0-9]{2}/.test(text),
  },
  { type: "phrase", pattern: /(?<!\w)(["'`])([^"'`]{8,80})\1(?!\w)/g, accepts: (text) => /\S\s\S/.test(text) },
]

const cutPunctuation = (text) => text.replace(/[.,;:!?)\]}'"`/-]+$/, "")
const longest = 200
/** Longer lines are minified code and encoded bytes. */
const lineLimit = 20_000

/**
 * Which characters of the line at hand are claimed; one array for all, because most lines are short and there are
 * many.
 */
const taken = new Uint8Array(lineLimit)

const isTaken = (start, end) => {
  for (let index = start; index < end; index++) if (taken[index] === 1) return true
  return false
}

/** Calls `found(item, type, index)` for each occurrence in a line. */
export const eachItem = (line, found) => {
  const text = line.length > lineLimit ? line.slice(0, lineLimit) : line
  taken.fill(0, 0, text.length)
  for (const { type, pattern, accepts } of patterns) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const said = type === "phrase" ? match[2].trim() : cutPunctuation(match[0])
      if (said.length > longest || said === "" || !accepts(said)) continue
      const [start, end] = [match.index, match.index + match[0].length]
      if (isTaken(start, end)) continue
      taken.fill(1, start, end)
      found(said, type, start)
    }
  }
}

/** The items of a text with their types; first type wins. */
export const itemsOf = (text) => {
  const items = new Map()
  for (const line of text.split("\n")) {
    eachItem(line, (item, type) => {
      if (!items.has(item)) items.set(item, type)
    })
  }
  return items
}
