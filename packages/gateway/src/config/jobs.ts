/** The settings under `jobs`: compactions between requests become jobs that any worker on the same database may take. */
import type { JobSettings } from "../jobs/queue.ts"
import type { StoreSettings } from "../record/open-store.ts"
import { isObject, type Reader } from "./reader.ts"

export const jobDefaults = { concurrency: 2, pollMs: 2_000, leaseMs: 10_000 } as const

export const readJobs = (given: unknown, store: StoreSettings | undefined, reader: Reader): JobSettings | undefined => {
  if (given === undefined || given === false) return undefined
  const value = given === true ? {} : given
  if (!isObject(value)) return reader.expect("jobs", "true, false or an object of settings", given)
  reader.known(value, ["worker", "schema", ...Object.keys(jobDefaults)], "jobs.")
  const worker = value["worker"] ?? false
  if (typeof worker !== "boolean") return reader.expect("jobs.worker", "true or false", worker)
  const numbers = Object.entries(jobDefaults).map(([name, byDefault]) => [name, reader.number(value, name, "jobs.", 1) ?? byDefault])
  const schema = reader.text(value, "schema", "jobs.") ?? "graphile_worker"
  if (store && /^postgres(?:ql)?:\/\//.test(store.place))
    return { connectionString: store.place, worker, schema, ...(Object.fromEntries(numbers) as typeof jobDefaults) }
  reader.problems.push("jobs: need a store on a PostgreSQL server (store)")
  return undefined
}
