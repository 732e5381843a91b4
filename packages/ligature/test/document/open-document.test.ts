import { describe, expect, it } from "vitest"
import { openDocument, type Document } from "../../src/document/index.ts"

const user = { role: "user", content: "x" }
const assistant = { role: "assistant", content: "y" }
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const line = (value: unknown): string => `${JSON.stringify(value)}\n`

const kinds = (document: Document) =>
  document.problems.map(({ kind, line: at, column }) =>
    [kind, ...(at === undefined ? [] : [at]), ...(column === undefined ? [] : [column])].join(" "),
  )
const shapes = (document: Document) =>
  document.parts.map(({ format, container, path, line: at }) => [format, container, path, ...(at === undefined ? [] : [at])].join(" "))

describe("openDocument on whole files", () => {
  it("opens a request", () => {
    const document = openDocument(bytes(JSON.stringify({ messages: [user] })))
    expect([document.syntax, shapes(document), kinds(document)]).toEqual(["json", ["openai-chat request /messages"], []])
    expect(document.parts[0]?.value).toEqual({ messages: [user] })
  })

  it("opens JSON lines of requests, one conversation each", () => {
    const document = openDocument(line({ messages: [user] }) + line({ contents: [{ parts: [{ text: "x" }] }] }) + line([user]))
    expect([document.syntax, shapes(document), kinds(document)]).toEqual([
      "jsonl",
      ["openai-chat request /messages 1", "gemini request /contents 2", "openai-chat list  3"],
      [],
    ])
  })

  it("opens JSON lines of messages as one conversation and knows each message's line", () => {
    const document = openDocument(
      line({ role: "_mark", id: 0 }) + line(user) + "\n" + line({ role: "_count", token_count: 1 }) + line(assistant),
    )
    expect(document.parts).toEqual([
      {
        format: "openai-chat",
        certainty: "guess",
        why: "messages of a role and a text, which most formats share",
        value: [user, assistant],
        container: "lines",
        path: "",
        copies: [],
        lines: [2, 5],
        line: 2,
      },
    ])
    expect(kinds(document)).toEqual(["other-lines 1"])
  })

  it("opens JSON lines of Responses items", () => {
    const document = openDocument(
      line({ type: "message", ...user }) + line({ type: "function_call", call_id: "a", name: "f", arguments: "{}" }),
    )
    expect(shapes(document)).toEqual(["openai-responses lines  1"])
  })

  it("escapes pointers", () => {
    expect(openDocument(JSON.stringify({ "a/b~c": { messages: [user] } })).parts[0]?.path).toBe("/a~1b~0c/messages")
  })

  it("joins a request line with the response on the next", () => {
    const text =
      line({ type: "request", request_params: { messages: [user] } }) +
      line({ type: "response", response: { choices: [{ message: assistant }] } })
    const [part] = openDocument(text).parts
    expect(part?.value).toEqual({ messages: [user, assistant] })
    expect(part?.appended).toEqual({ count: 1, path: "/response/choices/0/message", line: 2 })
  })

  it("reads the tools that are beside the list", () => {
    expect(openDocument(JSON.stringify([{ traj: [user], tools: [{ name: "f" }] }])).parts[0]?.tools).toEqual([{ name: "f" }])
  })

  it("never takes the extension for the content", () => {
    expect(shapes(openDocument(`${JSON.stringify({ messages: [user] }, null, 2)}\n`, { name: "x.jsonl" }))).toEqual([
      "openai-chat request /messages",
    ])
  })

  it("names session files that no reader knows instead of guessing", () => {
    const document = openDocument(JSON.stringify([{ ts: 1, say: "text", text: "hi" }]), { name: "ui_messages.json" })
    expect(document.problems).toEqual([
      {
        kind: "session-file",
        severity: "error",
        what: "ui_messages.json is a session file of Cline or Roo (ui_messages), not a request or a message list.",
        wayOut: "No reader for that agent's sessions exists yet.",
      },
    ])
  })
})

