/**
 * The postgres store on a real server, which is started once for everything here: the suite of all stores, random lives,
 * killed processes, and what can go wrong with servers and networks.
 */
import pg from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { storeConformance } from "../conformance.ts"
import { answersLikeMemory } from "../oracle.ts"
import { surviveProcesses } from "../process-harness.ts"
import { keepsPromisesInterleaved } from "../simulation/interleaved.ts"
import { groupCommit } from "./group-commit.ts"
import { knownStates } from "./known-states.ts"
import { networkFaults } from "./network-faults.ts"
import { serverFaults } from "./server-faults.ts"
import { missingPostgres, type RunningPostgres, startPostgres } from "./start-postgres.ts"

const missing = missingPostgres()
if (missing !== undefined) process.stdout.write(`skipped: the postgres store, there is no PostgreSQL here (${missing})\n`)

describe.skipIf(missing !== undefined)("postgres", () => {
  let server: RunningPostgres
  let pool: pg.Pool

  /** The server may be somebody else's: it keeps nothing of ours, neither of this run nor of one that was cut short. */
  const dropAll = async (): Promise<void> => {
    const names = "select nspname from pg_namespace where starts_with(nspname, 'ligature_test_')"
    const { rows } = await pool.query<{ readonly nspname: string }>(names)
    for (const { nspname } of rows) await pool.query(`drop schema ${pg.escapeIdentifier(nspname)} cascade`)
  }

  beforeAll(async () => {
    server = await startPostgres()
    pool = new pg.Pool({ connectionString: server.url, max: 20 })
    pool.on("error", () => {})
    await dropAll()
  }, 60_000)
  afterAll(async () => {
    await dropAll()
    await pool.end()
    await server.stop()
  }, 60_000)

  const emptied = async (schema: string): Promise<void> => {
    await pool.query(`delete from ${schema}.conversation; delete from ${schema}.entry; delete from ${schema}.lease`)
  }

  storeConformance("postgres", async () => ({
    open: (now) => postgresStore({ pool, schema: "ligature_test_suite", now, durability: "turn" }),
    lose: async (conversation, entry) => {
      await pool.query("delete from ligature_test_suite.entry where conversation = $1 and id = $2", [conversation, entry])
    },
    holds: async (words) => {
      const tables = ["conversation", "entry", "lease"].map(
        (name) => `select row_to_json(t)::text as row from ligature_test_suite.${name} as t`,
      )
      const { rows } = await pool.query(`select from (${tables.join(" union all ")}) as all_rows where strpos(row, $1) > 0`, [words])
      return rows.length > 0
    },
    dispose: () => emptied("ligature_test_suite"),
  }))

  answersLikeMemory(Number(process.env["LIGATURE_LIVES"] ?? 5), async () => ({
    open: (now) => postgresStore({ pool, schema: "ligature_test_lives", now, durability: "none" }),
    dispose: () => emptied("ligature_test_lives"),
  }))

  keepsPromisesInterleaved(Number(process.env["LIGATURE_LIVES"] ?? 30), async () => ({
    open: (now) => postgresStore({ pool, schema: "ligature_test_interleaved", now, durability: "none" }),
    dispose: () => emptied("ligature_test_interleaved"),
  }))

  surviveProcesses({
    kills: 20,
    makeHome: async () => ({
      open: () => postgresStore({ pool, schema: "ligature_test_processes" }),
      kind: "postgres",
      place: JSON.stringify({ connectionString: server.url, schema: "ligature_test_processes" }),
      dispose: () => emptied("ligature_test_processes"),
    }),
  })

  knownStates(() => pool)
  groupCommit(() => pool)
  networkFaults(() => server)
  serverFaults(
    () => server,
    () => pool,
  )
})
