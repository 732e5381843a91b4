/** Measuring: tokens and bytes of texts, blocks, messages and items. */
export { calibrate, type UsageSample } from "./calibrate.ts"
export { createMeter } from "./create-meter.ts"
export { estimateMeter } from "./estimate-meter.ts"
export type { Meter } from "./meter.ts"
export { meterOf, type TokenCounter } from "./meter-of.ts"