describe("openDocument on bad bytes", () => {
  it("says that a file is empty", () => {
    expect(openDocument(new Uint8Array()).problems.map(({ kind, severity }) => [kind, severity])).toEqual([["empty", "error"]])
    expect(kinds(openDocument(" \n\t"))).toEqual(["empty"])
  })

  it("says what a binary file is, and does not hand out text to write over it", () => {
    const sqlite = openDocument(bytes("SQLite format 3\0rest"))
    expect(sqlite.problems.map(({ what }) => what)).toEqual(["The file is a SQLite database, not text."])
    expect(() => sqlite.rebuild(new Map())).toThrow("Expected a readable document")
    const noise = Uint8Array.from({ length: 500 }, (_, index) => (index * 73 + 3) % 256)
    expect(kinds(openDocument(noise))).toEqual(["binary"])
  })

  it("skips a byte order mark and writes it again", () => {
    const text = `\uFEFF${line(user)}${line(assistant)}`
    const document = openDocument(bytes(text))
    expect([kinds(document), shapes(document)]).toEqual([["bom 1 1"], ["openai-chat lines  1"]])
    expect(document.rebuild(new Map([[document.parts[0] as never, [user, { ...assistant, content: "z" }]]]))).toBe(
      `\uFEFF${line(user)}${line({ ...assistant, content: "z" })}`,
    )
  })

  it("reads UTF-16 as a console writes it", () => {
    const text = JSON.stringify({ messages: [user] })
    const wide = Uint8Array.from([0xff, 0xfe, ...[...text].flatMap((character) => [character.charCodeAt(0), 0])])
    const document = openDocument(wide)
    expect([kinds(document), shapes(document)]).toEqual([["utf-16", "bom 1 1"], ["openai-chat request /messages"]])
  })

  it("reads UTF-16 without a mark, in either order, and takes no crash for it", () => {
    const text = JSON.stringify({ messages: [{ role: "user", content: "日 é" }] })
    const units = [...text].map((character) => [character.charCodeAt(0) & 0xff, character.charCodeAt(0) >> 8])
    for (const wide of [units.flat(), units.map((pair) => pair.toReversed()).flat()]) {
      const document = openDocument(Uint8Array.from(wide))
      expect([kinds(document), shapes(document)]).toEqual([["utf-16"], ["openai-chat request /messages"]])
      expect(document.parts[0]?.value).toEqual(JSON.parse(text))
    }
    expect(kinds(openDocument(bytes(`{\0\0\0"messages":${JSON.stringify([user])}}`)))).toEqual(["nul 1 2"])
    expect(kinds(openDocument(bytes(`{\0"\0messages":${JSON.stringify([user])}}`)))).toEqual(["nul 1 2"])
    expect(kinds(openDocument(bytes("[\0]")))).toContain("nul 1 2")
  })

  it("says where the first invalid byte is and reads on", () => {
    const text = bytes(`{"messages":\n[{"role":"user","content":"é?"}]}`)
    const broken = text.with(text.indexOf(0x3f), 0xff)
    const document = openDocument(broken)
    expect(document.problems.map(({ kind, line: at, column, offset }) => ({ kind, at, column, offset }))).toEqual([
      { kind: "invalid-utf8", at: 2, column: 29, offset: text.indexOf(0x3f) },
    ])
    expect(document.parts[0]?.value).toEqual({ messages: [{ role: "user", content: "é\uFFFD" }] })
  })

  it("finds an invalid byte far into the file", () => {
    const text = bytes(JSON.stringify({ messages: [{ role: "user", content: "ä".repeat(1_200_000) }] }))
    text[2_000_001] = 0xff
    expect(openDocument(text).problems.map(({ offset }) => Math.abs((offset ?? 0) - 2_000_001) <= 1)).toEqual([true])
  })

  it("reads NUL bytes as spaces", () => {
    const document = openDocument(bytes(`${line(user)}\0\0\0{"role":"assistant","content":"y\0"}\n\0\0\0\0`))
    expect(kinds(document)).toEqual(["nul 2 1"])
    expect(document.parts[0]?.value).toEqual([user, { role: "assistant", content: "y " }])
  })
})

