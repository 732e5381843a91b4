/** `ligature log show`: a stored conversation as a timeline, or its entries. */
import { phrase, shellOption } from "../../../model/index.ts"
import { check, settle } from "../../../rules/index.ts"
import { type ConversationRecord, type Loaded, type Store, viewOf } from "../../../store/index.ts"
import { recoveryPlan } from "../../../store/recovery.ts"
import { entryNamed } from "../../store/append-options.ts"
import { type Command, type Context, type ExitCode, jsonOption } from "../../frame/command.ts"
import { conversationItems } from "../../print/conversation-items.ts"
import { printJson } from "../../print/json.ts"
import { printPlan } from "../../print/recovery.ts"
import { printTable } from "../../print/table.ts"
import { count, cut, oneLine, size } from "../../frame/text.ts"
import { conversationRows, legend, renderRow } from "../../print/timeline.ts"
import { when } from "../../print/when.ts"
import { type OpenedStore, storeOption } from "../../store/store-location.ts"
import { tallyOf } from "../../output/tally.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { privateMode } from "../../input/files.ts"
import { pagerOption } from "../../frame/pager.ts"
import { exportOptions, ExportView, redactOptions } from "../../output/export-view.ts"
import { withStore, wordsOf } from "../../store/with-store.ts"
import { childrenOf } from "./children.ts"
import { entryWords } from "./entry-words.ts"

/** The path that was asked for. */
export const pathOf = ({ arguments: given }: Context): { readonly at?: string | null } => {
  const [branch, at] = [given.text("branch"), given.text("at")]
  if (branch !== undefined && at !== undefined) throw new UsageError(phrase`Give only one of --branch and --at`)
  const end = branch ?? at
  return end === undefined ? {} : { at: entryNamed(end) }
}

export const pathOptions = [
  { name: "branch", value: "TIP", text: "the branch that ends here (ligature log branch ID lists them)" },
  { name: "at", value: "ENTRY", text: "only up to this entry" },
] as const

const printEntries = (loaded: Loaded, { out }: Context): void => {
  const stale = new Set(loaded.stale)
  const rows = loaded.entries.map((entry) => {
    const note = stale.has(entry.id) ? `${phrase`(does not count here)`} ` : ""
    return [entry.id === loaded.tip ? "*" : "", entry.id, when(entry.at), `${note}${entryWords(entry)}`]
  })
  printTable([{ title: "" }, { title: phrase`entry` }, { title: phrase`written` }, { title: phrase`content`, flexible: "end" }], rows, out)
}

const childrenShown = 10

/** What the conversation started, by call where that is known. */
const printChildren = (parent: string, children: readonly ConversationRecord[], { out }: Context): void => {
  for (const { id, title, parent: link } of children.slice(0, childrenShown)) {
    const call = link?.call === undefined ? "" : ` (${phrase`call`} ${oneLine(link.call)})`
    const words = title === undefined ? "" : `  ${oneLine(title, 80)}`
    out.line(out.palette.quiet(cut(`  ${phrase`started ${oneLine(id)}`}${call}${words}`, out.width)))
  }
  if (children.length <= childrenShown) return
  const rest = count(children.length - childrenShown, "more conversation")
  out.line(out.palette.quiet(`  ${phrase`… and ${rest} it started: ${`ligature log list ${shellOption("--parent", parent)}`}`}`))
}

