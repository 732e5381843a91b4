/** What of the library only the compaction lens uses: it loads with that tab. */
export { compact } from "../../../ligature/src/compact/compact.ts"
export { estimateMeter } from "../../../ligature/src/compact/meter/meter.ts"
export { amountOf, categories } from "../../../ligature/src/compact/plan/make-plan.ts"
export { generations } from "../../../ligature/src/compact/strategies/generations.ts"
export { mask } from "../../../ligature/src/compact/strategies/edit-results.ts"
export { digest } from "../../../ligature/src/compact/strategies/digest/digest.ts"
export { window } from "../../../ligature/src/compact/strategies/window.ts"
