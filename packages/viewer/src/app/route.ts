/** Where in the page one is, as the fragment of its address: `#/` the list, `#/ID?tab=repair&part=1&row=12&branch=ID` a session. */
export const tabs = ["timeline", "repair", "compaction", "requests"] as const

export type Tab = (typeof tabs)[number]

export interface Route {
  readonly session?: string
  readonly tab: Tab
  readonly part: number
  readonly row?: number
  /** Another path of the session than the active one. */
  readonly branch?: string
  /** What is looked for in the session. */
  readonly find?: string
  /** Of a gateway: the conversations of its store, and not what happens now. */
  readonly list?: true
}

const whole = (text: string | null): number | undefined => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined)

export const parseRoute = (hash: string): Route => {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?")
  const given = new URLSearchParams(query)
  const row = whole(given.get("row"))
  const branch = given.get("branch")
  const find = given.get("find")
  const session = decode(path)
  return {
    ...(session !== "" && { session }),
    tab: tabs.find((tab) => tab === given.get("tab")) ?? "timeline",
    part: whole(given.get("part")) ?? 0,
    ...(row !== undefined && { row: row - 1 }),
    ...(branch !== null && { branch }),
    ...(find !== null && { find }),
    ...(given.has("list") && { list: true as const }),
  }
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return ""
  }
}

export const writeRoute = ({ session, tab, part, row, branch, find }: Route): string => {
  if (session === undefined) return "#/"
  const query = new URLSearchParams()
  if (tab !== "timeline") query.set("tab", tab)
  if (part > 0) query.set("part", String(part))
  if (branch !== undefined) query.set("branch", branch)
  if (find !== undefined) query.set("find", find)
  if (row !== undefined) query.set("row", String(row + 1))
  const text = query.toString()
  return `#/${encodeURIComponent(session)}${text === "" ? "" : `?${text}`}`
}