const showLoaded = async (stored: Loaded, store: Store, context: Context, view: ExportView): Promise<unknown> => {
  const { out, arguments: given } = context
  const { palette, width } = out
  const loaded = view.redactedValue(stored)
  const transcript = given.flag("all") ? viewOf(loaded.entries, { show: "all" }).transcript : loaded.transcript
  const { conversation } = settle(transcript, { tip: "open" })
  const tally = tallyOf(conversation, transcript.messages.length)
  const plan = recoveryPlan({ ...loaded, transcript })
  const branches = await store.branches(loaded.id)
  const at = loaded.entries.at(-1)?.id ?? null
  const { id, title, created, updated, forkedFrom, parent, tip, stale, damage } = loaded
  const children = (await childrenOf(store, [id])).get(id) ?? []
  if (given.flag("json")) {
    const findings = check({ ...transcript, diagnostics: [] }, { tip: "open" }).length
    const entries = loaded.entries.map((entry) => {
      const { id: name, parent, kind, at: written, operation } = entry
      return { id: name, parent, kind, at: written, operation, says: entryWords(entry) }
    })
    const origin = { ...(forkedFrom && { forkedFrom }), ...(parent && { parent }) }
    const record = { id, ...(title !== undefined && { title }), created, updated, ...origin }
    const { state, openCalls, reasons } = plan
    const items = conversationItems(conversation)
    const how = { state, openCalls, reasons, stale, damage }
    const below = children.map(({ id: child, title: name, parent: link }) => ({
      conversation: child,
      ...(name !== undefined && { title: name }),
      ...(link?.call !== undefined && { call: link.call }),
    }))
    const where = { conversation: id, record, tip, at, branches: branches.length, children: below }
    return { ...where, ...how, messages: tally.messages, findings, items, entries }
  }
  const parts = [
    count(tally.messages, "message"),
    count(tally.turns, "turn"),
    count(tally.exchanges, "exchange"),
    count(tally.calls, "call"),
    size(tally.bytes),
  ]
  const head = { title: title ?? id, facts: [phrase`conversation: ${id}`, phrase`written ${when(updated)}`, parts.join(" · ")] }
  if (view.isDocument) {
    view.show(head, conversation)
    return undefined
  }
  out.line(`${palette.strong(oneLine(title ?? id))}  ${parts.join(" · ")}`)
  const facts = [...(title === undefined ? [] : [oneLine(id)]), phrase`written ${when(updated)}`, phrase`tip ${tip ?? phrase`none`}`]
  if (at !== tip) facts.push(phrase`shown up to ${at ?? phrase`none`}`)
  if (forkedFrom) facts.push(phrase`from ${oneLine(forkedFrom.conversation)}`)
  if (parent)
    facts.push(
      `${phrase`started by ${oneLine(parent.conversation)}`}${parent.call === undefined ? "" : ` (${phrase`call`} ${oneLine(parent.call)})`}`,
    )
  if (branches.length > 1) facts.push(count(branches.length, "branch", "branches"))
  out.line(palette.quiet(`  ${facts.join(" · ")}`))
  printChildren(id, children, context)
  out.line()
  if (view.isFull) view.show(head, conversation)
  else if (given.flag("entries")) printEntries(loaded, context)
  else {
    const rows = conversationRows(conversation, { turns: tally.turns > 1, ids: true })
    for (const row of rows) for (const line of renderRow(row, width, palette, { sizes: true })) out.line(line.trimEnd())
    if (rows.length === 0) out.line(palette.quiet(`  ${phrase`(no messages)`}`))
    out.line()
    if (tally.calls > 0) out.line(palette.quiet(`  ${legend()}`))
  }
  if (plan.state === "clean" && plan.reasons.length === 0 && plan.salvaged.length === 0) return undefined
  out.line()
  out.line(palette.quiet(`  ${phrase`Resumed now (ligature resume), it would be:`}`))
  printPlan(plan, out)
  return undefined
}

const showConversation = async (id: string, { store }: OpenedStore, context: Context): Promise<ExitCode> => {
  const loaded = await store.load(id, pathOf(context))
  const view = await ExportView.asked(context)
  const json = await showLoaded(loaded, store, context, view)
  await view.end(privateMode)
  if (context.arguments.flag("json")) printJson("log show", 0, json as object, context.out)
  return 0
}

export const show: Command = {
  summary: "show a conversation as a readable timeline, or entry by entry",
  usage: "ID [--branch TIP | --at ENTRY] [--all] [--entries] [--text | --md OUT] [--redact] [--json]",
  help: `Prints what a model would see: the path to the tip, without hidden entries, with summaries in place of the entries they
cover. --all shows every message of the path instead. --entries lists the entries of the path with their ids, notes, hides
and summaries included: the ids that rewind, branch and --at take. --text shows complete messages, --md writes a document.

Open calls, calls that wait for approval, damage and what was salvaged are listed below. Nothing is written.`,
  options: [
    ...pathOptions,
    { name: "all", text: "also what was hidden or summarised" },
    { name: "entries", text: "the entries with their ids" },
    ...exportOptions,
    ...redactOptions,
    pagerOption,
    storeOption,
    jsonOption,
  ],
  pages: true,
  examples: [
    ["ligature log show ID", "what the model would see"],
    ["ligature log show ID --entries", "the ids of the entries"],
    ["ligature log show ID --at 4j2k8s0q1m3n", "the conversation as of that entry"],
    ["ligature log show ID --md conversation.md", "as a document"],
  ],
  run: (context) => {
    const [id] = wordsOf(context, "log show", ["ID"] as const)
    return withStore(context, (opened) => showConversation(id, opened, context))
  },
}
