/** What others do, re-implemented or called: `(messages, budget, { needed }) => messages`. */
import { bagOfStrings } from "./baselines/bag.mjs"
import { formulaLines, oracleLines, oracleWork, randomLines } from "./baselines/lines.mjs"
import { headTail, maskAllBut, maskOldest, userOnly } from "./baselines/masking.mjs"
import { pruneMessages, trimMessages, trimMessagesStartOnHuman } from "./baselines/peers.mjs"
import { halving, halvingUnaligned, keepFirstLast } from "./baselines/window.mjs"

export const baselines = {
  "oracle-lines": oracleLines,
  "oracle-work": oracleWork,
  "formula-lines": formulaLines,
  "random-lines": randomLines,
  "head-tail": headTail,
  "mask-oldest": maskOldest,
  "mask-all-but-5": maskAllBut(5),
  "mask-all-but-10": maskAllBut(10),
  "keep-first-last": keepFirstLast,
  halving,
  "halving-unaligned": halvingUnaligned,
  "langchain-trim": trimMessages,
  "langchain-trim-human": trimMessagesStartOnHuman,
  "ai-sdk-prune": pruneMessages,
  "user-only": userOnly,
  "bag-of-strings": bagOfStrings,
}
