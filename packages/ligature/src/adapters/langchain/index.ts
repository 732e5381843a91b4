/**
 * LangChain and LangGraph: valid messages before every model, and trimming that never parts a call from its results.
 *
 *     const agent = createAgent({ model, tools, checkpointer, middleware: [createMiddleware(validModelCall())] })
 */
export type { AdapterOptions } from "../settle-for.ts"
export { validModelCall, type ValidModelCall, validPreModelHook } from "./valid-messages.ts"
export { type Removal, stateUpdate, trimMessages, type Trimmed, type TrimOptions } from "./trim-messages.ts"
export { type LangChainOptions, validMessages } from "./valid-messages.ts"
