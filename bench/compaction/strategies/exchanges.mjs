/**
 * Canonical messages as atomic groups, numbered as the items of a conversation are: a user message, or an assistant
 * message with the results of its calls and the text-only reply directly after them.
 */
export const groupsOf = (messages) => {
  const groups = []
  for (const message of messages) {
    const last = groups.at(-1)
    const isReply = message.role === "assistant" && message.calls === undefined && last?.at(-1).role === "tool"
    if (last !== undefined && (message.role === "tool" || isReply)) last.push(message)
    else groups.push([message])
  }
  return groups
}
