/** Where in the page one is, as the fragment of its address: `#/` the list, `#/ID?tab=repair&part=1&row=12` a session. */
export const tabs = ["timeline", "repair", "compaction", "requests"] as const

export type Tab = (typeof tabs)[number]

export interface Route {
  readonly session?: string
  readonly tab: Tab
  readonly part: number
  readonly row?: number
}

const whole = (text: string | null): number | undefined => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined)

export const parseRoute = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  const given = new URLSearchParams(query)
  const row = whole(given.get("row"))
  const session = decode(path)
  return {
    ...(session !== "" && { session }),
    tab: tabs.find((tab) => tab === given.get("tab")) ?? "timeline",
    part: whole(given.get("part")) ?? 0,
    ...(row !== undefined && { row: row - 1 }),
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

export const writeRoute = ({ session, tab, part, row }: Route): string => {
  if (session === undefined) return "#/"
  const query = new URLSearchParams()
  if (tab !== "timeline") query.set("tab", tab)
  if (part > 0) query.set("part", String(part))
  if (row !== undefined) query.set("row", String(row + 1))
  const text = query.toString()
  return `#/${encodeURIComponent(session)}${text === "" ? "" : `?${text}`}`
}
