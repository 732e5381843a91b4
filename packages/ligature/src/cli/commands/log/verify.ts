/** `ligature log verify`: is everything in a log what was written? */
import { check } from "../../../rules/index.ts"
import { type Diagnostic, hexHash, phrase, pushAll, shellNames } from "../../../model/index.ts"
import { type Entry, type Store, StoreError } from "../../../store/index.ts"
import { fingerprintOf } from "../../../store/entry.ts"
import { recoveryPlan } from "../../../store/recovery.ts"
import { type Command, type Context, type ExitCode, jsonOption, worse } from "../../frame/command.ts"
import { printJson } from "../../print/json.ts"
import { printDamage } from "../../print/recovery.ts"
import { count } from "../../frame/text.ts"
import { storeOption } from "../../store/store-location.ts"
import { UsageError } from "../../frame/usage-error.ts"
import { withStore } from "../../store/with-store.ts"

interface VerifiedBranch {
  readonly tip: string
  readonly active: boolean
  readonly entries: number
  /** Of all that was said on the path: equal paths have equal ones, on every machine and in every store. */
  readonly fingerprint: string
}

interface Verified {
  readonly conversation: string
  readonly title?: string
  readonly entries: number
  readonly branches: readonly VerifiedBranch[]
  /** What cannot be read, or reads in another way than it was written. */
  readonly lost: readonly Diagnostic[]
  /** What had to be salvaged and cost nothing. */
  readonly salvaged: readonly Diagnostic[]
  /** Places of the history that settle repairs on each load: no damage of the log. */
  readonly findings: number
}

const coversOf = (entry: Entry) => (entry.kind === "summary" || entry.kind === "hide" ? entry.covers : [])

/** Summaries and hides name what they stand for by what it said: re-derived here, entry by entry. */
const changedCovers = (entries: readonly Entry[]): readonly Diagnostic[] => {
  const fingerprints = new Map<string, string>()
  return entries.flatMap((entry) => {
    const changed = coversOf(entry).flatMap(({ id, fingerprint }): readonly Diagnostic[] => {
      const now = fingerprints.get(id)
      if (now === undefined || now === fingerprint) return []
      return [
        {
          rule: "changed-cover",
          severity: "error",
          place: {},
          what: phrase`Entry ${id} has other content (${now}) than when ${entry.kind} ${entry.id} covered it (${fingerprint})`,
          why: phrase`A summary stands for the entries as they were when it was made.`,
          help: phrase`Nothing to do: the summary does not count, and the originals are shown.`,
          ids: [id, entry.id],
        },
      ]
    })
    fingerprints.set(entry.id, fingerprintOf(entry))
    return changed
  })
}

const verifyOne = async (store: Store, id: string): Promise<Verified> => {
  const loaded = await store.load(id)
  const { lost, salvaged } = recoveryPlan(loaded)
  const known = new Set<string>()
  const changed = new Map<string, Diagnostic>()
  const branches: VerifiedBranch[] = []
  for (const { tip, active } of await store.branches(id)) {
    const { entries } = active && tip === loaded.tip ? loaded : await store.load(id, { at: tip })
    for (const entry of entries) known.add(entry.id)
    for (const finding of changedCovers(entries)) changed.set(finding.ids.join(" "), finding)
    branches.push({ tip, active, entries: entries.length, fingerprint: hexHash(entries.map(fingerprintOf).join(" "), 16) })
  }
  return {
    conversation: id,
    ...(loaded.title !== undefined && { title: loaded.title }),
    entries: known.size,
    branches,
    lost: [...lost, ...changed.values()],
    salvaged,
    // Without what the store itself had to say: that is above.
    findings: check({ ...loaded.transcript, diagnostics: [] }, { tip: "open" }).length,
  }
}

const printVerified = ({ conversation, entries, branches, lost, salvaged, findings }: Verified, { out }: Context): void => {
  const { palette } = out
  const active = branches.find((branch) => branch.active)
  const paths = branches.length > 1 ? `, ${count(branches.length, "branch", "branches")}` : ""
  const mark = lost.length === 0 ? palette.good("✓") : palette.error("✗")
  const said = active === undefined ? "" : `  ${palette.quiet(active.fingerprint)}`
  out.line(`${mark} ${conversation}  ${count(entries, "entry", "entries")}${paths}${said}`)
  printDamage(lost, palette.error(phrase`damaged`), out)
  printDamage(salvaged, palette.warning(phrase`salvaged`), out)
  if (findings === 0) return
  const places = phrase`findings that are repaired on each load: ${findings}`
  out.line(palette.quiet(`  ${places} (ligature log show ${shellNames(conversation)})`))
}

interface Unreadable {
  readonly name: string
  readonly why: string
}

interface Found {
  readonly ids: readonly string[]
  readonly unreadable: readonly Unreadable[]
}

const idsOf = async (store: Store): Promise<Found> => {
  const ids: string[] = []
  const unreadable = new Map<string, Unreadable>()
  let after: string | undefined
  do {
    const page = await store.list({ limit: 500, ...(after !== undefined && { after }) })
    pushAll(
      ids,
      page.conversations.map(({ id }) => id),
    )
    for (const each of page.unreadable) unreadable.set(each.name, each)
    after = page.next
  } while (after !== undefined)
  return { ids, unreadable: [...unreadable.values()] }
}

const run = async (context: Context): Promise<ExitCode> => {
  const { out, err, arguments: given } = context
  const named = given.positionals
  if (given.flag("all") === named.length > 0) {
    throw new UsageError(phrase`Give either ID… or --all`, phrase`See: ${"ligature log verify --help"}`)
  }
  return withStore(context, async ({ store }) => {
    const found: Found = given.flag("all") ? await idsOf(store) : { ids: named, unreadable: [] }
    const unreadable: Unreadable[] = [...found.unreadable]
    const conversations: Verified[] = []
    let code: ExitCode = 0
    for (const id of found.ids) {
      try {
        const verified = await verifyOne(store, id)
        if (verified.lost.length > 0) code = worse(code, 1)
        if (given.flag("json")) conversations.push(verified)
        else printVerified(verified, context)
      } catch (error) {
        if (!(error instanceof StoreError) || error.reason === "missing-conversation") throw error
        unreadable.push({ name: id, why: error.message })
      }
    }
    if (unreadable.length > 0) code = 2
    if (given.flag("json")) printJson("log verify", code, { conversations, unreadable }, out)
    else {
      for (const { name, why } of unreadable) err.line(`${err.palette.error(phrase`unreadable`)}: ${name}: ${why}`)
      if (found.ids.length === 0 && unreadable.length === 0) err.line(phrase`No conversations to verify`)
    }
    return code
  })
}

export const verify: Command = {
  summary: "check that every entry is as it was written",
  usage: "ID… | --all [OPTIONS]",
  help: `Reads the complete log with all branches. Checksums of lines, links between entries, and the fingerprints by which
summaries name the entries they cover are computed again from the contents. Damage is reported with its line. Torn ends of
writes that were never acknowledged are reported too; they are not damage.

The fingerprint printed with each conversation depends only on the content of its path: copies with equal fingerprints are
equal, in whatever store.

Exit code 0: everything is as it was written. 1: something is damaged. 2: something cannot be read. Nothing is written.`,
  options: [{ name: "all", text: "every conversation of the store" }, storeOption, jsonOption],
  examples: [
    ["ligature log verify ID", "one conversation"],
    ["ligature log verify --all", "the whole store; exit code 1 if something is damaged"],
  ],
  run,
}
