/** A trajectory holds Chat Completions messages, so it can say what they can. */
import { openaiChat } from "../../formats/openai-chat/index.ts"

export const { capabilities } = openaiChat
