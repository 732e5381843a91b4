/**
 * What a session says beside its messages: its paths, its compactions, what one record does, and where its file lies.
 */
import { asWord, isWire, type Wire } from "../../model/index.ts"
import type { RecordPulse, SessionCompaction, SessionOutline, SessionPath, SessionPlace } from "../../formats/engine/session.ts"
import { nameOfLeaf } from "../engine/read-tree.ts"
import { Links, readWay } from "./path.ts"
import { callIdOf, isMessage, isResultPart, isSummary, partsOf, recordsOf } from "./records.ts"
import { namedPlace } from "../engine/place-names.ts"

const titleLength = 80

const wordsOf = (record: Wire): string => {
  const { content } = record
  const first = partsOf(record).find((part) => isWire(part) && part["type"] === "text")
  const said = typeof content === "string" ? content : isWire(first) ? first["text"] : undefined
  const line = typeof said === "string" ? (said.slice(0, 1000).trim().split("\n", 1)[0] ?? "") : ""
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line
}

const isPrompt = (record: Wire): boolean => record["role"] === "user" && !partsOf(record).some(isResultPart)

const titled = (record: Wire | undefined): { readonly title?: string } => {
  const title = record ? wordsOf(record) : ""
  return title === "" ? {} : { title }
}

/**
 * Branches that nothing leads on from, newest first, and circles that no such branch leads to; each counts what no
 * path before it has.
 */
const abandonedPaths = (links: Links, active: readonly number[]): readonly SessionPath[] => {
  if (!links.linked) return []
  const taken = new Set(active)
  const parents = new Set<number | undefined>()
  for (const index of links.entries) parents.add(links.parent(index))
  const found: SessionPath[] = []
  const follow = (index: number): void => {
    let first = index
    let count = 0
    let prompt: Wire | undefined
    let place: number | undefined = index
    while (place !== undefined && !taken.has(place)) {
      taken.add(place)
      first = place
      count++
      const record = links.at(place)
      if (isPrompt(record)) prompt = record
      place = links.parent(place)
    }
    const leaves = place !== undefined && { leaves: place }
    const id = nameOfLeaf(links.tree, index)
    found.push({ id, kind: "abandoned", ...titled(prompt), messages: count, first, ...leaves })
  }
  const newestFirst = links.entries.toReversed()
  for (const index of newestFirst) if (!taken.has(index) && !parents.has(index)) follow(index)
  for (const index of newestFirst) if (!taken.has(index)) follow(index)
  return found
}

export const outline = (value: unknown): SessionOutline => {
  const records = recordsOf(value)
  const links = new Links(records)
  const { path } = readWay(links)
  const settings = records.find((record) => isWire(record) && record["type"] === "config")
  const config = isWire(settings) && isWire(settings["config"]) ? settings["config"] : {}
  const first = path[0] === undefined ? undefined : links.at(path[0])
  const session = records.find((record) => isMessage(record) && typeof record["sessionId"] === "string")
  const model = path.toReversed().find((index) => typeof links.at(index)["model"] === "string")
  const prompt = path.find((index) => isPrompt(links.at(index)))
  const { summary } = config
  const opening = prompt === undefined ? first : links.at(prompt)
  const named = typeof summary === "string" ? { title: summary } : titled(opening)
  const compactions = records.flatMap((record, index): readonly SessionCompaction[] =>
    isMessage(record) && isSummary(record) ? [{ record: index, kind: "summary", summary: wordsOf(record) }] : [],
  )
  const tip = path.at(-1)
  const active: SessionPath = {
    id: tip === undefined ? "" : nameOfLeaf(links.tree, tip),
    kind: "active",
    ...named,
    messages: path.length,
    first: path[0] ?? 0,
  }
  return {
    ...(isWire(session) && { id: asWord(session["sessionId"]) }),
    ...named,
    ...(model !== undefined && { model: asWord(links.at(model)["model"]) }),
    ...(typeof first?.["timestamp"] === "string" && { startedAt: first["timestamp"] }),
    paths: [active, ...abandonedPaths(links, path)],
    compactions,
  }
}

export const pulse = (record: unknown): RecordPulse => {
  if (!isMessage(record)) return {}
  const calls: string[] = []
  const results: string[] = []
  for (const part of partsOf(record)) {
    if (!isWire(part)) continue
    if (part["type"] === "tool_use") calls.push(typeof part["id"] === "string" ? part["id"] : "")
    else if (isResultPart(part)) results.push(callIdOf(part))
  }
  return {
    ...(isPrompt(record) && { starts: true as const }),
    ...(calls.length > 0 && { calls }),
    ...(results.length > 0 && { results }),
  }
}

export const place = (value: unknown): SessionPlace => {
  return namedPlace({
    id: outline(value).id,
    otherwise: "<id8>",
    path: (name) => `~/.neovate/projects/<project>/${name}.jsonl`,
    resume: (name) => `neovate --resume ${name}`,
    note: "<project> is the project's path in lower case, everything but letters and digits replaced by single dashes",
  })
}
