/**
 * What a format cannot say.
 */
import { convert } from "ligature"

// An image in a failed result, and signed thinking: OpenAI Chat has a field for none of them.
const request = {
  messages: [
    { role: "user", content: "Take a screenshot." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The browser is open.", signature: "EqQBCgIYAhIM" },
        { type: "tool_use", id: "toolu_01", name: "screenshot", input: {} },
      ],
    },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_01",
          is_error: true,
          content: [
            { type: "text", text: "Only half of it." },
            {
              type: "image",
              source: {
                type: "base64",
                media_type: "image/png",
                data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
              },
            },
          ],
        },
      ],
    },
  ],
}

export const run = () => {
  const { value, report } = convert(request, { from: "anthropic", to: "openai-chat" })
  return {
    // The image follows in a user message after the results; the error flag became a mark in the text.
    value,
    // `lost` has no home in the target; `weakened` is carried by a convention. Codes: docs/losses.md
    losses: report.losses.map(({ feature, degree, what }) => `${feature} ${degree}: ${what}`),
    done: report.entries.map(({ rule, kind, what }) => `${rule} (${kind}): ${what}`),
  }
}
