/** Claude Code: session files, one record per line. What is common to them and to the stream that the agent prints is `claude`. */
import { isWire, phrase, shellWord, type Wire } from "../../model/index.ts"
import { anthropic } from "../../formats/anthropic/index.ts"
import { defineSession } from "../engine/define-session.ts"
import { listIn } from "../engine/fields.ts"
import type { SessionFacts, SessionFormat } from "../engine/session-format.ts"
import { findIn, readAlone } from "./find.ts"
import { links } from "./links.ts"
import { type Dialect, isBoundary, isMessageKind, isSummary, kindOf, kinds, textIn } from "./records.ts"
import { withPromisedNames, write } from "./write.ts"

const fileDialect: Dialect = {
  separate: true,
  linked: true,
  laneOf: (record) => (record["isSidechain"] === true ? (textIn(record, "agentId") ?? "sidechain") : ""),
  parentOf: (record) => {
    const { parentUuid } = record
    if (typeof parentUuid === "string" && parentUuid !== "") return parentUuid
    // A compaction is a new root; what it continues is named apart.
    if (isBoundary(record) || isSummary(record)) return textIn(record, "logicalParentUuid")
    // No conversation begins with a reply: one without a parent lost it.
    return parentUuid === null && record["type"] !== "assistant" ? null : undefined
  },
}

const recordsOf = (value: unknown): readonly unknown[] => listIn(value)

/** What the records say of the session, wherever they lie: the session is where it moved to, and began where it began. */
const about = (value: unknown): SessionFacts => {
  const records = recordsOf(value)
  const uuids = new Set<string>()
  const facts: Record<
    "session" | "id" | "folder" | "model" | "agentVersion" | "startedAt" | "summary" | "given" | "chosen",
    string | undefined
  > = {
    session: undefined,
    id: undefined,
    folder: undefined,
    model: undefined,
    agentVersion: undefined,
    startedAt: undefined,
    summary: undefined,
    given: undefined,
    chosen: undefined,
  }
  let isMain = false
  let isSide = false
  for (const record of records) {
    if (!isWire(record)) continue
    const kind = kindOf(record)
    facts.folder ??= textIn(record, "cwd")
    facts.startedAt ??= textIn(record, "timestamp")
    facts.session ??= textIn(record, "session_id")
    if (kind !== kinds.outside) {
      facts.id = textIn(record, "sessionId") ?? facts.id
      facts.agentVersion = textIn(record, "version") ?? facts.agentVersion
      const uuid = textIn(record, "uuid")
      if (uuid !== undefined) uuids.add(uuid)
    }
    if (isMessageKind(kind)) {
      if (record["isSidechain"] === true) isSide = true
      else isMain = true
    }
    if (kind === kinds.fragment) facts.model = textIn(record["message"], "model") ?? facts.model
    const { type } = record
    if (type === "custom-title") facts.chosen = textIn(record, "customTitle") ?? facts.chosen
    else if (type === "ai-title") facts.given = textIn(record, "aiTitle") ?? facts.given
  }
  // Summaries of other sessions do not count.
  for (const record of records) {
    if (textIn(record, "type") === "summary" && uuids.has(textIn(record, "leafUuid") ?? ""))
      facts.summary = textIn(record, "summary") ?? facts.summary
  }
  const { session, summary, given, chosen, id = session, ...rest } = facts
  return {
    ...rest,
    id,
    title: chosen ?? given ?? summary,
    ...(isSide && !isMain && { subagent: { ...(id !== undefined && { session: id }) } }),
  }
}

/** What a session file and the stream have in common. */
export const claude = (dialect: Dialect) =>
  ({
    agent: "Claude Code",
    // What its provider's messages can, apart from thinking that others have signed.
    capabilities: {
      homes: {
        ...anthropic.capabilities.homes,
        thinking: "none",
        "thinking-signature": "none",
        "redacted-thinking": "none",
        "system-in-the-middle": "convention",
        "compaction-marks": "convention",
      },
    },
    layout: "lines",
    view: "whole",
    records: recordsOf,
    links,
    find: findIn(dialect),
    read: readAlone,
    write,
    afterWrite: (records, { before }) => withPromisedNames(records, before),
    origin: () => ({ provider: "anthropic" }),
    about,
  }) satisfies Partial<SessionFormat>

const treeTypes: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "progress", "attachment"])

const isTreeRecord = (record: Wire): boolean =>
  treeTypes.has(record["type"]) && typeof record["uuid"] === "string" && !Object.hasOwn(record, "session_id")

/** Records that only this agent writes, and the field that proves it. */
const proofs: Readonly<Record<string, string>> = {
  summary: "leafUuid",
  "file-history-snapshot": "messageId",
  "queue-operation": "operation",
  "last-prompt": "leafUuid",
  mode: "mode",
  "permission-mode": "permissionMode",
  "ai-title": "aiTitle",
  "custom-title": "customTitle",
}

const isProof = (record: Wire): boolean => {
  const type = textIn(record, "type") ?? ""
  const proof = Object.hasOwn(proofs, type) ? proofs[type] : undefined
  if (proof === undefined || !Object.hasOwn(record, proof)) return false
  return Object.hasOwn(record, "sessionId") || type === "summary" || type === "file-history-snapshot"
}

const session = {
  ...claude(fileDialect),
  wraps: "anthropic",
  profile: "anthropic",
  heals: ["empty-text", "empty-message", "unanswered-call", "orphan-result", "duplicate-result", "dangling-parent", "torn-line"],
  marks: [
    {
      certainty: "certain",
      evidence: "its records have uuid, parentUuid and sessionId",
      isOn: (record) => isTreeRecord(record) && Object.hasOwn(record, "parentUuid") && typeof record["sessionId"] === "string",
    },
    {
      certainty: "likely",
      evidence: "its records are messages with type and uuid",
      isOn: (record) => isTreeRecord(record) && isWire(record["message"]) && record["message"]["role"] === record["type"],
    },
    { certainty: "likely", evidence: "it has bookkeeping that only this agent writes", isOn: isProof },
  ],
} satisfies Partial<SessionFormat>

export const claudeCode = defineSession({
  ...session,
  format: "claude-code",
  title: "Claude Code session",
  sources:
    "no public source; sessions of versions 1.0.98 to 2.1.169 in PackmindHub/context-evaluator, entireio/auth-go and others; sessions of version 2.1.326, which was run",
  aliases: ["claude"],
  header: () => [],
  trailer: ({ session: { id: sessionId, title } }) =>
    title === undefined ? [] : [{ type: "custom-title", customTitle: title, sessionId }],
  place: ({ folder = "/" }) => ({
    path: (name) => `~/.claude/projects/${folder.replaceAll(/[^a-zA-Z0-9]/g, "-")}/${name}.jsonl`,
    resume: (name) => `claude --resume ${name}`,
    note: phrase`run it in ${shellWord(folder)}: sessions are found by the folder they name`,
  }),
})

/** The same records as one JSON array, as hooks copy them to `logs/chat.json`. The agent does not open such a file. */
export const claudeCodeArray = defineSession({
  ...session,
  format: "claude-code-array",
  title: "Claude Code session as one JSON array",
  sources:
    "no public source; the records are those of claude-code, in files named logs/chat.json in TomSelander/home-assistant-green-button and others (2025 and 2026)",
  layout: "list",
  listKey: "records",
})
