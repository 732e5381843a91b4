/** Agents on the postgres store, killed. `LIGATURE_KILLS=3000` kills more of them. */
import pg from "pg"
import { afterAll, beforeAll, describe } from "vitest"
import { postgresStore } from "../../../src/store/postgres/index.ts"
import { missingPostgres, type RunningPostgres, startPostgres } from "../../store/postgres/start-postgres.ts"
import { killAgents } from "./kill-agents.ts"

const missing = missingPostgres()
if (missing !== undefined) process.stdout.write(`skipped: agents on the postgres store, there is no PostgreSQL here (${missing})\n`)

describe.skipIf(missing !== undefined)("postgres", () => {
  let server: RunningPostgres
  let pool: pg.Pool
  let count = 0

  beforeAll(async () => {
    server = await startPostgres()
    pool = new pg.Pool({ connectionString: server.url, max: 10 })
    pool.on("error", () => {})
  }, 60_000)
  afterAll(async () => {
    await pool.end()
    await server.stop()
  }, 60_000)

  killAgents({
    kills: 40,
    makeHome: async () => {
      const schema = `agents_${count++}`
      return {
        kind: "postgres",
        place: JSON.stringify({ connectionString: server.url, schema }),
        open: () => postgresStore({ pool, schema }),
        dispose: async () => void (await pool.query(`drop schema if exists ${schema} cascade`)),
      }
    },
  })
})
