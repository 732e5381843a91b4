/**
 * Vercel AI SDK: histories that are valid at every step, and a store for them.
 *
 *     const history = storedMessages({ store, conversation: "chat-7" })
 *     const question = { role: "user", content: "Go on." }
 *     const { response } = await generateText({
 *       model: wrapLanguageModel({ model: openai("gpt-5"), middleware: validMiddleware() }),
 *       messages: [...(await history.load()), question],
 *       prepareStep: validPrepareStep(),
 *     })
 *     await history.append([question, ...response.messages])
 */
export type { AdapterOptions } from "../settle-for.ts"
export { storedMessages, type StoredMessages, type StoredMessagesOptions } from "./valid-messages.ts"
export { validMiddleware, type ValidMiddleware, validPrepareStep } from "./valid-messages.ts"
export { type SdkMessage, validMessages, validPrompt } from "./valid-messages.ts"
