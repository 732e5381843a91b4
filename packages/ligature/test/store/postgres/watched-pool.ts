/** A pool whose statements are seen: what a store sends, and what comes back, is told to whoever watches. */
import type pg from "pg"

interface Query {
  readonly text: string
  readonly values?: unknown[]
}

export const watchedPool = (real: pg.Pool, seen: (result: pg.QueryResult) => void) => ({
  on: () => {},
  removeListener: () => {},
  end: async () => {},
  connect: async () => {
    const client = await real.connect()
    return {
      on: () => {},
      removeListener: () => {},
      release: (destroy?: boolean) => client.release(destroy),
      query: async (query: Query) => {
        const result = await client.query(query)
        seen(result)
        return result
      },
    }
  },
})
