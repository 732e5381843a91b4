/** `ligature compact`: the view of a history that fits into a budget, as a ready request. */
import { CompactRun } from "../compact/compact-run.ts"
import {
  branchOption,
  type Command,
  fromOption,
  jsonOption,
  openTipOption,
  outDirOption,
  outOption,
  salvageOption,
  viewOption,
} from "../frame/command.ts"
import { strategyNames } from "../compact/compact-options.ts"

export const compact: Command = {
  summary: "fit a history into a budget, as a ready request; nothing is lost for good",
  usage: "FILE… --budget N|P%|SIZE [--strategy S] [--goal TEXT] [--to FORMAT] [-o OUT] [OPTIONS]",
  help: `Makes the view of a history that fits into a budget, and writes it as a request. Exchanges are kept, shortened
or elided whole: no call loses its result. The first and the latest request stay verbatim where they fit, otherwise
they are excerpted; pending work stays. What is elided is named by a handle (#12, #12.2), and ligature recall reads it
back from the original file, which is never changed.

The budget is in tokens (32000, 32k), a share of the conversation (10%), or the size of the request (20MB, 500kB) where a
provider rejected it as too large; then it is written without indentation, so that the file itself is not larger. Tokens
are estimates, a little on the high side; percentages are rounded down to absorb the estimation error. Tool definitions count against a number of tokens or bytes, and not against a share of the conversation.

Strategies: digest (default) keeps the lines that will probably be needed, and a verbatim tail. generations is a digest
in chunks that stay when the history grows, for prompt caches. window keeps both ends. mask turns old results into
stubs. cap shortens large results. dedupe drops what was read twice. truncate drops the older half. Chain them with +;
they run left to right: dedupe+mask+window. --goal is for digest and generations, which choose lines; the others keep
and drop by place and size, whatever the goal is.

A request comes out in the format it went in. Of a session file a request is written too, in the format of the
provider of its agent; --to chooses another one. --explain shows what became of each item and why, and the budget
as a bar, and writes nothing unless -o says where. Exit code 1: no view fits.

Of a file with several conversations each is compacted by itself: on stdout one request per line, in the order of the
file, with --out-dir one file each under the number of the conversation. Where no view fits, that one is left out.

Pass the original file. Compacting a compacted view works, with a warning, but its new handles refer to the view, while
those in it refer to the history it was made from.`,
  options: [
    { name: "budget", value: "N", text: "tokens (32000, 32k), share of the conversation (10%) or bytes (20MB, 500kB)" },
    { name: "strategy", value: "S", text: `${strategyNames.join(", ")}; chain with +, they run left to right` },
    { name: "keep-first", value: "N", text: "the first N messages stay (window), the first N items (others)" },
    { name: "keep-last", value: "N", text: "the last N messages stay (window), results (mask), items (others)" },
    {
      name: "goal",
      value: "TEXT",
      text: "what the agent is about to do: text about it is kept first (digest, generations)",
    },
    { name: "to", value: "FORMAT", text: "the format of the request; the name of a profile will do as well" },
    fromOption,
    branchOption,
    viewOption,
    openTipOption,
    outOption,
    outDirOption,
    { name: "explain", text: "show for each item what became of it and why, and how the budget is used" },
    { name: "stats", value: "FILE", text: "write the numbers and the decision about each item as JSON" },
    jsonOption,
    salvageOption,
  ],
  examples: [
    ["ligature compact request.json --budget 32k -o small.json", "a request of at most 32,000 tokens"],
    ["ligature compact session.jsonl --budget 10% --explain", "what would become of a session"],
    [
      'ligature compact session.jsonl --budget 20k --goal "write the release notes" --to gemini',
      "for another provider and task",
    ],
    ["ligature compact request.json --budget 50% --strategy dedupe+mask", "without choosing lines"],
  ],
  run: (context) => new CompactRun(context).run(),
}
