/** What a whole run measures, in the order of the table. */
export const ours = [
  { title: "digest", strategy: "digest" },
  {
    title: "digest, else window, estimated tokens",
    strategy: "digest-or-window",
    meter: "estimate",
    note: "ours, as by default",
  },
  { title: "generations", strategy: "generations" },
  { title: "mask, else window", strategy: "mask-or-window" },
  { title: "mask", strategy: "mask" },
  { title: "window", strategy: "window" },
  { title: "truncate by half", strategy: "truncate-half" },
]

export const others = [
  { title: "oracle lines", strategy: "oracle-lines", usesFuture: true, note: "is told the future" },
  { title: "oracle of the work", strategy: "oracle-work", usesFuture: true, note: "is told the questions and the next calls" },
  { title: "lines by a simple formula", strategy: "formula-lines", note: "rarity, uses, age; shares the metric's items" },
  { title: "random lines", strategy: "random-lines", note: "same frame, blind choice" },
  { title: "head and tail of results", strategy: "head-tail", note: "cap by bisection, then drop oldest" },
  { title: "masking, oldest first", strategy: "mask-oldest", note: "then drop oldest" },
  { title: "masking, all but 10", strategy: "mask-all-but-10", note: "knows no budget", isNative: true },
  { title: "masking, all but 5", strategy: "mask-all-but-5", note: "knows no budget", isNative: true },
  { title: "keep first, keep last", strategy: "keep-first-last", note: "Open WebUI without its summary" },
  { title: "halving, aligned", strategy: "halving", note: "Kilo" },
  { title: "halving, unaligned", strategy: "halving-unaligned", note: "Kilo before the fix" },
  { title: "LangChain trimMessages", strategy: "langchain-trim", note: "strategy last" },
  { title: "LangChain trimMessages, start on human", strategy: "langchain-trim-human", note: "strategy last" },
  { title: "AI SDK pruneMessages", strategy: "ai-sdk-prune", note: "largest number of messages that fits", needsNode: 22 },
  { title: "user messages only", strategy: "user-only", note: "Codex without its summary" },
  { title: "bag of rare strings", strategy: "bag-of-strings", note: "the cheat" },
]
