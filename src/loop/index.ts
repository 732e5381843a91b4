/** For agents that run: keep what they send valid. */
export { type Endpoint, endpointOf } from "./endpoints.ts"
export { type RepairedRequest, validFetch, type ValidFetchOptions } from "./valid-fetch.ts"
