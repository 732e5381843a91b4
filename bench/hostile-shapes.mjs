/** Histories of any size that are unusual in one way each, as the text of a file. */

const wires = ["anthropic", "openai-chat", "openai-responses", "gemini"]

/** A neutral history: messages of `text`, `calls` and `results`, in the order in which they came. */
const user = (text) => ({ role: "user", text })
const assistant = (text, calls = []) => ({ role: "assistant", text, calls })
const results = (...list) => ({ role: "results", list })
const call = (id, name = "read_file", input = { path: `src/${id}.ts` }) => ({ id, name, input })
const result = (id, text = `contents of ${id}`, name = "read_file") => ({ id, name, text })
const count = (length, make) => Array.from({ length }, (_, index) => make(index))

const writers = {
  anthropic: (messages) => ({
    messages: messages.map(({ role, text, calls, list, texts }) => {
      if (role === "results")
        return { role: "user", content: list.map((each) => ({ type: "tool_result", tool_use_id: each.id, content: each.text })) }
      if (role === "user") return { role, content: texts ? texts.map((one) => ({ type: "text", text: one })) : text }
      const uses = calls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }))
      return { role, content: [...(text === undefined ? [] : [{ type: "text", text }]), ...uses] }
    }),
  }),
  "openai-chat": (messages) => ({
    messages: messages.flatMap(({ role, text, calls, list, texts }) => {
      if (role === "results") return list.map((each) => ({ role: "tool", tool_call_id: each.id, content: each.text }))
      if (role === "user") return [{ role, content: texts ? texts.map((one) => ({ type: "text", text: one })) : text }]
      const tool_calls = calls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      }))
      return [{ role, content: text ?? null, ...(tool_calls.length > 0 && { tool_calls }) }]
    }),
  }),
  "openai-responses": (messages) => ({
    input: messages.flatMap(({ role, text, calls, list, texts }) => {
      if (role === "results") return list.map((each) => ({ type: "function_call_output", call_id: each.id, output: each.text }))
      if (role === "user") return [{ type: "message", role, content: (texts ?? [text]).map((one) => ({ type: "input_text", text: one })) }]
      const said = text === undefined ? [] : [{ type: "message", role, content: [{ type: "output_text", text, annotations: [] }] }]
      return [
        ...said,
        ...calls.map(({ id, name, input }) => ({ type: "function_call", call_id: id, name, arguments: JSON.stringify(input) })),
      ]
    }),
  }),
  gemini: (messages) => ({
    contents: messages.map(({ role, text, calls, list, texts }) => {
      if (role === "results")
        return { role: "user", parts: list.map(({ id, name, text: output }) => ({ functionResponse: { id, name, response: { output } } })) }
      if (role === "user") return { role, parts: (texts ?? [text]).map((one) => ({ text: one })) }
      const uses = calls.map(({ id, name, input: args }) => ({ functionCall: { id, name, args } }))
      return { role: "model", parts: [...(text === undefined ? [] : [{ text }]), ...uses] }
    }),
  }),
}

const wire = (name, make, more = {}) => ({
  name,
  formats: wires,
  make: (format, length) => ({ text: JSON.stringify(writers[format](make(length))), extension: "json" }),
  ...more,
})

const lines = (name, format, make, more = {}) => ({
  name,
  formats: [format],
  make: (_, length) => ({
    text: make(length)
      .map((record) => `${typeof record === "string" ? record : JSON.stringify(record)}\n`)
      .join(""),
    extension: "jsonl",
  }),
  ...more,
})

const plain = (name, format, make, more = {}) => ({
  name,
  formats: [format],
  make: (_, length) => ({ text: JSON.stringify(make(length)), extension: "json" }),
  ...more,
})

const exchange = (index, id = `call_${index}`) => [assistant(`step ${index}`, [call(id)]), results(result(id))]

