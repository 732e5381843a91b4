/**
 * Anthropic SDK: one line makes every outgoing history valid. Streaming is not touched, since only the request passes
 * through.
 *
 *     const client = new Anthropic({ fetch: validFetch() })
 */
export { type RepairedRequest, validFetch, type ValidFetchOptions } from "../../agent/valid-fetch.ts"
