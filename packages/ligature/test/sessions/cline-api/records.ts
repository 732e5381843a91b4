/** Small messages as Cline, Roo and Kilo keep them. */

export type Fields = Readonly<Record<string, unknown>>

const start = 1_759_500_000_000

export const text = (value: string): Fields => ({ type: "text", text: value })

export const surroundings = text("<environment_details>\n# VSCode Visible Files\na.ts\n</environment_details>")

export const task = (words = "Read a.ts"): Fields => ({
  role: "user",
  content: [text(`<task>\n${words}\n</task>`), surroundings],
  ts: start,
})

let tick = start

/** Times go up by a second with each message that is built. */
export const user = (content: unknown, more: Fields = {}): Fields => ({ role: "user", content, ts: (tick += 1000), ...more })

export const assistant = (content: unknown, more: Fields = {}): Fields => ({ role: "assistant", content, ts: (tick += 1000), ...more })

export const use = (id: string, name = "read_file", input: Fields = { path: "a.ts" }): Fields => ({
  type: "tool_use",
  id,
  name,
  input,
  call_id: `fc_${id}`,
})

export const answer = (id: string, content: unknown = `result of ${id}`): Fields => ({ type: "tool_result", tool_use_id: id, content })

/** A call as text, as models were taught to write it. */
export const tag = (path: string, name = "read_file"): string => `<${name}>\n<path>${path}</path>\n</${name}>`

/** Its result as text: the header and the body are blocks of their own. */
export const told = (path: string, body: string, name = "read_file"): readonly Fields[] => [
  text(`[${name} for '${path}'] Result:`),
  text(body),
]