const claude = (uuid, parentUuid, role, content) => ({
  type: role,
  uuid,
  parentUuid,
  sessionId: "s",
  timestamp: "2026-01-01T00:00:00.000Z",
  cwd: "/p",
  version: "2.0.0",
  isSidechain: false,
  message: { role, content, ...(role === "assistant" && { id: `m-${uuid}`, type: "message", model: "claude-x" }) },
})

const pi = (id, parentId, role, content) => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role, content },
})

const openWebui = (nodes) => ({
  id: "c",
  title: "t",
  chat: {
    title: "t",
    models: ["m"],
    history: { messages: Object.fromEntries(nodes.map((node) => [node.id, node])), currentId: nodes.at(-1).id },
    messages: [],
  },
})

const webNode = (id, parentId, childrenIds, role, content) => ({ id, parentId, childrenIds, role, content, timestamp: 1 })

export const shapes = [
  wire("calls of one message", (n) => [
    user("go"),
    assistant(
      "all at once",
      count(n, (i) => call(`c${i}`)),
    ),
    results(...count(n, (i) => result(`c${i}`))),
    user("thanks"),
  ]),
  wire("results in reverse", (n) => [
    user("go"),
    assistant(
      "all",
      count(n, (i) => call(`c${i}`)),
    ),
    results(...count(n, (i) => result(`c${n - i}`))),
  ]),
  wire("results in messages of their own", (n) => [
    user("go"),
    assistant(
      "all",
      count(n, (i) => call(`c${i}`)),
    ),
    ...count(n, (i) => results(result(`c${i}`))),
  ]),
  wire("unanswered calls of one message", (n) => [
    user("go"),
    assistant(
      "all",
      count(n, (i) => call(`c${i}`)),
    ),
    user("and?"),
  ]),
  wire("unanswered calls in many messages", (n) => [
    user("go"),
    ...count(n, (i) => [assistant(`s${i}`, [call(`c${i}`)]), user(`next ${i}`)]).flat(),
  ]),
  wire("orphan results", (n) => [user("go"), assistant("x", [call("c")]), results(...count(n, (i) => result(`o${i}`)))]),
  wire("orphan results in many messages", (n) => [user("go"), ...count(n, (i) => results(result(`o${i}`)))]),
  wire("results of one call", (n) => [user("go"), assistant("x", [call("c")]), results(...count(n, (i) => result("c", `try ${i}`)))]),
  wire("equal results of one call", (n) => [user("go"), assistant("x", [call("c")]), results(...count(n, () => result("c", "same")))]),
  wire("results far from their calls", (n) => [
    user("go"),
    ...count(n, (i) => assistant(`s${i}`, [call(`c${i}`)])),
    ...count(n, (i) => results(result(`c${i}`))),
  ]),
  wire("results before their calls", (n) => [
    user("go"),
    ...count(n, (i) => results(result(`c${i}`))),
    ...count(n, (i) => assistant(`s${i}`, [call(`c${i}`)])),
  ]),
  wire("one id for all calls", (n) => [user("go"), ...count(n, (i) => exchange(i, "same")).flat()]),
  wire("one id for all calls of one message", (n) => [
    user("go"),
    assistant(
      "x",
      count(n, (i) => call("same", "read_file", { path: `p${i}` })),
    ),
    results(...count(n, () => result("same"))),
  ]),
  wire("one id, calls first", (n) => [
    user("go"),
    ...count(n, (i) => assistant(`s${i}`, [call("same", "read_file", { i })])),
    ...count(n, (i) => results(result("same", `r${i}`))),
  ]),
  wire("no ids", (n) => [
    user("go"),
    assistant(
      "x",
      count(n, (i) => call("", "read_file", { i })),
    ),
    results(...count(n, () => result(""))),
  ]),
  wire("equal calls", (n) => [user("go"), ...count(n, () => assistant("again", [call("x", "read_file", { path: "a" })]))]),
  wire("exchanges", (n) => [user("go"), ...count(n, (i) => exchange(i)).flat()]),
  wire("user messages", (n) => count(n, (i) => user(`word ${i}`))),
  wire("assistant messages", (n) => [user("go"), ...count(n, (i) => assistant(`word ${i}`))]),
  wire("text blocks of one message", (n) => [{ role: "user", texts: count(n, (i) => `piece ${i}`) }, assistant("yes")]),
  wire("empty messages", (n) => [user("go"), ...count(n, () => user(" "))]),
  wire("one long line", (n) => [user("x".repeat(n * 100)), assistant("yes")]),
  wire("one long result line", (n) => [user("go"), assistant("x", [call("c")]), results(result("c", "word ".repeat(n * 20)))]),
  wire("many lines", (n) => [
    user("go"),
    assistant("x", [call("c")]),
    results(result("c", count(n, (i) => `line ${i} of a file`).join("\n"))),
  ]),
  wire("equal lines", (n) => [user("go"), assistant("x", [call("c")]), results(result("c", "the same line\n".repeat(n)))]),
  wire("many tools", (n) => [
    user("go"),
    ...count(n, (i) => [assistant("x", [call(`c${i}`, `tool_${i}`)]), results(result(`c${i}`, "ok", `tool_${i}`))]).flat(),
  ]),
  wire("long tool names", (n) => [
    user("go"),
    ...count(n, (i) => [
      assistant("x", [call(`c${i}`, `${"t".repeat(80)}${i}`)]),
      results(result(`c${i}`, "ok", `${"t".repeat(80)}${i}`)),
    ]).flat(),
  ]),
  wire("long ids", (n) => [user("go"), ...count(n, (i) => exchange(i, `${"i".repeat(90)}${i}`)).flat()]),
  wire("keys of one input", (n) => [
    user("go"),
    assistant("x", [call("c", "f", Object.fromEntries(count(n, (i) => [`k${i}`, `v${i}`])))]),
    results(result("c")),
  ]),
  wire(
    "nested input",
    (n) => [user("go"), assistant("x", [call("c", "f", JSON.parse(`${'{"a":'.repeat(n)}1${"}".repeat(n)}`))]), results(result("c"))],
    { most: 900 },
  ),
  wire("brackets", (n) => [user("[".repeat(n * 20)), assistant("<".repeat(n * 20)), user("go on")]),
  wire("tags", (n) => [user("go"), assistant("<a>".repeat(n * 5)), user("</b> <c ".repeat(n * 5))]),
  wire("fences", (n) => [user("go"), assistant("```\n".repeat(n * 5)), user("~~~\n````\n".repeat(n * 5))]),
  wire("escapes", (n) => [user('\\"'.repeat(n * 20)), assistant("\u0000\u001b".repeat(n * 10))]),
  wire("half characters", (n) => [user("\ud800x".repeat(n * 5)), assistant("yes")]),
  plain("foreign blocks of one message", "openai-chat", (n) => ({
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: count(n, (i) => ({
          type: "tool_use",
          id: `c${i}`,
          name: "read_file",
          input: { path: `src/file ${i}.ts` },
          extra: `unknown field ${i}`,
        })),
      },
      {
        role: "user",
        content: count(n, (i) => ({
          type: "tool_result",
          tool_use_id: `c${i}`,
          content: `contents of c${i}`,
          more: { note: `unknown note ${i}` },
        })),
      },
    ],
  })),
  plain("foreign messages", "anthropic", (n) => ({
    messages: count(n, (i) =>
      i % 2 === 0
        ? {
            role: "assistant",
            content: null,
            tool_calls: [
              {
                id: `c${i}`,
                type: "function",
                function: { name: "f", arguments: `{"path":"src/file ${i}.ts"}` },
                extra: `unknown field ${i}`,
              },
            ],
          }
        : { role: "tool", tool_call_id: `c${i - 1}`, content: `contents of c${i}`, note: `unknown note ${i}` },
    ),
  })),
  plain("unknown parts of one message", "gemini", (n) => ({
    contents: [
      { role: "user", parts: count(n, (i) => ({ shape: "of tomorrow", payload: { words: `unknown words ${i}` } })) },
      { role: "model", parts: [{ text: "yes" }] },
    ],
  })),
  plain("unknown fields of one message", "anthropic", (n) => ({
    messages: [
      { role: "user", content: "go", ...Object.fromEntries(count(n, (i) => [`field${i}`, `unknown words ${i}`])) },
      {
        role: "assistant",
        content: [{ type: "text", text: "yes", ...Object.fromEntries(count(n, (i) => [`field${i}`, `other words ${i}`])) }],
      },
    ],
  })),
  plain("repeated headers", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: "<read_file>\n<path>a</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'a'] Result:\n".repeat(n) },
    ],
  })),
  plain("calls as text", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: count(n, (i) => `<read_file>\n<path>f${i}</path>\n</read_file>`).join("\n") },
      { role: "user", content: count(n, (i) => `[read_file for 'f${n - i}'] Result:\nok\n`).join("\n") },
    ],
  })),
  plain("open tags", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: "<read_file>\n<path>a</path>\n".repeat(n) },
      { role: "user", content: "[read_file for 'a'] Result:\nx" },
    ],
  })),
  plain("open invokes", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: '<function_calls><invoke name="a"><parameter name="b">'.repeat(n) },
      { role: "user", content: "<function_results><result>".repeat(n) },
    ],
  })),
  plain("open hermes calls", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: '<tool_call>{"name":"a","arguments":{'.repeat(n) },
      { role: "user", content: "<tool_response>{".repeat(n) },
    ],
  })),
  plain("headers without an end", "xml-text", (n) => ({
    messages: [
      { role: "assistant", content: "<read_file>\n<path>a</path>\n</read_file>" },
      { role: "user", content: "[read_file for 'a\n".repeat(n) + "] Result:\nx" },
    ],
  })),
  lines("records of a session", "claude-code", (n) =>
    count(n, (i) =>
      claude(`u${i}`, i === 0 ? null : `u${i - 1}`, i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }]),
    ),
  ),
  lines("branches from one record", "claude-code", (n) => [
    claude("root", null, "user", "go"),
    ...count(n, (i) => claude(`u${i}`, "root", "assistant", [{ type: "text", text: `try ${i}` }])),
  ]),
  lines("calls in records of their own", "claude-code", (n) => [
    claude("root", null, "user", "go"),
    ...count(n, (i) => ({
      ...claude(`a${i}`, i === 0 ? "root" : `a${i - 1}`, "assistant", [{ type: "tool_use", id: `t${i}`, name: "Read", input: {} }]),
      message: { role: "assistant", id: "one", type: "message", content: [{ type: "tool_use", id: `t${i}`, name: "Read", input: {} }] },
    })),
    ...count(n, (i) =>
      claude(`r${i}`, i === 0 ? `a${n - 1}` : `r${i - 1}`, "user", [{ type: "tool_result", tool_use_id: `t${i}`, content: "ok" }]),
    ),
  ]),
  lines("records without parents", "claude-code", (n) =>
    count(n, (i) => claude(`u${i}`, `gone${i}`, i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }])),
  ),
  lines("a circle of records", "claude-code", (n) =>
    count(n, (i) => claude(`u${i}`, `u${(i + 1) % n}`, i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }])),
  ),
  lines("records of one id", "claude-code", (n) =>
    count(n, (i) => claude("same", i === 0 ? null : "same", i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }])),
  ),
  lines("records of a tree", "pi", (n) => [
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/p" },
    ...count(n, (i) =>
      pi(`n${i}`, i === 0 ? null : `n${i - 1}`, i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }]),
    ),
  ]),
  lines("branches of a tree", "pi", (n) => [
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/p" },
    ...count(n, (i) => pi(`n${i}`, i === 0 ? null : "n0", i % 2 === 0 ? "user" : "assistant", [{ type: "text", text: `word ${i}` }])),
  ]),
  plain("nodes of a chat", "open-webui", (n) =>
    openWebui(
      count(n, (i) =>
        webNode(`n${i}`, i === 0 ? null : `n${i - 1}`, i + 1 < n ? [`n${i + 1}`] : [], i % 2 === 0 ? "user" : "assistant", `word ${i}`),
      ),
    ),
  ),
  plain("branches of a chat", "open-webui", (n) =>
    openWebui(
      count(n, (i) =>
        webNode(
          `n${i}`,
          i === 0 ? null : "n0",
          i === 0 ? count(n - 1, (j) => `n${j + 1}`) : [],
          i === 0 ? "user" : "assistant",
          `word ${i}`,
        ),
      ),
    ),
  ),
  lines("requests of a log", "openai-chat", (n) =>
    count(n, (i) => ({
      model: "m",
      messages: [
        { role: "user", content: `word ${i}` },
        { role: "assistant", content: "yes" },
      ],
    })),
  ),
  lines("growing requests of a log", "openai-chat", (n) =>
    count(Math.ceil(Math.sqrt(n)) * 2, (i) => ({
      model: "m",
      messages: count(i + 1, (j) => ({ role: j % 2 === 0 ? "user" : "assistant", content: `word ${j}` })),
    })),
  ),
  lines("messages on lines", "openai-chat", (n) => count(n, (i) => ({ role: i % 2 === 0 ? "user" : "assistant", content: `word ${i}` }))),
  lines(
    "torn lines",
    "openai-chat",
    (n) =>
      count(n, (i) =>
        JSON.stringify({ role: i % 2 === 0 ? "user" : "assistant", content: `word ${i}` }).slice(0, i % 3 === 0 ? 12 : undefined),
      ),
    { refused: true },
  ),
  {
    ...lines("glued lines", "openai-chat", (n) => count(n, (i) => ({ role: i % 2 === 0 ? "user" : "assistant", content: `word ${i}` }))),
    make: (_, n) => ({
      text: count(n, (i) => JSON.stringify({ role: i % 2 === 0 ? "user" : "assistant", content: `word ${i}` })).join(""),
      extension: "jsonl",
    }),
  },
  {
    ...lines("a list that breaks off", "openai-chat", () => []),
    make: (_, n) => ({
      text: `[${count(n, (i) => JSON.stringify({ role: i % 2 === 0 ? "user" : "assistant", content: `word ${i}` })).join(",")}`,
      extension: "json",
    }),
    refused: true,
  },
  { name: "open brackets", formats: ["openai-chat"], make: (_, n) => ({ text: "[".repeat(n * 20), extension: "json" }), refused: true },
  { name: "open braces", formats: ["openai-chat"], make: (_, n) => ({ text: '{"a":'.repeat(n * 5), extension: "json" }), refused: true },
  { name: "quotes", formats: ["openai-chat"], make: (_, n) => ({ text: '"'.repeat(n * 20), extension: "json" }), refused: true },
  {
    name: "empty lines",
    formats: ["openai-chat"],
    make: (_, n) => ({ text: `${"\n".repeat(n * 20)}{"role":"user","content":"x"}`, extension: "jsonl" }),
  },
  {
    name: "NUL bytes",
    formats: ["openai-chat"],
    refused: true,
    make: (_, n) => ({ text: `{"role":"user","content":"x"}\n${"\0".repeat(n * 20)}\n{"role":"user","content":"y"}`, extension: "jsonl" }),
  },
  plain("lists in lists", "openai-chat", (n) => count(n, () => ({ conversations: [{ messages: [{ role: "user", content: "x" }] }] }))),
]
