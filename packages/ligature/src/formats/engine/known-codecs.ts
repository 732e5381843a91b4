/**
 * The wire formats that are loaded, by name. A format makes itself known when its module is loaded: so `check` finds the
 * codec of a history without importing all formats, and a bundle has only those that its code imports.
 */
import type { Codec } from "./codec.ts"
import { withDepthLimit } from "./depth-door.ts"

const known = new Map<string, Codec>()

/** A wire format, for values of any depth. */
export const defineCodec = (codec: Codec): Codec => {
  const defined = withDepthLimit(codec)
  known.set(defined.format, defined)
  return defined
}

/** The codec of a wire format that is loaded. `ligature` itself loads all of them. */
export const knownCodec = (format: string): Codec | undefined => known.get(format)
