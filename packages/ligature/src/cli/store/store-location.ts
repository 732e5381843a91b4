/**
 * Where conversations are stored: `--store`, else LIGATURE_STORE.
 *
 *   conversations            a folder: one file of lines per conversation
 *   team.db, sqlite:team     a SQLite database
 *   postgres://host/name     a PostgreSQL server
 */
import { stat } from "node:fs/promises"
import { resolve } from "node:path"
import { phrase, shellFile, withoutCredentials } from "../../model/index.ts"
import type { Store } from "../../store/index.ts"
import type { OptionSpec } from "../frame/arguments.ts"
import type { Context } from "../frame/command.ts"
import { UsageError } from "../frame/usage-error.ts"

export const storeOption: OptionSpec = {
  name: "store",
  value: "PLACE",
  text: "where conversations are stored: a folder, FILE.db (or sqlite:FILE), postgres://… (default: LIGATURE_STORE)",
}

export type StoreKind = "jsonl" | "sqlite" | "postgres"

export interface StoreLocation {
  readonly kind: StoreKind
  /** A path, or the address of a server. */
  readonly target: string
  /** For output: without a password. */
  readonly name: string
}

/** The user's name may be shown; a password may contain any character, encoded or not. */
const withoutPassword = (address: string): string => {
  const [, scheme, user, rest] = /^([a-z]+:\/\/)([^:@/]*):.*@(.*)$/s.exec(address) ?? []
  return scheme === undefined ? withoutCredentials(address) : `${scheme}${user ?? ""}:***@${withoutCredentials(rest ?? "")}`
}

/** Schemes before a path; `//` after the colon is accepted too. */
const schemes: readonly (readonly [scheme: RegExp, kind: StoreKind])[] = [
  [/^sqlite:(?:\/\/)?/, "sqlite"],
  [/^(?:jsonl|folder|file):(?:\/\/)?/, "jsonl"],
]

export const parseStoreLocation = (given: string, cwd: string): StoreLocation => {
  if (/^postgres(?:ql)?:\/\//.test(given)) return { kind: "postgres", target: given, name: withoutPassword(given) }
  for (const [scheme, kind] of schemes) {
    const path = given.replace(scheme, "")
    if (path === given) continue
    if (path === "") throw new UsageError(phrase`Store ${given} has no path`, phrase`For example: ${"sqlite:conversations.db"}`)
    return { kind, target: resolve(cwd, path), name: path }
  }
  const foreign = /^([a-z][a-z0-9+.-]+):\/\//.exec(given)
  if (foreign) {
    const known = phrase`A store is a folder, FILE.db, sqlite:FILE or postgres://HOST/DATABASE.`
    throw new UsageError(phrase`Unknown kind of store ${`${foreign[1]}://`}`, known)
  }
  const kind = /\.(?:db|sqlite3?)$/i.test(given) ? "sqlite" : "jsonl"
  return { kind, target: resolve(cwd, given), name: given }
}

const storeLocation = ({ arguments: given, io }: Context): StoreLocation => {
  const setting = given.text("store") ?? io.env["LIGATURE_STORE"]
  if (setting !== undefined && setting !== "") return parseStoreLocation(setting, io.cwd)
  throw new UsageError(
    phrase`No store given`,
    phrase`Use --store PLACE, for example a folder: --store conversations. Or set LIGATURE_STORE.`,
  )
}

/** A mistyped place would look like an empty store: only commands that create conversations may create a store. */
const assertExists = async ({ kind, target, name }: StoreLocation, makes: boolean): Promise<void> => {
  if (kind === "postgres") return
  const found = await stat(target).catch(() => undefined)
  if (!found && !makes) {
    throw new UsageError(phrase`No store at ${name}`, phrase`Create one: ${`ligature log create --store ${shellFile(name)}`}`)
  }
  if (kind === "jsonl" && found && !found.isDirectory()) {
    throw new UsageError(phrase`Store ${name} is a file, not a folder`, phrase`If it is a database: ${`--store sqlite:${name}`}`)
  }
  if (kind === "sqlite" && found?.isDirectory()) throw new UsageError(phrase`Store ${name} is a folder, not a database`)
}

const openers: Readonly<Record<StoreKind, (target: string) => Promise<Store>>> = {
  jsonl: async (folder) => (await import("../../store/jsonl/jsonl-store.ts")).jsonlStore({ folder }),
  sqlite: async (file) => (await import("../../store/sqlite/index.ts")).sqliteStore({ file }),
  postgres: async (connectionString) => (await import("../../store/postgres/index.ts")).postgresStore({ connectionString }),
}

export interface OpenedStore {
  readonly store: Store
  readonly location: StoreLocation
}

export const openStore = (context: Context, options: { readonly makes: boolean }): Promise<OpenedStore> =>
  openStoreAt(storeLocation(context), context, options)

/** Opens a place without asking whether it is there. */
export const openPlace = ({ kind, target }: StoreLocation): Promise<Store> => openers[kind](target)

/** A store that is not given by --store. */
export const openStoreAt = async (
  location: StoreLocation,
  context: Context,
  options: { readonly makes: boolean },
): Promise<OpenedStore> => {
  await assertExists(location, options.makes)
  context.debug("store", () => `${location.kind} ${location.name}`)
  return { store: await openPlace(location), location }
}
