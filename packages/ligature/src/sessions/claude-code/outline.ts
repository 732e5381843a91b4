/** What a session file says beside its messages. */
import { isWire, type Wire } from "../../model/index.ts"
import type { SessionCompaction, SessionOutline, SessionPath } from "../../formats/engine/session.ts"
import { pathsOf } from "./tree/branches.ts"
import { type Dialect, fileDialect } from "./tree/dialect.ts"
import { isBoundary, isSummary, kinds, openingOf, recordsOf, textIn } from "./tree/record.ts"
import { readTree, type SessionTree } from "./tree/session-tree.ts"

const triggerOf = (record: Wire): "auto" | "manual" | undefined => {
  const metadata = record["compactMetadata"] ?? record["microcompactMetadata"]
  const trigger = textIn(metadata, "trigger")
  return trigger === "auto" || trigger === "manual" ? trigger : undefined
}

/** Results the agent cleared to save room: their whole text is still in the file. */
const clearsResults = (record: Wire): boolean => {
  if (record["subtype"] !== "microcompact_boundary") return false
  const metadata = record["microcompactMetadata"]
  const ids = isWire(metadata) ? metadata["compactedToolIds"] : undefined
  return Array.isArray(ids) && ids.length > 0
}

const compactionsIn = (tree: SessionTree): readonly SessionCompaction[] => {
  const found: SessionCompaction[] = []
  let boundary: { readonly at: number; readonly trigger: "auto" | "manual" | undefined } | undefined
  const close = (summary?: string): void => {
    if (!boundary) return
    const { at, trigger } = boundary
    found.push({ record: at, kind: "summary", ...(trigger && { trigger }), ...(summary !== undefined && { summary }) })
    boundary = undefined
  }
  for (let index = 0; index < tree.records.length; index++) {
    if (tree.kinds[index] === kinds.outside) continue
    const record = tree.records[index] as Wire
    if (isBoundary(record)) {
      close()
      boundary = { at: index, trigger: triggerOf(record) }
    } else if (isSummary(record)) {
      boundary ??= { at: index, trigger: undefined }
      close(openingOf(record))
    } else if (clearsResults(record)) {
      const trigger = triggerOf(record)
      found.push({ record: index, kind: "cleared-results", ...(trigger && { trigger }) })
    }
  }
  close()
  return found
}

/** The session's name: what the person called it, else what the agent did. Summaries of other sessions do not count. */
const titleIn = (tree: SessionTree): string | undefined => {
  let summary: string | undefined
  let given: string | undefined
  let chosen: string | undefined
  for (const record of tree.records) {
    const type = textIn(record, "type")
    if (type === "custom-title") chosen = textIn(record, "customTitle") ?? chosen
    else if (type === "ai-title") given = textIn(record, "aiTitle") ?? given
    else if (type === "summary" && tree.byUuid.has(textIn(record, "leafUuid") ?? "")) {
      summary = textIn(record, "summary") ?? summary
    }
  }
  return chosen ?? given ?? summary
}

/** The last value of a field among records of the tree: a session that moved stands where it moved to. */
const lastIn = (tree: SessionTree, field: string): string | undefined => {
  for (let index = tree.records.length - 1; index >= 0; index--) {
    const value = textIn(tree.records[index], field)
    if (value !== undefined && tree.kinds[index] !== kinds.outside) return value
  }
  return undefined
}

const firstIn = (records: readonly unknown[], field: string): string | undefined => {
  for (const record of records) {
    const value = textIn(record, field)
    if (value !== undefined) return value
  }
  return undefined
}

const modelIn = (tree: SessionTree): string | undefined => {
  for (let index = tree.records.length - 1; index >= 0; index--) {
    if (tree.kinds[index] === kinds.fragment) return textIn((tree.records[index] as Wire)["message"], "model")
  }
  return undefined
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

const defined = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>

export const outlineRecords = (value: unknown, dialect: Dialect): SessionOutline => {
  const tree = readTree(recordsOf(value), dialect)
  const paths = pathsOf(tree).map((named): SessionPath => {
    const { tip: _, ...path } = named
    return path
  })
  const id = lastIn(tree, "sessionId") ?? firstIn(tree.records, "session_id")
  return {
    ...defined({
      id,
      title: titleIn(tree),
      folder: firstIn(tree.records, "cwd"),
      model: modelIn(tree),
      agentVersion: lastIn(tree, "version"),
      startedAt: firstIn(tree.records, "timestamp"),
    }),
    ...(tree.mainLane !== "" && { subagent: defined({ session: id }) }),
    paths,
    compactions: compactionsIn(tree),
  }
}

export const outline = (value: unknown): SessionOutline => outlineRecords(value, fileDialect)
