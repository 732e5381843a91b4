/** Runs one command on a store: opens it, always closes it, and turns its errors into a message and a solution. */
import { phrase, translated } from "../../model/index.ts"
import { StoreError, type StoreErrorReason } from "../../store/index.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { suggestion } from "../../model/nearest.ts"
import { type OpenedStore, openStore } from "./store-location.ts"
import { UsageError } from "../frame/usage-error.ts"

const waysOut: Readonly<Partial<Record<StoreErrorReason, () => string>>> = {
  conflict: () =>
    phrase`Another process wrote in the meantime. Check it (ligature log show ID), then give the new tip, or omit --expect-tip.`,
  held: () => phrase`Wait, or end the process that holds the lease. If that process no longer exists: ligature log unlock ID --force`,
  "missing-conversation": () => phrase`ligature log list shows the conversations.`,
  "missing-entry": () => phrase`ligature log show ID --entries shows the entries.`,
  exists: () => phrase`Omit --id: the store assigns a new one.`,
  "operation-reused": () => phrase`Repeating an append needs the same entries; a different append needs another --operation.`,
  "newer-version": () => phrase`It was written by a newer version of Ligature: update.`,
}

/** The existing id that a mistyped or shortened one most likely meant. */
const meant = async ({ store }: OpenedStore, id: string): Promise<string | undefined> => {
  const { conversations } = await store.list({ limit: 1000 })
  const ids = conversations.map((each) => each.id)
  const begins = ids.filter((known) => known.startsWith(id))
  return begins.length === 1 ? phrase`Did you mean ${begins[0] ?? ""}?` : suggestion(id, ids)
}

const explained = async (error: StoreError, opened: OpenedStore): Promise<UsageError> => {
  const { reason, conversation, message } = error
  const isMissing = reason === "missing-conversation" && conversation !== undefined
  const near = isMissing ? await meant(opened, conversation).catch(() => undefined) : undefined
  return new UsageError(translated(message), near ?? waysOut[reason]?.())
}

export interface StoreNeed {
  /** The command creates conversations, and the store if it does not exist. Default false. */
  readonly makes?: boolean
}

export const withStore = async (
  context: Context,
  work: (opened: OpenedStore) => Promise<ExitCode>,
  { makes = false }: StoreNeed = {},
): Promise<ExitCode> => {
  const opened = await openStore(context, { makes })
  try {
    return await work(opened)
  } catch (error) {
    throw error instanceof StoreError ? await explained(error, opened) : error
  } finally {
    await opened.store.close()
  }
}

/** The arguments after the name of a command: exactly these. */
export const wordsOf = <Names extends readonly string[]>(
  context: Context,
  command: string,
  names: Names,
): { readonly [Index in keyof Names]: string } => {
  const { positionals } = context.arguments
  const seeHelp = phrase`See: ${`ligature ${command} --help`}`
  const missing = names[positionals.length]
  if (missing !== undefined) throw new UsageError(phrase`${command} needs ${missing}`, seeHelp)
  if (positionals.length > names.length) {
    const extra = positionals[names.length] ?? ""
    throw new UsageError(
      names.length === 0
        ? phrase`${command} takes no arguments, got ${extra}`
        : phrase`${command} takes only ${names.join(" ")}, got also ${extra}`,
      seeHelp,
    )
  }
  return positionals as unknown as { readonly [Index in keyof Names]: string }
}
