/** Who stands in for a record that is left out: the nearest one above it that is still there. */

/** `gone`: each record that is left out, and the one it hung on. Ways once walked are kept short in it. */
export const heirOf = (id: string, gone: Map<string, string | null>): string | null => {
  const passed = new Set<string>()
  let heir: string | null = id
  while (heir !== null && gone.has(heir) && !passed.has(heir)) {
    passed.add(heir)
    heir = gone.get(heir) ?? null
  }
  // Parents that lead in a circle leave nobody.
  if (heir !== null && gone.has(heir)) heir = null
  for (const each of passed) gone.set(each, heir)
  return heir
}
