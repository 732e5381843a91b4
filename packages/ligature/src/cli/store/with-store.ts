/** Runs one command on a store: opens it, closes it whatever happens, and turns its errors into a line and the way out. */
import { StoreError, type StoreErrorReason } from "../../store/index.ts"
import type { Context, ExitCode } from "../frame/command.ts"
import { suggestion } from "../../model/nearest.ts"
import { type OpenedStore, openStore } from "./store-location.ts"
import { UsageError } from "../frame/usage-error.ts"

const waysOut: Readonly<Record<StoreErrorReason, string | undefined>> = {
  conflict: "Somebody else wrote meanwhile. Look (ligature log show ID), then give the new tip, or leave --expect-tip out.",
  held: "Wait for it, or end the program that holds it. If it is gone: ligature log unlock ID --force.",
  "lease-lost": undefined,
  "missing-conversation": "ligature log list names the conversations.",
  "missing-entry": "ligature log show ID --entries names the entries.",
  exists: "Leave --id out: the store gives a new one.",
  "operation-reused": "Repeating an append needs the same entries; another one needs another --operation.",
  "bad-entry": undefined,
  "newer-version": "A newer version of Ligature wrote it: update.",
  unreadable: undefined,
  unwritable: undefined,
  closed: undefined,
}

/** A mistyped id, or the beginning of one, most likely meant one that is there. */
const meant = async ({ store }: OpenedStore, id: string): Promise<string | undefined> => {
  const { conversations } = await store.list({ limit: 1000 })
  const ids = conversations.map((each) => each.id)
  const begins = ids.filter((known) => known.startsWith(id))
  return begins.length === 1 ? `Did you mean ${begins[0]}?` : suggestion(id, ids)
}

const explained = async (error: StoreError, opened: OpenedStore): Promise<UsageError> => {
  const { reason, conversation, message } = error
  const isMissing = reason === "missing-conversation" && conversation !== undefined
  const near = isMissing ? await meant(opened, conversation).catch(() => undefined) : undefined
  return new UsageError(message, near ?? waysOut[reason])
}

export interface StoreNeed {
  /** The command makes conversations, and a place for them where there is none. Default false. */
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

/** What stands behind the name of a command: exactly these words. */
export const wordsOf = <Names extends readonly string[]>(
  context: Context,
  command: string,
  names: Names,
): { readonly [Index in keyof Names]: string } => {
  const { positionals } = context.arguments
  const seeHelp = `See: ligature ${command} --help`
  const missing = names[positionals.length]
  if (missing !== undefined) throw new UsageError(`${command} needs ${missing}`, seeHelp)
  if (positionals.length > names.length) {
    const taken = names.length === 0 ? "no words" : names.join(" and ")
    throw new UsageError(`${command} takes ${taken}, got also ${positionals[names.length]}`, seeHelp)
  }
  return positionals as unknown as { readonly [Index in keyof Names]: string }
}
