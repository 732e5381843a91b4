import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { SessionCodec } from "../../src/formats/engine/session.ts"
import { crush } from "../../src/sessions/crush/index.ts"
import { findSession } from "../../src/registry/registry.ts"
import { langgraph } from "../../src/sessions/langgraph/index.ts"
import { loadSqlite } from "../../src/files/sqlite/database.ts"
import { openSqliteSessions } from "../../src/files/sqlite/open-sqlite-sessions.ts"
import { LigatureError } from "../../src/model/index.ts"
import { corpus, countsOf, expectValidEverywhere, filesOf, hasCorpus, manifest, total } from "../sessions/tau-bench/corpus-files.ts"
import { cli } from "../cli/cli.ts"
import { ext, writeMsgpack } from "./write-msgpack.ts"

interface Engine {
  exec(sql: string): void
  prepare(sql: string): { run(...values: readonly unknown[]): unknown }
  close(): void
}

const engine = (await import("node:sqlite" as string).catch(() => undefined)) as
  | { readonly DatabaseSync: new (path: string) => Engine }
  | undefined
if (!engine) console.warn("Skipped: reading of databases. This Node has no node:sqlite; run with Node 22.13 or newer.")

describe("a Node without node:sqlite", () => {
  it("is told which Node to take and how to go on without", async () => {
    const loading = loadSqlite(() => Promise.reject(new Error("No such built-in module: node:sqlite")))
    await expect(loading).rejects.toThrow(
      `Reading a SQLite database needs Node 22.13 or newer, this is Node ${process.versions.node}. ` +
        "Run ligature with a newer Node, or export the session to a file with its agent and give that file.",
    )
    await expect(loading).rejects.toSatisfy((cause) => LigatureError.is(cause) && cause.code === "cannot-read")
  })

  it.skipIf(engine !== undefined)("is told so also when it opens a database", async () => {
    const folder = mkdtempSync(join(tmpdir(), "ligature-test-"))
    const path = join(folder, "x.db")
    writeFileSync(path, `SQLite format 3\u0000${"x".repeat(100)}`)
    await expect(openSqliteSessions(path)).rejects.toThrow("needs Node 22.13 or newer")
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(engine === undefined)("databases of agents", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "ligature-test-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  type Insert = readonly [string, ...unknown[]]
  const make = (name: string, schema: string, inserts: readonly Insert[]): string => {
    const path = join(folder, name)
    if (!engine) return path
    const database = new engine.DatabaseSync(path)
    database.exec(schema)
    for (const [sql, ...values] of inserts) database.prepare(sql).run(...values)
    database.close()
    return path
  }

  const crushSchema = `
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, message_count INTEGER, created_at INTEGER,
      summary_message_id TEXT);
    CREATE TABLE messages (
      id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, model TEXT, created_at INTEGER);
    CREATE TABLE files (id TEXT);`
  const newMessage = "INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)"
  const said = JSON.stringify([{ type: "text", data: { text: "hi" } }])
  const crushRows: readonly Insert[] = [
    ["INSERT INTO sessions VALUES ('s', NULL, 'T', 2, 5, NULL)"],
    [newMessage, "b", "s", "user", said, null, 5],
    [newMessage, "a", "s", "assistant", '[{"type":"tool_call"', "m", 5],
    [newMessage, "c", "other", "user", said, null, 5],
  ]

  it("of Crush give the rows of each session in the order they were written", async () => {
    const path = make("crush.db", crushSchema, crushRows)
    const before = readFileSync(path)
    const found = await openSqliteSessions(path)
    expect(found).toEqual({
      agent: "Crush",
      format: "crush",
      sessions: [
        {
          format: "crush",
          name: "s",
          value: {
            session: {
              id: "s",
              parent_session_id: null,
              title: "T",
              message_count: 2,
              created_at: 5,
              summary_message_id: null,
            },
            messages: [
              { id: "b", session_id: "s", role: "user", parts: JSON.parse(said) as unknown, model: null, created_at: 5 },
              { id: "a", session_id: "s", role: "assistant", parts: '[{"type":"tool_call"', model: "m", created_at: 5 },
            ],
          },
        },
      ],
      problems: [],
    })
    const { messages } = crush.decode(found.sessions[0]?.value)
    expect(messages.map(({ blocks }) => blocks[0]?.type)).toEqual(["text", "opaque"])
    expect(readFileSync(path).equals(before)).toBe(true)
    expect(readdirSync(folder).filter((name) => name.startsWith("crush.db"))).toEqual(["crush.db"])
  })

  it("of Cursor and Kiro give chats as their formats read them, and databases that nobody reads are named", async () => {
    const row = "INSERT INTO cursorDiskKV VALUES (?, ?)"
    const cursor = make(
      "state.vscdb",
      "CREATE TABLE ItemTable (key TEXT, value BLOB); CREATE TABLE cursorDiskKV (key TEXT PRIMARY KEY, value BLOB);",
      [
        [row, "composerData:c1", JSON.stringify({ name: "T", fullConversationHeadersOnly: [{ bubbleId: "b2" }, { bubbleId: "b1" }] })],
        [row, "bubbleId:c1:b1", Buffer.from(JSON.stringify({ type: 2, bubbleId: "b1", text: "hello" }))],
        [row, "bubbleId:c1:b2", JSON.stringify({ type: 1, bubbleId: "b2", text: "hi" })],
        [row, "bubbleId:c1:b3", null],
        [row, "composerData:empty", JSON.stringify({ name: "draft" })],
      ],
    )
    const found = await openSqliteSessions(cursor)
    expect(found.sessions.map(({ format, name }) => [format, name])).toEqual([["cursor-vscdb", "c1"]])
    const texts = findSession("cursor-vscdb")
      ?.decode(found.sessions[0]?.value)
      .messages.map(({ role, blocks }) => `${role} ${blocks[0]?.type === "text" ? blocks[0].text : ""}`)
    expect(texts).toEqual(["user hi", "assistant hello"])
    const kiro = make("data.sqlite3", "CREATE TABLE conversations_v2 (key TEXT, conversation_id TEXT, value TEXT);", [
      ["INSERT INTO conversations_v2 VALUES ('/w', 'k', ?)", JSON.stringify({ conversation_id: "k", history: [] })],
    ])
    expect((await openSqliteSessions(kiro)).sessions).toEqual([{ format: "kiro", name: "k", value: { conversation_id: "k", history: [] } }])
    const store = make("store.db", "CREATE TABLE blobs (id TEXT, data BLOB); CREATE TABLE meta (key TEXT, value TEXT);", [])
    await expect(openSqliteSessions(store)).rejects.toThrow(
      "a database of Cursor's agent (store.db), which is not supported yet, because its blobs are in a format that is not published.",
    )
  })

  it("of opencode give what its export does", async () => {
    const schema = `
      CREATE TABLE session (
        id TEXT, project_id TEXT, parent_id TEXT, slug TEXT, directory TEXT, title TEXT, version TEXT, share_url TEXT,
        summary_additions INTEGER, revert TEXT, time_created INTEGER, time_updated INTEGER);
      CREATE TABLE message (id TEXT, session_id TEXT, time_created INTEGER, data TEXT);
      CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, time_created INTEGER, data TEXT);`
    const path = make("opencode.db", schema, [
      [
        "INSERT INTO session VALUES ('ses_1', 'p', NULL, 'calm-fox', '/w', 'T', '1.2.0', NULL, 3, ?, 1, 2)",
        JSON.stringify({ messageID: "msg_9" }),
      ],
      ["INSERT INTO message VALUES ('msg_2', 'ses_1', 1, ?)", JSON.stringify({ role: "assistant", finish: "stop" })],
      ["INSERT INTO message VALUES ('msg_1', 'ses_1', 2, ?)", JSON.stringify({ role: "user" })],
      ["INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', 1, ?)", JSON.stringify({ type: "text", text: "second" })],
      ["INSERT INTO part VALUES ('prt_1', 'msg_2', 'ses_1', 1, ?)", JSON.stringify({ type: "text", text: "first" })],
    ])
    const { agent, sessions } = await openSqliteSessions(path)
    expect([agent, sessions]).toEqual([
      "opencode",
      [
        {
          format: "opencode-export",
          name: "ses_1",
          value: {
            info: {
              id: "ses_1",
              slug: "calm-fox",
              projectID: "p",
              directory: "/w",
              title: "T",
              version: "1.2.0",
              revert: { messageID: "msg_9" },
              summary: { additions: 3 },
              time: { created: 1, updated: 2 },
            },
            messages: [
              { info: { role: "user", id: "msg_1", sessionID: "ses_1" }, parts: [] },
              {
                info: { role: "assistant", finish: "stop", id: "msg_2", sessionID: "ses_1" },
                parts: [
                  { type: "text", text: "first", id: "prt_1", messageID: "msg_2", sessionID: "ses_1" },
                  { type: "text", text: "second", id: "prt_2", messageID: "msg_2", sessionID: "ses_1" },
                ],
              },
            ],
          },
        },
      ],
    ])
  })

  it("of Goose give the records of its JSON lines", async () => {
    const schema = `
      CREATE TABLE schema_version (version INTEGER);
      CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, description TEXT, working_dir TEXT, total_tokens INTEGER);
      CREATE TABLE messages (
        id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT,
        created_timestamp INTEGER, metadata_json TEXT);`
    const content = [{ type: "text", text: "hi" }]
    const path = make("sessions.db", schema, [
      ["INSERT INTO sessions VALUES ('20260101_1', 'n', NULL, '/w', NULL)"],
      ["INSERT INTO messages VALUES (NULL, 'm1', '20260101_1', 'user', ?, 7, ?)", JSON.stringify(content), '{"agentVisible":false}'],
      ["INSERT INTO messages VALUES (NULL, NULL, '20260101_1', 'assistant', ?, 8, NULL)", JSON.stringify(content)],
    ])
    expect(await openSqliteSessions(path)).toEqual({
      agent: "Goose",
      format: "goose",
      sessions: [
        {
          format: "goose",
          name: "20260101_1",
          value: [
            { id: "20260101_1", name: "n", working_dir: "/w", description: "n", message_count: 2 },
            { id: "m1", role: "user", created: 7, content, metadata: { agentVisible: false } },
            { role: "assistant", created: 8, content },
          ],
        },
      ],
      problems: [],
    })
  })

  it("of Open WebUI give each chat as an element of its export", async () => {
    const schema = `CREATE TABLE chat (
      id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER, meta TEXT, share_id TEXT)`
    const chat = { history: { messages: {}, currentId: null } }
    const path = make("webui.db", schema, [["INSERT INTO chat VALUES ('c', 'u', 'T', ?, 1, '{}', NULL)", JSON.stringify(chat)]])
    const { format, sessions } = await openSqliteSessions(path)
    expect([format, sessions]).toEqual([
      "open-webui",
      [
        {
          format: "open-webui",
          name: "c",
          value: { id: "c", user_id: "u", title: "T", chat, created_at: 1, meta: {} },
        },
      ],
    ])
  })

  describe("of LangGraph", () => {
    const schema = `
      CREATE TABLE checkpoints (
        thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
        parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));
      CREATE TABLE writes (
        thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT NOT NULL,
        task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB,
        PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));`
    const human = (id: string, content: string) =>
      ext(5, ["langchain_core.messages.human", "HumanMessage", { content, type: "human", id }, "model_validate_json"])
    const ai = (id: string, calls: readonly string[]) =>
      ext(5, [
        "langchain_core.messages.ai",
        "AIMessage",
        { content: "", type: "ai", id, tool_calls: calls.map((call) => ({ id: call, name: "t", args: {} })) },
        "model_validate_json",
      ])
    const checkpoint = (thread: string, ns: string, id: string, parent: string | null, values: unknown): Insert => [
      "INSERT INTO checkpoints VALUES (?, ?, ?, ?, 'msgpack', ?, NULL)",
      thread,
      ns,
      id,
      parent,
      writeMsgpack({
        v: 4,
        id,
        channel_values: values,
      }),
    ]
    const written = (thread: string, id: string, task: string, channel: string, value: unknown): Insert => [
      "INSERT INTO writes VALUES (?, '', ?, ?, 0, ?, 'msgpack', ?)",
      thread,
      id,
      task,
      channel,
      writeMsgpack(value),
    ]

    it("give the newest checkpoint of each thread and namespace with what was written since", async () => {
      const path = make("checkpoints.sqlite", schema, [
        checkpoint("t", "", "1", null, { messages: [human("1", "old")] }),
        checkpoint("t", "", "2", "1", { messages: [human("1", "old"), human("2", "new")], other: 1 }),
        checkpoint("t", "sub:1", "1", null, { history: [human("9", "inside")] }),
        checkpoint("empty", "", "1", null, { counter: 1 }),
        written("t", "1", "a", "messages", [human("x", "applied long ago")]),
        written("t", "2", "a", "messages", ai("3", ["call_1"])),
        written("t", "2", "b", "__interrupt__", [1]),
        [
          "INSERT INTO checkpoints VALUES ('json', '', '1', NULL, 'json', ?, NULL)",
          JSON.stringify({
            channel_values: {
              messages: [
                {
                  lc: 1,
                  type: "constructor",
                  id: ["langchain", "schema", "messages", "HumanMessage"],
                  kwargs: { content: "old days" },
                },
              ],
            },
          }),
        ],
        ["INSERT INTO checkpoints VALUES ('pickled', '', '1', NULL, 'pickle', ?, NULL)", Uint8Array.of(1)],
        ["INSERT INTO checkpoints VALUES ('torn', '', '1', NULL, 'msgpack', ?, NULL)", Uint8Array.of(0x92, 1)],
      ])
      const { agent, sessions, problems } = await openSqliteSessions(path)
      expect(agent).toBe("LangGraph")
      expect(sessions.map(({ name }) => name)).toEqual(["json", "t", "t/sub:1"])
      expect(sessions[1]?.value).toEqual({
        thread: "t",
        checkpoint: "2",
        messages: [
          { content: "old", type: "human", id: "1" },
          { content: "new", type: "human", id: "2" },
        ],
        pending: [{ content: "", type: "ai", id: "3", tool_calls: [{ id: "call_1", name: "t", args: {} }] }],
        interrupted: true,
      })
      expect(sessions[2]?.value).toEqual({
        thread: "t",
        namespace: "sub:1",
        checkpoint: "1",
        messages: [{ content: "inside", type: "human", id: "9" }],
      })
      expect(problems).toEqual([
        "The thread pickled cannot be read: it is pickled, which only Python may read",
        "The thread torn cannot be read: Expected MessagePack, got a list of 2 elements in 1 bytes",
      ])
      const { messages } = langgraph.decode(sessions[1]?.value)
      expect(messages.at(-1)?.blocks).toMatchObject([{ type: "call", id: "call_1", pending: "approval" }])
      for (const { value } of sessions) expectValidEverywhere(langgraph.decode(value), "langgraph")
    })

    it("follow a delta channel to its last snapshot", async () => {
      const path = make("delta.sqlite", schema, [
        checkpoint("t", "", "1", null, { messages: ext(7, [human("1", "one")]) }),
        checkpoint("t", "", "2", "1", {}),
        checkpoint("t", "", "3", "2", {}),
        written("t", "1", "a", "messages", [human("2", "two")]),
        written("t", "2", "a", "messages", [human("3", "three")]),
        written("t", "3", "a", "messages", [human("4", "four")]),
      ])
      const { sessions } = await openSqliteSessions(path)
      const { messages } = langgraph.decode(sessions[0]?.value)
      expect(messages.map(({ blocks }) => blocks)).toEqual(["one", "two", "three", "four"].map((text) => [{ type: "text", text }]))
    })
  })

  it("give values that the codec of their format recognises and reads", async () => {
    const said = (text: string): string => JSON.stringify([{ type: "text", text }])
    const opencode = make(
      "opencode-real.db",
      `CREATE TABLE session (id TEXT, slug TEXT, project_id TEXT, directory TEXT, title TEXT, time_created INTEGER);
      CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
      CREATE TABLE part (id TEXT, message_id TEXT, session_id TEXT, data TEXT);`,
      [
        ["INSERT INTO session VALUES ('ses_1', 'fox', 'p', '/w', 'T', 1)"],
        ["INSERT INTO message VALUES ('msg_1', 'ses_1', ?)", JSON.stringify({ role: "user", time: { created: 1 } })],
        ["INSERT INTO message VALUES ('msg_2', 'ses_1', ?)", JSON.stringify({ role: "assistant", time: { created: 2 } })],
        ["INSERT INTO part VALUES ('prt_1', 'msg_1', 'ses_1', ?)", JSON.stringify({ type: "text", text: "list" })],
        [
          "INSERT INTO part VALUES ('prt_2', 'msg_2', 'ses_1', ?)",
          JSON.stringify({
            type: "tool",
            callID: "call_1",
            tool: "ls",
            state: { status: "completed", input: {}, output: "a.py" },
          }),
        ],
      ],
    )
    const goose = make(
      "goose-real.db",
      `CREATE TABLE sessions (id TEXT, name TEXT, working_dir TEXT);
      CREATE TABLE messages (session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);`,
      [
        ["INSERT INTO sessions VALUES ('s', 'n', '/w')"],
        ["INSERT INTO messages VALUES ('s', 'user', ?, 1)", said("list")],
        [
          "INSERT INTO messages VALUES ('s', 'assistant', ?, 2)",
          JSON.stringify([
            {
              type: "toolRequest",
              id: "call_1",
              toolCall: { status: "success", value: { name: "ls", arguments: {} } },
            },
          ]),
        ],
        [
          "INSERT INTO messages VALUES ('s', 'user', ?, 3)",
          JSON.stringify([
            {
              type: "toolResponse",
              id: "call_1",
              toolResult: { status: "success", value: [{ type: "text", text: "a.py" }] },
            },
          ]),
        ],
      ],
    )
    const webuiMessages = {
      a: { id: "a", parentId: null, childrenIds: ["b"], role: "user", content: "list" },
      b: { id: "b", parentId: "a", childrenIds: [], role: "assistant", content: "a.py" },
    }
    const webui = make("webui-real.db", "CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER)", [
      ["INSERT INTO chat VALUES ('c', 'u', 'T', ?, 1)", JSON.stringify({ history: { messages: webuiMessages, currentId: "b" } })],
    ])
    const expected = [
      [opencode, 1],
      [goose, 1],
      [webui, 0],
    ] as const
    for (const [path, calls] of expected) {
      const { format, sessions } = await openSqliteSessions(path)
      const codec = findSession(format)
      const value = sessions[0]?.value
      const sample = Array.isArray(value)
        ? { syntax: "lines" as const, records: value as readonly unknown[] }
        : { syntax: "value" as const, records: [value] }
      expect(codec?.session.recognise(sample)?.certainty, format).toMatch(/certain|likely/)
      const transcript = codec?.decode(value, { view: "whole" })
      expect(transcript && countsOf(transcript), format).toMatchObject({ calls, results: calls })
      if (transcript) expectValidEverywhere(transcript, format)
    }
  })

  it("are not written as an empty file where a repair has nothing to change", async () => {
    const schema = "CREATE TABLE chat (id TEXT, user_id TEXT, title TEXT, chat TEXT, created_at INTEGER)"
    const messages = { a: { id: "a", parentId: null, childrenIds: [], role: "user", content: "hi" } }
    const chat = JSON.stringify({ history: { messages, currentId: "a" } })
    make("healthy.db", schema, [["INSERT INTO chat VALUES ('c', 'u', 'T', ?, 1)", chat]])
    const { code, stderr } = await cli(["repair", "healthy.db", "-o", "out.json"], { cwd: folder })
    expect([code, stderr]).toEqual([2, expect.stringContaining("Databases are only read")])
    expect(existsSync(join(folder, "out.json"))).toBe(false)
  })

  it("are read with the rows that are still in the log beside them, wherever they are", async () => {
    if (!engine) return
    const path = join(folder, "live.db")
    const writer = new engine.DatabaseSync(path)
    writer.exec(`PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; ${crushSchema}`)
    for (const [sql, ...values] of crushRows) writer.prepare(sql).run(...values)
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0)
    expect((await openSqliteSessions(path)).sessions.length).toBe(1)
    const orphaned = join(folder, "orphaned.db")
    for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, orphaned + suffix)
    const before = ["", "-wal"].map((suffix) => readFileSync(orphaned + suffix))
    expect((await openSqliteSessions(orphaned)).sessions.length).toBe(1)
    expect(["", "-wal"].map((suffix) => readFileSync(orphaned + suffix))).toEqual(before)
    expect(existsSync(`${orphaned}-shm`)).toBe(false)
    expect((await openSqliteSessions(path)).sessions.length).toBe(1)
    writer.exec("INSERT INTO sessions VALUES ('late', NULL, 'T', 0, 9, NULL)")
    expect((await openSqliteSessions(path)).sessions.length).toBe(2)
    writer.close()
  })

  it("say what is wrong where nothing can be read", async () => {
    const text = join(folder, "text.db")
    writeFileSync(text, "not a database at all, but long enough to look at")
    await expect(openSqliteSessions(text)).rejects.toThrow(`${text} is no SQLite database: its first bytes are others`)
    await expect(openSqliteSessions(join(folder, "none.db"))).rejects.toThrow("There is no file")
    const cut = join(folder, "cut.db")
    writeFileSync(cut, readFileSync(make("whole.db", crushSchema, crushRows)).subarray(0, 2000))
    const reading = openSqliteSessions(cut)
    await expect(reading).rejects.toThrow(/^Cannot read the database .*cut\.db: .* The file is damaged\./)
    await expect(reading).rejects.toSatisfy((cause) => LigatureError.is(cause) && cause.code === "cannot-read")
    const foreign = make("foreign.db", "CREATE TABLE users (id TEXT)", [])
    await expect(openSqliteSessions(foreign)).rejects.toThrow(
      `${foreign} holds no sessions of a known agent (Crush, Kilo CLI, opencode, Goose, LangGraph, Open WebUI, Cursor, Kiro); ` +
        "its tables are: users",
    )
  })

  it("give what is before a damaged page, and say so", async () => {
    const long = JSON.stringify([{ type: "text", data: { text: "x".repeat(3000) } }])
    const rows: Insert[] = []
    for (let index = 0; index < 60; index++) {
      rows.push(["INSERT INTO sessions VALUES (?, NULL, 'T', 1, ?, NULL)", `s${index}`, index])
      rows.push([newMessage, `m${index}`, `s${index}`, "user", long, null, index])
    }
    const path = make("torn.db", `${crushSchema} CREATE INDEX by_session ON messages (session_id);`, rows)
    const bytes = readFileSync(path)
    bytes.fill(0xee, bytes.length - 12_288)
    writeFileSync(path, bytes)
    const { sessions, problems } = await openSqliteSessions(path)
    expect(sessions.length).toBeGreaterThan(0)
    expect(sessions.length).toBeLessThan(60)
    expect(problems.length).toBe(1)
    expect(problems[0]).toContain("The file is damaged")
  })

  if (!hasCorpus) console.warn("Skipped: databases of the corpus. Set LIGATURE_CORPUS to its folder to read its files.")
  const stored = filesOf("crush").filter((file) => file.endsWith(".db"))
  it.skipIf(!hasCorpus).each(stored)("of the corpus are read as the manifest counts them: %s", async (file) => {
    const { format, sessions, problems } = await openSqliteSessions(join(corpus ?? "", file))
    const codec: SessionCodec = crush
    expect([format, problems]).toEqual(["crush", []])
    const transcripts = sessions.map(({ value }) => codec.decode(value, { view: "whole" }))
    expect(total(transcripts.map(countsOf))).toEqual(manifest().get(file))
    for (const transcript of transcripts) expectValidEverywhere(transcript, file)
    for (const { value } of sessions)
      expect(
        codec.session.recognise({
          syntax: "value",
          records: [value],
        })?.certainty,
      ).toBe("certain")
  })
})
