// The classifier of provider errors.
export { classify } from "./classify.ts"
export type { Classification } from "./classify.ts"
export type { WirePlace } from "./wire-place.ts"
export { type Location, locate } from "./locate.ts"
