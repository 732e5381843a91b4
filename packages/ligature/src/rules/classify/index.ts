// The classifier of provider errors.
export { classify, refusedPlace } from "./classify.ts"
export type { Classification } from "./classify.ts"
export type { WirePlace } from "./wire-place.ts"
export { type Location, locate, type Refused } from "./locate.ts"
