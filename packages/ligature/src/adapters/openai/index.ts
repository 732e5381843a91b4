/**
 * OpenAI SDK, and every SDK for an OpenAI-compatible server: one line makes every outgoing history valid. Chat Completions
 * and Responses are both read; streaming is not touched, since only the request passes through.
 *
 *     const client = new OpenAI({ fetch: validFetch() })
 */
export { type RepairedRequest, validFetch, type ValidFetchOptions } from "../../agent/valid-fetch.ts"
