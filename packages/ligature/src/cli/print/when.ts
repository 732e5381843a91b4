/** Times for people: `2026-01-02 03:04`, in UTC, so that two people see the same. */
export const when = (at: number): string => {
  const date = new Date(at)
  return Number.isNaN(date.getTime()) ? "?" : date.toISOString().slice(0, 16).replace("T", " ")
}