describe("openDocument on broken JSON", () => {
  const request = JSON.stringify(
    { messages: [user, assistant, { role: "user", content: "a longer text" }], tools: [{ name: "f" }] },
    null,
    2,
  )

  it("keeps the whole messages of a request that breaks off, and says where and how many", () => {
    const document = openDocument(request.slice(0, request.indexOf("longer")))
    expect(document.parts.map(({ value }) => value)).toEqual([{ messages: [user, assistant] }])
    expect(document.problems).toEqual([
      {
        kind: "truncated-json",
        severity: "damage",
        line: 13,
        column: 18,
        offset: request.indexOf('"a longer'),
        what: "The JSON breaks off at line 13, column 18. 2 complete messages are read; the rest is left out.",
        wayOut: "What is complete before that place is read; look for a whole copy of the file.",
      },
    ])
  })

  it("reads every prefix of a request without throwing and never a half message", () => {
    for (let end = 1; end < request.length; end += 1) {
      const document = openDocument(request.slice(0, end))
      for (const part of document.parts) {
        const { messages } = part.value as { messages: readonly { content: string }[] }
        expect(["x", "y", "a longer text"]).toEqual(expect.arrayContaining(messages.map(({ content }) => content)))
      }
      expect(document.problems.length).toBeGreaterThan(0)
    }
  })

  it("drops a half-written tool list but keeps the messages", () => {
    const document = openDocument(request.slice(0, request.lastIndexOf('"f"')))
    expect(document.parts.map(({ value }) => value)).toEqual([{ messages: [user, assistant, { role: "user", content: "a longer text" }] }])
  })

  it("keeps the whole elements of a list that breaks off inside a wrapper", () => {
    const text = JSON.stringify([{ traj: [user, assistant] }, { traj: [user, assistant, user] }])
    const document = openDocument(text.slice(0, -8))
    expect(document.parts.map(({ path, value }) => [path, value])).toEqual([
      ["/0/traj", [user, assistant]],
      ["/1/traj", [user, assistant]],
    ])
  })

  it("reads up to the place where the text stops being JSON", () => {
    const document = openDocument('[{"role":"user","content":"x"},{"role":"assistant","content":"y"},{"role":"user","content":oops}]')
    expect([kinds(document), document.parts[0]?.value]).toEqual([["invalid-json 1 92"], [user, assistant]])
  })

  it("says that prose is not JSON", () => {
    const document = openDocument("Dear reader,\nthis is a letter.\n")
    expect(document.problems.map(({ kind, severity, what }) => [kind, severity, what])).toEqual([
      ["invalid-json", "error", "The file is not JSON."],
    ])
  })

  it("keeps reading after a torn line", () => {
    const document = openDocument(`${line(user)}{"role":"assistant","content":[\n${line(assistant)}`)
    expect([kinds(document), document.parts[0]?.lines]).toEqual([["torn-line 2 32"], [1, 3]])
  })

  it("keeps everything before a torn last line", () => {
    const document = openDocument(`${line(user)}${line(assistant)}{"role":"us`)
    expect([kinds(document), document.parts[0]?.value]).toEqual([["torn-last-line 3 9"], [user, assistant]])
  })

  it("saves the whole messages of a torn request line", () => {
    const document = openDocument(`${line({ messages: [user] })}${line({ messages: [user, assistant, user] }).slice(0, -10)}`)
    expect(document.parts.map(({ value }) => value)).toEqual([{ messages: [user] }, { messages: [user, assistant] }])
    expect(document.problems.map(({ kind }) => kind)).toEqual(["torn-last-line"])
  })

  it("takes glued lines apart", () => {
    const document = openDocument(`${line(user).trim()}${line(assistant)}${line(user)}`)
    expect([kinds(document), document.parts[0]?.value]).toEqual([["glued-lines 1"], [user, assistant, user]])
    expect(kinds(openDocument(`${JSON.stringify(user)}${JSON.stringify(assistant)}`))).toEqual(["glued-lines 1"])
  })

  it("reads pretty-printed values one after another", () => {
    const text = [{ messages: [user] }, { messages: [user, assistant] }].map((value) => JSON.stringify(value, null, 2)).join("\n")
    const document = openDocument(text)
    expect([document.syntax, kinds(document), shapes(document)]).toEqual([
      "concatenated",
      ["pretty-printed 1"],
      ["openai-chat request /messages 1", "openai-chat request /messages 9"],
    ])
  })

  it("says so when nothing in the file is a conversation, or all lists are empty", () => {
    expect(openDocument('{"a":[1,2]}').problems.map(({ kind, severity }) => [kind, severity])).toEqual([["unknown-format", "error"]])
    expect(openDocument('[{"traj":[]}]').problems.map(({ kind, severity }) => [kind, severity])).toEqual([["no-conversation", "note"]])
    expect(kinds(openDocument("7"))).toEqual(["unknown-format"])
  })

  it("refuses nesting deeper than the stack, whole, torn or in lines, with a problem", () => {
    const deep = "[".repeat(150_000) + "]".repeat(150_000)
    const inMessage = `{"messages":[{"role":"user","content":${deep}}]}`
    expect(openDocument(inMessage).problems.map(({ kind, path }) => [kind, path])).toEqual([["too-deep", "/messages"]])
    expect(openDocument(inMessage).parts).toEqual([])
    expect(kinds(openDocument(deep))).toEqual(["unknown-format"])
    expect(kinds(openDocument("[".repeat(150_000)))).toEqual(["too-deep"])
    expect(openDocument('{"a":'.repeat(150_000)).problems.map(({ kind }) => kind)).toEqual(["too-deep"])
    expect(openDocument(`${line(user)}${inMessage}\n`).problems.map(({ kind }) => kind)).toEqual(["too-deep"])
    expect(shapes(openDocument(`${line({ messages: [user] })}${deep}\n`))).toEqual(["openai-chat request /messages 1"])
  })
})

