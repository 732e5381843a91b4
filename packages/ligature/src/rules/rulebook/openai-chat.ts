// OpenAI Chat Completions and Azure: calls are answered by a run of tool messages directly after them.
import type { ProviderRule } from "./provider-rule.ts"

export const openaiChat: readonly ProviderRule[] = [
  {
    id: "openai-chat-tool-call-needs-response",
    providers: ["openai-chat", "azure", "deepseek", "qwen-dashscope", "moonshot"],
    demand: "Tool messages answer every call of an assistant message before any other role appears.",
    severity: "hard", touches: "history", status: 400, action: "repair-pairing",
    texts: [
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      "The following tool_call_ids did not have response messages: call_x",
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      "(insufficient tool messages following tool_calls message)",
      "<400> InternalError.Algo.InvalidParameter: An assistant message with \"tool_calls\" must be followed by tool " +
      "messages responding to each \"tool_call_id\". The following tool_call_ids did not have response messages: " +
      "message[532].role",
      "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'",
    ],
    match: /must be followed by tool messages|insufficient tool messages following/i,
    repair:
      "Bring the tool messages after their calls, in call order; a lost one becomes a marked result; other " +
      "messages follow.",
    enforcedBy: { invariant: "unanswered-call" },
  },
  {
    id: "openai-chat-orphan-tool",
    providers: ["openai-chat", "azure", "deepseek"],
    demand: "A tool message follows an assistant message that holds its call.",
    severity: "hard", touches: "history", status: 400, action: "repair-pairing",
    texts: [
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
    ],
    match: /messages with role .tool. must be a response to a prec/i,
    repair: "Move it to its call; without a call, say it as user text.",
    enforcedBy: { invariant: "orphan-result" },
  },
  {
    id: "openai-chat-tool-call-id-length",
    providers: ["openai-chat", "azure"],
    demand: "Call ids have at most 40 characters.",
    severity: "hard", touches: "history", status: 400, action: "re-id",
    texts: [
      "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a " +
      "string with length 41 instead.",
    ],
    match: /messages\[\d+\]\.tool_call(?:s\[\d+\]\.id|_id)'?: string too long/i,
    repair: "Shorten by a hash, on call and result alike.",
    enforcedBy: { profile: "call-id-format" },
  },
  {
    id: "openai-chat-empty-tool-calls",
    providers: ["openai-chat", "azure"],
    demand: "An empty list of calls is left out.",
    severity: "hard", touches: "history", status: 400, action: "fix-empty",
    texts: [
      "Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty " +
      "array instead.",
    ],
    match: /tool_calls': empty array/i,
    repair: "Delete the field.",
    enforcedBy: { profile: "call-content" },
  },
  {
    id: "openai-chat-content-null",
    providers: ["openai-chat", "azure", "lmstudio"],
    demand: "Content is null only beside calls; some servers refuse null, others the empty string.",
    severity: "hard", touches: "history", status: 400, action: "fix-empty",
    texts: [
      "Invalid value for 'content': expected a string, got null.",
      "Invalid 'content': 'content' field must be a string or an array of objects.",
    ],
    match: /Invalid value for 'content': expected a string, got null|'content' field must be a string or an array/i,
    repair: "Write null or the empty string as the profile says.",
    enforcedBy: { profile: "call-content" },
  },
  {
    id: "openai-chat-tool-image",
    providers: ["openai-chat", "azure"],
    demand: "Tool messages hold text only.",
    severity: "hard", touches: "history", status: 400, action: "repair-pairing",
    texts: [
      "Invalid 'messages[234]'. Image URLs are only allowed for messages with role 'user', but this message with " +
      "role 'tool' contains an image URL.",
    ],
    match: /Image URLs are only allowed for messages with role 'user'/i,
    repair: "Keep the text, and put the image into a user message after the last result of the exchange.",
    enforcedBy: { profile: "result-media" },
  },
  {
    id: "openai-chat-tools-max-128",
    providers: ["openai-chat", "azure"],
    demand: "A request has at most 128 tools.",
    severity: "hard", touches: "params", status: 400, action: "change-params",
    texts: ["Invalid 'tools': array too long. Expected an array with maximum length 128"],
    match: /'tools': array too long/i,
    repair: "Offer fewer tools.",
    enforcedBy: { outside: "params", why: "concerns the tool list" },
  },
  {
    id: "openai-chat-function-name",
    providers: ["openai-chat", "azure", "openai-responses"],
    demand: "Tool names have 1 to 64 letters, digits, underscores or hyphens, in definitions and in calls.",
    severity: "hard", touches: "history", status: 400, action: "rename-or-drop-tool",
    texts: [],
    repair: "Map names through an alias table, in calls and definitions alike.",
    enforcedBy: { profile: "tool-name-format" },
  },
  {
    id: "openai-chat-arguments-json",
    providers: ["openai-chat", "azure", "openai-compatible", "vllm", "ollama", "minimax"],
    demand: "Arguments are text that parses to a JSON object.",
    severity: "hard", touches: "history", status: 400, action: "fix-arguments",
    texts: [
      "failed to parse tool call arguments as json",
      "invalid tool call arguments",
      "invalid params, invalid function arguments json string, tool_call_id: call_function_x_1 (2013)",
    ],
    alsoSeen: ["messages[1].tool_calls[0].function.arguments must be a valid JSON object string"],
    match:
      /failed to parse tool call arguments|invalid tool call arguments|arguments (?:json string|must be a valid JSON)/i,
    repair: "Write nothing as {}, wrap text that does not parse, keep the raw text.",
    enforcedBy: { invariant: "invalid-arguments" },
  },
  {
    id: "openai-chat-system-role",
    providers: ["openai-chat", "azure"],
    demand: "Some reasoning models take no system role.",
    severity: "hard", touches: "params", status: 400, action: "fix-roles",
    texts: ["Unsupported value: 'messages[0].role' does not support 'system' with this model."],
    match: /does not support 'system' with this model/i,
    repair: "Send it as developer, or as user on the oldest.",
    enforcedBy: { profile: "system-position" },
  },
  {
    id: "openai-chat-reasoning-lost",
    providers: ["openai-chat"],
    demand: "Chat Completions has no field for reasoning, so it is lost between calls.",
    severity: "soft", touches: "history", action: "replay-reasoning-or-omit-ids",
    texts: [],
    repair: "Use the Responses API for reasoning models.",
    enforcedBy: { profile: "foreign-thinking" },
  },
  {
    id: "openai-chat-custom-tool",
    providers: ["openai-chat"],
    demand: "A custom call carries free text under its own type and is answered by a plain tool message.",
    severity: "hard", touches: "history", status: 400, action: "fix-arguments",
    texts: [],
    repair: "Keep the type; where there is none, wrap the text in an object.",
    enforcedBy: { profile: "call-kind" },
  },
  {
    id: "openai-chat-audio-ref",
    providers: ["openai-chat"],
    demand: "Assistant audio is sent back by an id that expires.",
    severity: "soft", touches: "history", action: "fix-media",
    texts: [],
    repair: "Fall back to the spoken text.",
    enforcedBy: { outside: "media", why: "whether the audio has expired is known to the server only" },
  },
  {
    id: "azure-tool-description-1024",
    providers: ["azure"],
    demand: "A tool description has at most 1024 characters.",
    severity: "hard", touches: "params", status: 400, action: "change-params",
    texts: [],
    repair: "Cut it and move the rest to the system prompt.",
    enforcedBy: { outside: "params", why: "concerns tool definitions" },
  },
  {
    id: "azure-prompt-filter",
    providers: ["azure"],
    demand: "The content filter may flag marker tags of an agent.",
    severity: "soft", touches: "params", action: "change-params",
    texts: [],
    repair: "Use neutral markers and tolerate an empty first chunk.",
    enforcedBy: { outside: "params", why: "the filter is a setting of the deployment" },
  },
]
