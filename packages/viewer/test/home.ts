/**
 * A home folder with sessions of several agents for tests and pictures: some broken in the ways in which sessions break, most of them
 * healthy. Everything in it is written here; the files of other agents are what this library writes for them.
 */
import { mkdir, utimes, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { convert, fileValueOf, findCodec, hasLines, isSessionCodec } from "../../ligature/src/convert/index.ts"
import "../../ligature/src/registry/sessions.ts"
import { answer, assistant, damagedRequest, text, tool, user } from "./samples.ts"

type Message = { readonly role: string; readonly content: readonly unknown[] }
type Entry = Record<string, unknown>

const idOf = (number: number): string => `${String(number).repeat(8).slice(0, 8)}-2a34-4b56-8c78-9d0e1f2a3b4c`

const at = (start: string, seconds: number): string => new Date(Date.parse(start) + seconds * 1000).toISOString()

interface ClaudeSession {
  readonly id: string
  readonly folder: string
  readonly start: string
  readonly title?: string
}

/** Records of a Claude Code session, one message after the other. */
const claudeRecords = (messages: readonly unknown[], { id, folder, start }: ClaudeSession, more: Entry = {}, prefix = "m"): Entry[] => {
  let parent: string | null = null
  return messages.map((given, index) => {
    const message = given as Message
    const uuid = `${prefix}${String(index).padStart(3, "0")}-${id.slice(9)}`
    const record: Entry = {
      parentUuid: parent,
      isSidechain: false,
      userType: "external",
      cwd: folder,
      sessionId: id,
      version: "2.1.63",
      gitBranch: "main",
      type: message.role,
      message:
        message.role === "assistant"
          ? { id: `msg_${uuid}`, type: "message", model: "claude-sonnet-4-5", stop_reason: null, ...message }
          : message,
      uuid,
      timestamp: at(start, index * 41),
      ...more,
    }
    parent = uuid
    return record
  })
}

const lines = (records: readonly unknown[]): string => records.map((record) => `${JSON.stringify(record)}\n`).join("")

/** The file that this library writes for another agent, and where the agent looks for it. */
export const written = (
  format: string,
  messages: readonly unknown[],
  session: { readonly id: string; readonly folder: string; readonly start: string; readonly title: string },
  damage: (records: readonly unknown[]) => readonly unknown[] = (records) => records,
): readonly [path: string, text: string] => {
  const codec = findCodec(format)
  if (codec === undefined || !isSessionCodec(codec)) throw new Error(`${format} is no session format`)
  const { id, folder, start, title } = session
  const { value } = convert({ messages }, {
    from: "anthropic",
    to: format as never,
    session: { id, folder, startedAt: start, title },
  } as never)
  const { path } = codec.session.place?.(value) ?? { path: "" }
  const whole = fileValueOf(codec, value)
  const content = hasLines(codec, value) ? lines(damage(whole as readonly unknown[])) : `${JSON.stringify(whole)}\n`
  return [path.replace(/^~\//, ""), content]
}

const shop: ClaudeSession = { id: idOf(5), folder: "/home/mei/work/shop", start: "2026-03-02T09:14:00.000Z" }
const search: ClaudeSession = { id: idOf(7), folder: "/home/mei/work/search", start: "2026-02-27T13:02:00.000Z" }
const docs: ClaudeSession = { id: idOf(3), folder: "/home/mei/work/docs", start: "2026-02-20T16:40:00.000Z" }

/** The session of the pictures: a subagent, an abandoned branch, and the damage of an interruption. */
const shopFiles = (): readonly (readonly [string, string])[] => {
  const { messages } = damagedRequest
  const agentId = "a7c31f0e"
  const records = claudeRecords(messages, shop)
  const reviewCall = tool("toolu_task", "Task", {
    description: "Review the rounding",
    subagent_type: "reviewer",
    prompt: "Look for other places that round a price before the discount is taken.",
  })
  const last = records.length - 1
  // Before the deployment a subagent looks at the rounding.
  const review = claudeRecords(
    [
      user(text("And let somebody review the rounding.")),
      assistant(text("I'll have a reviewer look for the same mistake elsewhere."), reviewCall),
      user(
        answer("toolu_task", "Two places round early: src/invoice/line.ts:41 and src/refund/partial.ts:17. Both are covered by tests now."),
      ),
      assistant(text("The reviewer found two more places that round early; both have tests now.")),
    ],
    { ...shop, start: at(shop.start, 900) },
    {},
    "r",
  )
  const first = review[0]
  if (first) first["parentUuid"] = records[last - 1]?.["uuid"]
  const result = review[2]
  if (result) result["toolUseResult"] = { status: "completed", agentId, totalToolUseCount: 2 }
  const goAhead = records[last]
  if (goAhead) goAhead["parentUuid"] = review.at(-1)?.["uuid"]
  // What the user took back by going to an earlier message.
  const aside = claudeRecords(
    [
      user(text("Can you also rename the cart module to basket?")),
      assistant(text("I'll look for the imports first."), tool("toolu_aside", "Grep", { pattern: "from .*/cart", path: "src" })),
      user(answer("toolu_aside", "41 files")),
      assistant(text("41 files import it. Shall I rename them all?")),
    ],
    { ...shop, start: at(shop.start, 400) },
    {},
    "b",
  )
  const branchStart = aside[0]
  if (branchStart) branchStart["parentUuid"] = records[7]?.["uuid"]
  const side = claudeRecords(
    [
      user(text("Look for other places that round a price before the discount is taken.")),
      assistant(text("Searching for Math.round."), tool("toolu_s1", "Grep", { pattern: "Math\\.round", path: "src" })),
      user(answer("toolu_s1", "src/invoice/line.ts:41\nsrc/refund/partial.ts:17\nsrc/cart/total.ts:12")),
      assistant(tool("toolu_s2", "Bash", { command: "npm test -- invoice refund" })),
      user(answer("toolu_s2", "Tests: 48 passed, 48 total")),
      assistant(text("Two places round early: src/invoice/line.ts:41 and src/refund/partial.ts:17. Both are covered by tests now.")),
    ],
    { ...shop, start: at(shop.start, 905) },
    { isSidechain: true, agentId },
    "s",
  )
  const title = { type: "ai-title", aiTitle: "Coupon and free shipping give a wrong total", sessionId: shop.id }
  const folder = ".claude/projects/-home-mei-work-shop"
  return [
    [
      `${folder}/${shop.id}.jsonl`,
      lines([...records.slice(0, 8), ...aside, ...records.slice(8, last), ...review, ...records.slice(last), title]),
    ],
    [`${folder}/${shop.id}/subagents/agent-${agentId}.jsonl`, lines(side)],
  ]
}

const turns = (topic: string, number: number, prefix = ""): unknown[] =>
  Array.from({ length: number }, (_, turn) => [
    user(text(turn === 0 ? topic : `And module ${turn}?`)),
    assistant(
      text(`Reading module ${turn}.`),
      tool(`toolu_${prefix}${turn}_a`, "Read", { file_path: `src/module-${turn}.ts` }),
      tool(`toolu_${prefix}${turn}_b`, "Bash", { command: `npm test -- module-${turn}` }),
    ),
    user(
      answer(`toolu_${prefix}${turn}_a`, `export const limit = ${turn * 7}\n${"// the rest of the module\n".repeat(30)}`),
      answer(`toolu_${prefix}${turn}_b`, `Tests: ${turn + 3} passed\n${"  ✓ a case that passes\n".repeat(40)}`),
    ),
    assistant(text(`Module ${turn} is fine: its limit is ${turn * 7}.`)),
  ]).flat()

/** A long session that its agent compacted once. */
const compacted = (): readonly [string, string] => {
  const before = claudeRecords(turns("Go through the modules of the search service, and tell me the limit of each.", 9), search)
  const boundary: Entry = {
    ...before.at(-1),
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    message: undefined,
    parentUuid: null,
    logicalParentUuid: before.at(-1)?.["uuid"],
    uuid: `c000-${search.id.slice(9)}`,
    timestamp: at(search.start, 3000),
    compactMetadata: { trigger: "auto", preTokens: 155_204 },
  }
  const after = claudeRecords(
    [
      user(text("This session is being continued from an earlier one. The limits of modules 0 to 8 are 7 times the number of the module.")),
      ...turns("Now the ones that were added last week.", 3, "new_"),
    ],
    { ...search, start: at(search.start, 3010) },
    {},
    "d",
  )
  const [summary] = after
  if (summary) {
    summary["parentUuid"] = boundary["uuid"]
    summary["isCompactSummary"] = true
    summary["isVisibleInTranscriptOnly"] = true
  }
  const title = { type: "ai-title", aiTitle: "Limits of the search modules", sessionId: search.id }
  return [`.claude/projects/-home-mei-work-search/${search.id}.jsonl`, lines([...before, boundary, ...after, title])]
}

export const fine = (question: string): readonly unknown[] => [
  user(text(question)),
  assistant(text("I'll look."), tool("toolu_1", "Bash", { command: "git log --oneline -5" })),
  user(answer("toolu_1", "3f1c2aa Fix the parser\n91bd0e2 Add a test")),
  assistant(text("The last change was to the parser.")),
]

/** As if two programs had written the same output: Codex sends both, and the provider refuses the second. */
const withAnOutputTwice = (records: readonly unknown[]): readonly unknown[] => {
  const at = records.findIndex((record) => JSON.stringify(record).includes("function_call_output"))
  return records.flatMap((record, index) => (index === at ? [record, record] : [record]))
}

/** Writes the files; `[id of the session of the pictures]`. */
export const writeHome = async (home: string): Promise<{ readonly shop: string }> => {
  const torn = lines(claudeRecords(fine("Which commit changed the parser?"), docs))
  const files: readonly (readonly [path: string, text: string, modified: string])[] = [
    ...shopFiles().map(([path, content]) => [path, content, "2026-03-02T09:38:00Z"] as const),
    [...compacted(), "2026-02-27T14:10:00Z"],
    [`.claude/projects/-home-mei-work-docs/${docs.id}.jsonl`, `${torn}${torn.slice(0, 300)}`, "2026-02-20T16:44:00Z"],
    [
      ...written(
        "codex-rollout",
        [...fine("Why does the nightly build take twice as long?"), ...turns("Look at the cache of the modules.", 2)],
        { id: idOf(8), folder: "/home/mei/work/build", start: "2026-03-01T21:20:00.000Z", title: "Nightly build" },
        withAnOutputTwice,
      ),
      "2026-03-01T21:52:00Z",
    ],
    [
      ...written("codex-rollout", fine("Write the release notes of 2.4."), {
        id: idOf(6),
        folder: "/home/mei/work/shop",
        start: "2026-02-25T08:00:00.000Z",
        title: "Release notes",
      }),
      "2026-02-25T08:06:00Z",
    ],
    [
      ...written("gemini-cli", fine("Translate the error messages of the payment page into French."), {
        id: idOf(4),
        folder: "/home/mei/work/shop",
        start: "2026-02-24T10:30:00.000Z",
        title: "Translation",
      }),
      "2026-02-24T10:41:00Z",
    ],
    [
      ...written("pi", turns("Find out which module has the largest limit.", 4), {
        id: idOf(2),
        folder: "/home/mei/work/search",
        start: "2026-02-18T07:12:00.000Z",
        title: "Largest limit",
      }),
      "2026-02-18T07:30:00Z",
    ],
    [
      ...written("qwen-code", fine("为什么结账页面的测试有时会失败？"), {
        id: idOf(9),
        folder: "/home/mei/work/shop",
        start: "2026-02-16T12:00:00.000Z",
        title: "Flaky test",
      }),
      "2026-02-16T12:09:00Z",
    ],
  ]
  for (const [path, content, modified] of files) {
    const file = join(home, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, content)
    await utimes(file, new Date(modified), new Date(modified))
  }
  return { shop: shop.id }
}
