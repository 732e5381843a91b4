/**
 * Where bench/store.mjs keeps its conversations: one home per kind of store, each with the barest way to make the same
 * bytes durable in the same place, for comparison. A home that cannot be had here is left out, with a line that says why.
 */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))

const jsonlHome = async (build) => {
  const { jsonlStore } = await import(pathToFileURL(join(build, "store", "index.js")).href)
  const folder = mkdtempSync(join(tmpdir(), "ligature-bench-jsonl-"))
  const file = openSync(join(folder, "bare"), "a")
  return {
    open: (durability) => jsonlStore({ folder, durability }),
    bytes: async () => statSync(join(folder, "long.jsonl")).size,
    bareName: "write and flush",
    bare: (text) => {
      writeSync(file, `${text}\n`)
      fdatasyncSync(file)
    },
    close: async () => {
      closeSync(file)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const sqliteHome = async (build) => {
  const engine = process.getBuiltinModule("node:sqlite")
  if (!engine) return `needs Node 22.13 or newer, this is ${process.versions.node}`
  const { sqliteStore } = await import(pathToFileURL(join(build, "store", "sqlite", "index.js")).href)
  const folder = mkdtempSync(join(tmpdir(), "ligature-bench-sqlite-"))
  const file = join(folder, "store.db")
  const bare = new engine.DatabaseSync(join(folder, "bare.db"))
  bare.exec("pragma journal_mode = wal; pragma synchronous = full; create table entry (id integer primary key, body text)")
  const insert = bare.prepare("insert into entry (body) values (?)")
  return {
    open: (durability) => sqliteStore({ file, durability }),
    bytes: async () => statSync(file).size,
    bareName: "insert and commit",
    bare: (text) => insert.run(text),
    close: async () => {
      bare.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const helpers = join(here, "../packages/ligature/test/store/postgres")

/** The server of the tests, or the one that LIGATURE_POSTGRES_URL names. `settings` are for the former. */
export const startServer = async (settings = []) => {
  const url = process.env.LIGATURE_POSTGRES_URL
  if (url !== undefined) return { url, stop: async () => {} }
  // Not every Node reads TypeScript.
  const { build } = await import("rolldown")
  const folder = mkdtempSync(join(tmpdir(), "ligature-bench-"))
  await build({
    input: join(helpers, "start-postgres.ts"),
    platform: "node",
    logLevel: "silent",
    transform: { define: { "import.meta.dirname": JSON.stringify(helpers) } },
    output: { file: join(folder, "start.mjs"), format: "esm", codeSplitting: false },
  })
  const { missingPostgres, startPostgres } = await import(pathToFileURL(join(folder, "start.mjs")).href)
  rmSync(folder, { recursive: true })
  return missingPostgres() ?? startPostgres(settings)
}

const postgresHome = async (build) => {
  const server = await startServer()
  if (typeof server === "string") return server
  const { default: pg } = await import("pg")
  const { postgresStore } = await import(pathToFileURL(join(build, "store", "postgres", "index.js")).href)
  const pool = new pg.Pool({ connectionString: server.url, max: 4 })
  await pool.query("drop schema if exists ligature_bench cascade; create schema ligature_bench")
  await pool.query("create table ligature_bench.bare (id bigserial primary key, body text)")
  return {
    open: (durability) => postgresStore({ pool, schema: "ligature_bench", durability }),
    bytes: async () => {
      const size = "sum(pg_total_relation_size(oid)) as bytes from pg_class where relname in ('conversation', 'entry', 'lease')"
      const { rows } = await pool.query(`select ${size} and relnamespace = 'ligature_bench'::regnamespace`)
      return Number(rows[0].bytes)
    },
    bareName: "insert and commit",
    bare: (text) => pool.query({ name: "bare", text: "insert into ligature_bench.bare (body) values ($1)", values: [text] }),
    close: async () => {
      await pool.query("drop schema ligature_bench cascade")
      await pool.end()
      await server.stop()
    },
  }
}

/** Per store: how it is made, and how many entries are enough to see whether an append depends on their number. */
export const homes = {
  jsonl: { make: jsonlHome, entries: 100_000 },
  sqlite: { make: sqliteHome, entries: 20_000 },
  postgres: { make: postgresHome, entries: 4_000 },
}
