/** `ligature compact`: a view of a history that fits into a budget, as a complete request. */
import { CompactRun } from "../compact/compact-run.ts"
import {
  branchOption,
  type Command,
  type Context,
  dryRunOption,
  folderOption,
  fromOption,
  jsonOption,
  openTipOption,
  outDirOption,
  outOption,
  policyOption,
  profileOption,
  reportOption,
  salvageOption,
  viewOption,
} from "../frame/command.ts"
import { compactToSession, requestOptions, sessionTarget } from "../compact/compact-to-session.ts"
import { strategyNames } from "../compact/compact-options.ts"

/** A session without a word about the request that it should become: it becomes a session. */
const isPlain = ({ arguments: given }: Context): boolean => {
  const {
    positionals: [file, ...more],
  } = given
  const asked = ["budget", "to", ...requestOptions]
  return file !== undefined && file !== "-" && more.length === 0 && !asked.some((option) => given.flag(option))
}

export const compact: Command = {
  summary: "fit a history into a token budget; elided content can be recalled",
  usage: "FILE…|ID [--budget N|P%|SIZE] [--strategy S] [--goal TEXT] [--to FORMAT] [-o OUT] [OPTIONS]",
  help: `Makes a view of a history that fits into a budget, and writes it as a session or as a request. Exchanges are kept, shortened or
elided as a whole: no tool call loses its result. The first and the latest user request stay verbatim if they fit,
otherwise they are excerpted; pending work stays. Elided content has a handle (#12, #12.2), with which ligature recall
reads it from the original file, which is never changed.

The budget is a number of tokens (32000, 32k), a percentage of the conversation (10%), or, for requests that a provider
rejected as too large, a size (20MB, 500kB); the request is then written without indentation, so that the file itself fits.
Tokens are estimates, slightly too high; percentages are rounded down to absorb estimation error. Tool definitions count
against a number of tokens or bytes, but not against a percentage.

Strategies: digest (default) keeps the lines that will probably be needed, and the end verbatim. generations is a digest in
chunks that stay the same when the history grows, for prompt caches. window keeps both ends. mask replaces old results with
stubs. cap shortens large results. dedupe drops what was read twice. truncate drops the older half. Chain with +; they run
left to right: dedupe+mask+window. --goal affects digest and generations, which choose lines; the others decide by position
and size.

A session becomes a session: a file of one without --budget, a session that is named by its id, and whatever is written with
--to claude-code, codex, pi or another agent, or with --install. What was compacted is in it as the agent's own compaction
entry where it has one, and the original stays. Without --budget it gets 64,000 tokens.

Everything else becomes a request, in the format of the input; a session file with --budget in the format of its agent's
provider. --to chooses another format.

--explain shows the decision about each item with its reason, and the budget as a bar; it writes nothing unless -o is given.
Exit code 1: no view fits.

A file with several conversations gives one request for each: on stdout one per line, in the order of the file; with
--out-dir one file each, named after the number of the conversation. A conversation for which no view fits is skipped.

Give the original file. A compacted view can be compacted again, with a warning, but the new handles refer to the view,
while the handles in it refer to the original history.`,
  takesSessions: true,
  options: [
    { name: "budget", value: "N", text: "tokens (32000, 32k), percentage of the conversation (10%) or bytes (20MB, 500kB)" },
    { name: "strategy", value: "S", text: `${strategyNames.join(", ")}; chain with +, they run left to right` },
    { name: "keep-first", value: "N", text: "keep the first N messages (window) or items (others)" },
    { name: "keep-last", value: "N", text: "keep the last N messages (window), results (mask) or items (others)" },
    {
      name: "goal",
      value: "TEXT",
      text: "what the agent will do next: related text is kept first (digest, generations)",
    },
    { name: "to", value: "FORMAT", text: "format of the request, or the name of a profile" },
    fromOption,
    branchOption,
    viewOption,
    profileOption,
    openTipOption,
    outOption,
    outDirOption,
    { name: "install", text: "put the session where its agent looks for it, and print how to resume it" },
    folderOption,
    dryRunOption,
    policyOption,
    reportOption,
    { name: "explain", text: "show the decision about each item with its reason, and how the budget is used" },
    { name: "stats", value: "FILE", text: "write the numbers and the decision about each item to this file, as JSON" },
    jsonOption,
    salvageOption,
  ],
  examples: [
    ["ligature compact request.json --budget 32k -o small.json", "a request of at most 32,000 tokens"],
    ["ligature compact session.jsonl --budget 10% --explain", "what would be kept of a session"],
    ["ligature compact latest", "the newest session as a smaller one that its agent opens"],
    ['ligature compact session.jsonl --budget 20k --goal "write the release notes" --to gemini', "for another provider, with a goal"],
    ["ligature compact request.json --budget 50% --strategy dedupe+mask", "without choosing lines"],
  ],
  run: (context) => {
    const isNamed =
      context.arguments.positionals.some((file) => context.sessions.has(file)) &&
      !context.arguments.flag("to") &&
      !context.arguments.flag("explain") &&
      !context.arguments.flag("json")
    return isNamed || isPlain(context) || context.arguments.flag("install") || sessionTarget(context)
      ? compactToSession(context)
      : new CompactRun(context).run()
  },
}
