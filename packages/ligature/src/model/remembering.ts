/**
 * What is found out about a value, kept while several questions are asked about the same value in one go: `remembering` begins and ends
 * that, and outside of it nothing is kept, because whoever calls may have changed the value in between. Only for work without waiting.
 */
let memory: Map<unknown, Map<unknown, unknown>> | undefined

export const remembering = <Value>(work: () => Value): Value => {
  if (memory) return work()
  memory = new Map()
  try {
    return work()
  } finally {
    memory = undefined
  }
}

/** What was found out about it before, under this name. */
export const remembered = <Known>(value: unknown, name: unknown): Known | undefined => memory?.get(value)?.get(name) as Known | undefined

export const remember = <Known>(value: unknown, name: unknown, known: Known): Known => {
  if (memory === undefined) return known
  const names = memory.get(value) ?? new Map<unknown, unknown>()
  memory.set(value, names)
  names.set(name, known)
  return known
}
