/**
 * Mastra: an input processor that keeps what an agent sends valid.
 *
 *     const agent = new Agent({ id, name, instructions, model, memory, inputProcessors: [validHistory()] })
 */
export type { AdapterOptions } from "../settle-for.ts"
export { type MastraMessage, validHistory, type ValidHistory, validMessages } from "./valid-history.ts"
