/** Chats as Open WebUI exports them, with calls as cards and as items. */
import { errorMark, type Message, type Wire } from "../../../src/model/index.ts"
import { wordsIn } from "../pi/brief.ts"

const escape = (value: string): string =>
  value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("'", "&#x27;")

const attribute = (value: string): string => escape(JSON.stringify(value))

/** A finished call, as the server renders it: both attributes are JSON text of a text. */
export const card = (id: string, name: string, input: string, result: string): string =>
  [
    `<details type="tool_calls" done="true" id="${id}" name="${name}" arguments="${attribute(input)}"`,
    ` result="${attribute(result)}" files="" embeds="">\n<summary>Tool Executed</summary>\n</details>\n`,
  ].join("")

export const openCard = (id: string, name: string, input: string): string =>
  [
    `<details type="tool_calls" done="false" id="${id}" name="${name}" arguments="${attribute(input)}">\n`,
    "<summary>Executing...</summary>\n</details>\n",
  ].join("")

export const reasoning = (words: string): string =>
  `<details type="reasoning" done="true" duration="2">\n<summary>Thought for 2 seconds</summary>\n${words
    .split("\n")
    .map((line) => `> ${escape(line)}`)
    .join("\n")}\n</details>\n`

export const node = (id: string, parentId: string | null, role: string, content: unknown, more: Wire = {}): Wire => ({
  id,
  parentId,
  childrenIds: [],
  role,
  content,
  timestamp: 1_750_000_000,
  ...(role === "assistant" ? { model: "gpt-x", modelName: "GPT X", modelIdx: 0, done: true } : { models: ["gpt-x"] }),
  ...more,
})

/** A tree of these nodes; children are listed as the parents say, and the path to `currentId` is copied. */
export const chat = (nodes: readonly Wire[], currentId: unknown = nodes.at(-1)?.["id"], more: Wire = {}): Wire => {
  const listed = nodes.map((each): Wire => ({
    ...each,
    childrenIds: nodes.filter(({ parentId }) => parentId === each["id"]).map(({ id }) => id),
  }))
  const messages = Object.fromEntries(listed.map((each) => [each["id"], each]))
  const path: Wire[] = []
  for (let at = messages[String(currentId)]; at && !path.includes(at); at = messages[String(at["parentId"])]) path.unshift(at)
  return {
    id: "c-1",
    user_id: "u",
    title: "Weather",
    chat: {
      id: "",
      title: "Weather",
      models: ["gpt-x"],
      params: {},
      history: { messages, currentId },
      messages: path.map((each) => ({ ...each })),
      tags: [],
      timestamp: 1_750_000_000_000,
      ...more,
    },
    created_at: 1_750_000_000,
    updated_at: 1_750_000_100,
    share_id: null,
    archived: false,
  }
}

export const said = (words: string, id = `msg_${words.length}`): Wire => ({
  type: "message",
  id,
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text: words }],
})

export const thought = (words: string): Wire => ({
  type: "reasoning",
  id: "r_1",
  status: "completed",
  start_tag: "<think>",
  end_tag: "</think>",
  content: [{ type: "output_text", text: words }],
  summary: null,
  duration: 2,
})

export const called = (callId: string, name: string, input: string): Wire => ({
  type: "function_call",
  id: `fc_${callId}`,
  call_id: callId,
  name,
  arguments: input,
  status: "completed",
})

export const returned = (callId: string, words: string): Wire => ({
  type: "function_call_output",
  id: `fco_${callId}`,
  call_id: callId,
  output: [{ type: "input_text", text: words }],
  status: "completed",
  files: [],
})

export const oslo = '{"city": "Oslo"}'

/** Two rounds of calls as cards, and the answer. */
export const withCards = [
  reasoning("Which city?\nOslo."),
  "I look it up.\n",
  card("c1", "weather", oslo, "sunny"),
  card("c2", "time", "{}", '{"now": "12:00"}'),
  "Sunny. And tomorrow?\n",
  card("c3", "weather", '{"city":"Oslo","day":1}', `${errorMark}no forecast`),
  "I do not know.",
].join("")

/** The same as items, with one that says nothing. */
export const output: readonly Wire[] = [
  thought("Which city?"),
  said("I look it up."),
  called("c1", "weather", oslo),
  called("c2", "time", "{}"),
  returned("c1", "sunny"),
  returned("c2", "12:00"),
  said("", "msg_0"),
  called("c3", "weather", '{"city":"Oslo","day":1}'),
  returned("c3", "rain"),
  { type: "open_webui:code_interpreter", id: "ci_1", lang: "python", code: "print(1)", output: { stdout: "1" } },
  said("Rain."),
]

/** Messages as short lines, calls with their names and arguments. */
export const briefOf = (messages: readonly Message[]): readonly string[] =>
  messages.map(({ role, summary, blocks }) => {
    const words = blocks.map((block) => {
      if (block.type === "call") return `${block.id}:${block.name}(${JSON.stringify(block.arguments)})`
      if (block.type === "result") return `${block.callId}=${wordsIn(block.content)}${block.error === true ? "!" : ""}`
      return block.type === "media" ? block.kind : block.type === "thinking" ? `(${block.text})` : block.text
    })
    return `${role}${summary === true ? "*" : ""}: ${words.join(" ")}`
  })
