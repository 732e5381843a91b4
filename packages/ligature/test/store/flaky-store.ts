/** A store that fails on the way: before anything was written, or after, when only the acknowledgement is lost. */
import type { Store } from "../../src/store/index.ts"

export type Moment = "before" | "after"

export interface Flaky {
  readonly store: Store
  /** Names of the calls made so far. */
  readonly calls: readonly (keyof Store)[]
}

/** `fails` is asked for each call, with its number among all calls; an error it gives is thrown at its moment. */
export const flakyStore = (
  store: Store,
  fails: (call: { readonly name: keyof Store; readonly number: number }) => { readonly moment: Moment; readonly error: Error } | undefined,
): Flaky => {
  const calls: (keyof Store)[] = []
  const flaky = new Proxy(store, {
    get: (target, name: keyof Store) => {
      const real = (target[name] as (...given: unknown[]) => Promise<unknown>).bind(target)
      return async (...given: unknown[]): Promise<unknown> => {
        const fault = fails({ name, number: calls.length })
        calls.push(name)
        if (fault?.moment === "before") throw fault.error
        const outcome = await real(...given)
        if (fault) throw fault.error
        return outcome
      }
    },
  })
  return { store: flaky, calls }
}
