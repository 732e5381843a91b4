/** A summary before a plan promises what every strategy does, whatever is below it and however long it is. */
import { digest, generations, ladder, mask, pipeline, type Strategy, window } from "../../src/compact/index.ts"
import { summaryBlock, withSummary } from "../../src/compact/summary/with-summary.ts"
import { strategyConformance } from "./conformance.ts"

/** More than any generated history has: which items the plan will cover is not known when the summary is written. */
const last = 9_999

const inFront = (base: Strategy, sentences: number): Strategy => {
  const told = "The agent read path/to/file-3.ts and compared it. ".repeat(sentences)
  const text = `## Goal\nAnswer all requests (#1).\n## Done so far\n${told}`
  return withSummary(base, summaryBlock({ text, first: 0, last, lost: [{ text: "a/b.ts", kind: "path", handle: "#3" }] }))
}

strategyConformance("a summary in front of a digest", () => inFront(digest(), 3), { wishes: true })
strategyConformance("a summary in front of a digest or a window", () => inFront(ladder(digest(), window()), 3))
strategyConformance("a summary in front of a window", () => inFront(window(), 3), { wishes: true })
strategyConformance("a summary in front of generations", () => inFront(generations(), 3), { wishes: true })
strategyConformance("a summary in front of masked results", () => inFront(pipeline(mask({ keep: 1 }), window()), 3))
strategyConformance("a long summary in front of a digest", () => inFront(digest(), 60))
