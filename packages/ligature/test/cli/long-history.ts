/** Histories that are worth compacting. */

export const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} line ${at} value_${at * 3}`).join("\n")

/** A long task in one format: a request, forty calls with long results, an answer, another request. */
export const long = {
  model: "some-model",
  tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
  messages: [
    { role: "user", content: "Fix src/lease.ts" },
    ...Array.from({ length: 40 }, (_, step) => [
      {
        role: "assistant",
        content: [{ type: "tool_use", id: `toolu_${step}`, name: "read", input: { path: `src/part-${step}.ts` } }],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: `toolu_${step}`, content: lines(30, `part-${step}`) }],
      },
    ]).flat(),
    { role: "assistant", content: "Done with the parts." },
    { role: "user", content: "And now the tests." },
  ],
}

/** The same as a session of Claude Code. */
export const session = long.messages
  .map((message, index) =>
    JSON.stringify({
      type: message.role,
      uuid: `u${index}`,
      parentUuid: index === 0 ? null : `u${index - 1}`,
      sessionId: "s",
      cwd: "/project",
      version: "2.0.0",
      timestamp: `2026-01-01T00:00:${String(index % 60).padStart(2, "0")}.000Z`,
      message:
        message.role === "assistant"
          ? {
              id: `m${index}`,
              model: "claude-opus-4-6",
              ...message,
              content: typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content,
            }
          : message,
    }),
  )
  .join("\n")
