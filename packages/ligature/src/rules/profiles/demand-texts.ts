// What the rule book says about the rules of a profile, by provider. Written by `npm run docs` from the rule book.
export const demandTexts: Readonly<Record<string, readonly { readonly profiles: readonly string[]; readonly text: string }[]>> = {
  "call-beside-text": [
    { profiles: ["bedrock-claude", "bedrock"], text: "On some models, text and calls do not share an assistant message. Known error: \"messages.7.content: Conversation blocks and tool use blocks cannot be provided in the same turn.\"" },
    { profiles: ["mistral"], text: "An assistant message has content or calls; old tokenizers refuse both together, all refuse neither. Known error: \"Assistant message must have either content or tool_calls, but not both.\"" },
  ],
  "call-content": [
    { profiles: ["openai-chat", "azure", "template-strict"], text: "Content is null only beside calls; some servers refuse null, others the empty string. Known error: \"Invalid value for 'content': expected a string, got null.\"" },
    { profiles: ["xai"], text: "Every message has content, also beside calls. Known error: \"Invalid request content: Each message must have at least one content element.\"" },
  ],
  "call-id-format": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Ids are letters, digits, underscore and hyphen, at least one of them. Known error: \"messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'\"" },
    { profiles: ["openai-chat", "azure"], text: "Call ids have at most 40 characters. Known error: \"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.\"" },
    { profiles: ["openai-responses"], text: "A call id has at most 64 characters. Known error: \"Invalid 'input[4].call_id': string too long. Expected a string with maximum length 64, but got a string with length 70 instead.\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "Call ids have 1 to 64 letters, digits, underscores or hyphens." },
    { profiles: ["mistral"], text: "Call ids are exactly nine letters and digits. Known error: \"Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.\"" },
    { profiles: ["template-strict"], text: "Call ids have at least nine letters and digits. Known error: \"Tool call IDs should be alphanumeric strings with length >= 9!\"" },
  ],
  "content-string": [
    { profiles: ["deepseek"], text: "Content is plain text." },
  ],
  "document-position": [
    { profiles: ["bedrock-claude", "bedrock"], text: "Document names are unique, and a document has text beside it in a user message. Known error: \"Messages can not contain duplicate document names\"" },
  ],
  "empty-result": [
    { profiles: ["bedrock-claude", "bedrock"], text: "A failed result has content. Known error: \"The content field at messages.2.content.0.toolResult cannot be empty when status value is error.\"" },
  ],
  "first-role": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "The first message is the user's, unless a signed compaction opens the list. Known error: \"messages: first message must use the \"user\" role\"" },
    { profiles: ["gemini"], text: "The first content is the user's. Known error: \"Please ensure that multiturn requests start with a user turn.\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "The first message is the user's. Known error: \"A conversation must start with a user message. Try again with a conversation that starts with a user message.\"" },
    { profiles: ["mistral"], text: "The conversation begins with a user or system message and is not empty. Known error: \"Conversation must start with a user message or system message\"" },
    { profiles: ["ollama", "template-strict"], text: "There is at least one user message. Known error: \"no user query found in messages\"" },
  ],
  "foreign-thinking": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Thinking another model cannot read is dropped by the API without an error." },
    { profiles: ["openai-chat", "azure"], text: "Chat Completions has no field for reasoning, so it is lost between calls." },
    { profiles: ["openai-responses"], text: "Encrypted reasoning belongs to the organisation, project and deployment that made it. Known error: \"The encrypted content gAAA...DQ== could not be verified.\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "Models other than Claude take no reasoning signature. Known error: \"This model doesn't support the reasoningContent.reasoningText.signature field\"" },
    { profiles: ["mistral"], text: "A reasoning_content field is refused; thinking has its own chunk type." },
    { profiles: ["groq"], text: "Only known message fields are accepted; reasoning is not among them. Known error: \"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]\"" },
    { profiles: ["cerebras"], text: "A reasoning_content field is refused." },
  ],
  "last-role": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "The last message is not the assistant's. Known error: \"This model does not support assistant message prefill. The conversation must end with a user message.\"" },
    { profiles: ["gemini"], text: "The last content is the user's, text or responses. Known error: \"Please ensure that single turn requests end with a user role or the role field is empty.\"" },
    { profiles: ["mistral"], text: "The last message is the user's, a tool's, or an assistant prefix. Known error: \"Expected last role User or Tool (or Assistant with prefix or continue_final_message set to True) for serving but got assistant\"" },
  ],
  "no-messages": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "A request holds at least one message. Known error: \"messages: at least one message is required\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "The first message is the user's. Known error: \"A conversation must start with a user message. Try again with a conversation that starts with a user message.\"" },
    { profiles: ["mistral"], text: "The conversation begins with a user or system message and is not empty. Known error: \"Conversation must start with a user message or system message\"" },
    { profiles: ["ollama", "template-strict"], text: "There is at least one user message. Known error: \"no user query found in messages\"" },
  ],
  "parallel-calls": [
    { profiles: ["template-strict"], text: "An assistant message has one call. Known error: \"This model only supports single tool-calls at once!\"" },
  ],
  "prefix-binding": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Thinking is bound to the system prompt, the tools and every message before it. Known error: \"messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\".\"" },
  ],
  "result-beside-text": [
    { profiles: ["bedrock-claude", "bedrock"], text: "On most models, text and results do not share a user message. Known error: \"messages.2.content: Conversation blocks and tool result blocks cannot be provided in the same turn.\"" },
    { profiles: ["mistral"], text: "Each role may be followed only by certain others; the hosted API refused a user message after a tool message. Known error: \"Unexpected role 'user' after role 'tool'\"" },
    { profiles: ["template-strict"], text: "Roles alternate strictly after an optional system message. Known error: \"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...\"" },
  ],
  "result-name": [
    { profiles: ["gemini"], text: "A response has the name of its call. Known error: \"* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.\"" },
    { profiles: ["ollama"], text: "Arguments are an object, and a result carries the tool's name. Known error: \"invalid message format\"" },
  ],
  "result-media": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "A result that failed holds text alone. Known error: \"messages.2.content.0.tool_result: all content must be type 'text' if 'is_error' is true\"" },
    { profiles: ["openai-chat", "azure"], text: "Tool messages hold text only. Known error: \"Invalid 'messages[234]'. Image URLs are only allowed for messages with role 'user', but this message with role 'tool' contains an image URL.\"" },
    { profiles: ["gemini"], text: "Media inside a response needs Gemini 3 or newer." },
    { profiles: ["mistral"], text: "Tool messages hold text only before tokenizer v15. Known error: \"Unexpected content chunk types in tool message: ['image_url']\"" },
  ],
  "role-alternation": [
    { profiles: ["gemini"], text: "User and model contents alternate. Known error: \"Please ensure that multiturn requests alternate between user and model.\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "Roles alternate strictly. Known error: \"A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again.\"" },
    { profiles: ["template-strict"], text: "Roles alternate strictly after an optional system message. Known error: \"After the optional system message, conversation roles must alternate user/assistant/user/assistant/...\"" },
  ],
  "system-position": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "A system message inside the list follows a user message and comes before an assistant message or last, never between call and result. Known error: \"messages.6: role 'system' must precede an 'assistant' message or end the array; ...\"" },
    { profiles: ["ollama", "template-strict"], text: "A system message stands first only. Known error: \"system message must be at the beginning\"" },
  ],
  "thinking-forbidden": [
    { profiles: ["mistral"], text: "A reasoning_content field is refused; thinking has its own chunk type." },
    { profiles: ["groq"], text: "Only known message fields are accepted; reasoning is not among them. Known error: \"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]\"" },
    { profiles: ["cerebras"], text: "A reasoning_content field is refused." },
  ],
  "thinking-required": [
    { profiles: ["deepseek"], text: "In thinking mode with tools, every assistant message carries reasoning_content. Known error: \"The `reasoning_content` in the thinking mode must be passed back to the API.\"" },
    { profiles: ["kimi"], text: "With thinking on, messages with calls carry reasoning_content. Known error: \"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2\"" },
  ],
  "thinking-signature": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "A thinking block carries a signature string. Known error: \"messages.2.content.0.thinking.signature.str: Input should be a valid string\"" },
  ],
  "thought-signature": [
    { profiles: ["gemini"], text: "In the current turn, the first call of each model content carries its thought signature. Known error: \"Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call `default_api:Bash`, position 2.\"" },
  ],
  "tool-list": [
    { profiles: ["bedrock-claude", "bedrock"], text: "A conversation with calls is sent with a tool configuration. Known error: \"The toolConfig field must be defined when using toolUse and toolResult content blocks.\"" },
    { profiles: ["litellm"], text: "A conversation with calls is sent together with its tool list. Known error: \"litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True` // `litellm_settings::modify_params: True` to add dummy tool to the request.\"" },
  ],
  "tool-name-format": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Tool names have 1 to 200 characters in the conversation and 1 to 128 in definitions. Known error: \"messages.2.content.0.tool_use.name: String should have at most 200 characters\"" },
    { profiles: ["openai-chat", "azure", "openai-responses"], text: "Tool names have 1 to 64 letters, digits, underscores or hyphens, in definitions and in calls." },
    { profiles: ["gemini"], text: "A tool name begins with a letter or underscore and has at most 128 characters. Known error: \"Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\"" },
    { profiles: ["bedrock-claude", "bedrock"], text: "Tool names have 1 to 64 letters, digits, underscores or hyphens." },
    { profiles: ["mistral"], text: "Tool names have 1 to 64 letters, digits, underscores or hyphens. Known error: \"Function name was x.y but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.\"" },
  ],
  "trailing-whitespace": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Where prefill is allowed, the final assistant text does not end in whitespace. Known error: \"final assistant content cannot end with trailing whitespace\"" },
  ],
  "unknown-field": [
    { profiles: ["anthropic", "anthropic-preserved"], text: "Messages, blocks and tools carry known fields only. Known error: \"messages.3.clear_at: Extra inputs are not permitted\"" },
    { profiles: ["gemini"], text: "Only known field names are sent. Known error: \"Invalid JSON payload received. Unknown name \"x\" at 'contents[0].parts[0]': Cannot find field.\"" },
    { profiles: ["groq"], text: "Only known message fields are accepted; reasoning is not among them. Known error: \"'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]\"" },
  ],
  "wire-shape": [
    { profiles: ["ollama"], text: "Arguments are an object, and a result carries the tool's name. Known error: \"invalid message format\"" },
  ],
}
