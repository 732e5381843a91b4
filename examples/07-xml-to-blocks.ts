/**
 * Calls written as XML in the assistant's text, and results as user text, become blocks; and the other way round.
 */
import { convert, migrate } from "ligature"

const history = [
  { role: "user", content: "What does the button do?" },
  {
    role: "assistant",
    content: "I read the file.\n\n<read_file>\n<path>src/button.tsx</path>\n</read_file>",
  },
  {
    role: "user",
    // Not XML at all: JSX, generics and && stay what they are.
    content: "[read_file for 'src/button.tsx'] Result:\nconst Button = <T,>(p: T) => a && b ? <Ok /> : null",
  },
  { role: "assistant", content: "It shows <Ok /> when both are true." },
]

export const run = () => {
  const options = { from: "xml-text", tools: ["read_file", "write_file"] } as const
  const { value: blocks, conversation } = convert(history, { ...options, to: "anthropic" })

  // Back again: the words that came from text are the same words.
  const { value: xml } = convert(history, { ...options, to: "xml-text" })

  // Any conversation can be written with calls as text, for models and agents that want it so.
  const { value: chat } = convert(history, { ...options, to: "openai-chat", style: "xml" })

  // The list itself in one style, in the format it is in; and once more, which changes nothing.
  const migrated = migrate(history, { to: "blocks", tools: options.tools })
  const again = migrate(migrated.value, { to: "blocks", tools: options.tools })

  return {
    blocks,
    xml,
    chat,
    migrated: migrated.value,
    again: again.changed,
    exchanges: conversation.items.filter((item) => item.role === "exchange").length,
  }
}
