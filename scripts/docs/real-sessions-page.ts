/** How our counts of real session files compare with the manifest of the corpus they come from. */
import { differences, messageCounts } from "./real-session-differences.ts"
import { generatedNote, page, table } from "./markdown.ts"

export const realSessionsPage = (): ReadonlyMap<string, string> =>
  new Map([
    [
      "packages/ligature/test/real-histories/README.md",
      page(
        generatedNote("scripts/docs/real-session-differences.ts"),
        "# Counts on real sessions",
        "The tests read a corpus of 256 real session files and requests in 20 formats (`LIGATURE_CORPUS` says where it lies; it is no part of this " +
          "repository). Its manifest states for each file how many calls, results, orphan results, unanswered calls and compactions a simple counter found. " +
          "`test/real-histories/manifest.test.ts` compares all of them with what is read here, all paths of a session together; each difference has a row below.",
        "## Calls, results, orphans, unanswered calls, compactions",
        table(
          ["files", "why our count differs"],
          differences.map(({ files, why }) => [files.join("<br>"), why]),
        ),
        "## Messages",
        "Counters count what lies in the file; a conversation counts what was said by whom. Where these are not the same:",
        table(
          ["folder", "how the manifest counts, and what a message is here"],
          messageCounts.map((row) => [...row]),
        ),
        "## Parallel calls in Claude Code",
        "Parallel calls fork the tree of a session. A walk from the last record to the first, which most tools do, keeps 1,403 of the 1,749 results and 741 of the " +
          "859 texts of the model in the 59 sessions of the corpus; the reader here keeps all of them " +
          "(`test/sessions/claude-code` prints both numbers).",
      ),
    ],
  ])