describe("openDocument with a named format", () => {
  const chat = JSON.stringify({ messages: [user, { role: "tool", tool_call_id: "a", content: "x" }] })

  it("obeys, and says what it looks like when it is surely another", () => {
    const document = openDocument(chat, { from: "anthropic" })
    expect(document.parts.map(({ format }) => format)).toEqual(["anthropic"])
    expect(document.problems).toEqual([
      {
        kind: "wrong-format",
        severity: "error",
        path: "/messages",
        what: "This is called anthropic, but it looks like openai-chat: a tool message has tool_call_id.",
        wayOut: "Leave the format out, or say openai-chat.",
      },
    ])
  })

  it("obeys silently where the content could be either", () => {
    expect(openDocument(JSON.stringify({ messages: [user] }), { from: "anthropic" }).problems).toEqual([])
    expect(openDocument(chat, { from: "xml-text" }).problems).toEqual([])
  })

  it("hands out the bare list when the named format keeps its list elsewhere", () => {
    const document = openDocument(JSON.stringify({ messages: [user] }), { from: "openai-responses" })
    expect(document.parts.map(({ container, value }) => [container, value])).toEqual([["list", [user]]])
  })
})

describe("openDocument on marks inside a file", () => {
  it("skips byte order marks at the start of any line, and twice at the start", () => {
    const text = `\ufeff\ufeff${JSON.stringify({ messages: [user] })}\n\ufeff${JSON.stringify({ messages: [user, user] })}\n`
    const document = openDocument(text)
    expect(document.parts.map(({ line }) => line)).toEqual([1, 2])
    expect(document.problems.map(({ kind, line }) => [kind, line])).toEqual([["bom", 1]])
    const later = openDocument(`${JSON.stringify({ messages: [user] })}\n\ufeff${JSON.stringify({ messages: [user] })}\n`)
    expect(later.problems.map(({ kind, what }) => [kind, what])).toEqual([["bom", "Line 2 starts with a byte order mark."]])
    expect(later.rebuild(new Map())).toContain("\ufeff")
  })
})

describe("openDocument on a request whose input is one text", () => {
  it("reads it as a Responses request", () => {
    for (const request of [{ input: "Hi" }, { model: "m", input: "Hi" }]) {
      expect(shapes(openDocument(JSON.stringify(request)))).toEqual(["openai-responses request /input"])
    }
  })
})
