/**
 * The tools, as data: for each what the model is told, its arguments, and the command line it becomes. Values are passed as
 * `--name=value` or after `--`, so that none of them can become an option.
 */
import { z } from "zod"
import { folderArgument, sessionArgument } from "./access.ts"
import type { McpOptions } from "./options.ts"
import { defaultBudget, mostBudget } from "./page.ts"

const session = z
  .string()
  .min(1)
  .max(4096)
  .describe('Session: its id or a unique part of it (list and search give ids), "latest" for the newest of this project, or a path')
const agent = z.string().max(100).optional().describe("Only sessions of this agent: claude-code, codex, gemini, opencode, pi, …")
const since = z.string().max(40).optional().describe("Only sessions changed since then: 2h, 7d, 2w or 2026-01-31")
const project = z.string().max(4096).optional().describe('Only sessions of this project folder ("." is the current one)')
const limit = z.number().int().min(1).max(200).optional().describe("At most so many sessions")
const profile = z
  .string()
  .max(100)
  .optional()
  .describe("Also check what this provider requires: anthropic, openai-chat, gemini, mistral, …")

/** Arguments of every tool whose answer may be long. */
const paging = {
  budget: z.number().int().min(200).max(mostBudget).optional().describe(`Most tokens of the answer, estimated (default ${defaultBudget})`),
  offset: z.number().int().min(0).optional().describe("Where to continue: the number at the end of a page that was cut"),
}

interface Tool<Shape extends z.ZodRawShape> {
  readonly title: string
  readonly description: string
  readonly shape: Shape
  /** Changes files: offered only where the server may write. */
  readonly writes?: true
  /** What else the command line may say on a dry run is left out. */
  readonly argv: (given: z.infer<z.ZodObject<Shape>>, options: McpOptions) => Promise<readonly string[]> | readonly string[]
}

export type AnyTool = Tool<z.ZodRawShape>

const tool = <Shape extends z.ZodRawShape>(definition: Tool<Shape>): AnyTool => definition as unknown as AnyTool

const option = (name: string, value: string | number | undefined): readonly string[] => (value === undefined ? [] : [`--${name}=${value}`])

const filters = ({
  agent: name,
  since: when,
  project: folder,
}: {
  agent?: string | undefined
  since?: string | undefined
  project?: string | undefined
}) => [...option("agent", name), ...option("since", when), ...option("project", folder)]

export const readingTools: Readonly<Record<string, AnyTool>> = {
  list: tool({
    title: "List sessions",
    description:
      "Lists the sessions of coding agents on this machine, newest first, those of this project before all others: id, agent, when, title.",
    shape: { agent, since, project, limit, ...paging },
    argv: (given) => ["list", ...filters(given), ...option("limit", given.limit ?? 20)],
  }),
  search: tool({
    title: "Search sessions",
    description:
      "Finds a text in messages, tool arguments and tool results of all sessions on this machine, ignoring case. Each match has a handle such as #12.2:5, with which recall reads its surroundings. Use it for: how was this done before, when did this error occur, what was decided.",
    shape: {
      text: z.string().min(1).max(1000).describe("The text to find, as it was written"),
      agent,
      since,
      project,
      limit,
      folder: z.string().max(4096).optional().describe("Search this allowed folder instead of the homes of agents"),
      ...paging,
    },
    argv: async (given, options) => [
      "search",
      ...filters(given),
      ...option("limit", given.limit ?? 5),
      ...(given.folder === undefined ? [] : option("in", await folderArgument(given.folder, options))),
      "--",
      given.text,
    ],
  }),
  show: tool({
    title: "Show a session",
    description:
      "Shows a session as a timeline, one line per message, with the outcome of each tool call; with message, one message in full.",
    shape: {
      session,
      message: z.number().int().min(1).optional().describe("Show only this message, in full (its number in the timeline and in handles)"),
      full: z.boolean().optional().describe("Show every message in full"),
      ...paging,
    },
    argv: async (given, options) => [
      "show",
      ...option("message", given.message),
      ...(given.full === true && given.message === undefined ? ["--text"] : []),
      "--",
      await sessionArgument(given.session, options),
    ],
  }),
  check: tool({
    title: "Check a session",
    description:
      "Says what is wrong with the history of a session (unanswered tool calls, orphan results, damaged lines, …), where, and what a repair would do.",
    shape: { session, profile, ...paging },
    argv: async (given, options) => ["check", ...option("for", given.profile), "--", await sessionArgument(given.session, options)],
  }),
  doctor: tool({
    title: "Examine all sessions",
    description: "Examines the sessions of all agents on this machine: which are broken, why, and the command that revives each.",
    shape: { agent, since, project, errors: z.boolean().optional().describe("List only sessions with errors"), ...paging },
    argv: (given) => ["doctor", ...filters(given), ...(given.errors === true ? ["--errors"] : [])],
  }),
  recall: tool({
    title: "Recall",
    description:
      "Reads back what a compaction or a summary removed from a session. Handles: #12 is the twelfth item, #12.2 the result of its second tool call, #12.2:5-9 lines of it, #3-#7 several items. With search instead of a handle, finds every line that has a text.",
    shape: {
      session,
      handle: z.string().min(1).max(60).optional().describe("What to read: #12, #12.2, #12.2:5-9 or #3-#7"),
      search: z.string().min(1).max(1000).optional().describe("Text to look for in the whole session"),
      ...paging,
    },
    argv: async (given, options) => [
      "recall",
      ...option("search", given.search),
      "--",
      await sessionArgument(given.session, options),
      ...(given.handle === undefined ? [] : [given.handle]),
    ],
  }),
  stats: tool({
    title: "Sizes of a session",
    description: "Counts turns, tool calls and outcomes of a session, and where its tokens are.",
    shape: { session, ...paging },
    argv: async (given, options) => ["stats", "--", await sessionArgument(given.session, options)],
  }),
}

const policies = z
  .record(z.string().max(40), z.string().max(40))
  .optional()
  .describe('How to repair, e.g. {"unansweredCall": "drop-message"}; the defaults lose nothing')

/** On a server that may not write they show what would be done. */
export const writingTools: Readonly<Record<string, AnyTool>> = {
  repair: tool({
    title: "Repair a session",
    description: "Repairs a session in place, so that its agent and every provider accept it. The original is kept as FILE.bak.",
    shape: { session, policies, ...paging },
    writes: true,
    argv: async (given, options) => [
      "repair",
      ...(options.allowWrite ? [] : ["--dry-run"]),
      "--in-place",
      ...Object.entries(given.policies ?? {}).flatMap(([name, value]) => option("policy", `${name}=${value}`)),
      "--",
      await sessionArgument(given.session, options),
    ],
  }),
  convert: tool({
    title: "Continue a session in another agent",
    description:
      "Converts a session for another agent, puts it where that agent looks for it, and says how to resume it. The original stays as it is.",
    shape: {
      session,
      to: z.string().min(1).max(60).describe("Agent to continue with: claude-code, codex, gemini-cli, pi, …"),
      folder: z.string().max(4096).optional().describe("Project folder, where the session names none or another one"),
      ...paging,
    },
    writes: true,
    argv: async (given, options) => [
      "convert",
      ...option("to", given.to),
      ...option("folder", given.folder),
      "--install",
      ...(options.allowWrite ? [] : ["--dry-run"]),
      "--",
      await sessionArgument(given.session, options),
    ],
  }),
}
