// Anthropic Messages: roles, order, emptiness, system messages.
import type { ProviderRule } from "./provider-rule.ts"

export const anthropicRoles: readonly ProviderRule[] = [
  {
    id: "anthropic-messages-nonempty",
    providers: ["anthropic"],
    demand: "A request holds at least one message.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: ["messages: at least one message is required"],
    match: /messages: at least one message is required/i,
    repair: "Add the user message that is waiting.",
    enforcedBy: { profile: "first-role" },
  },
  {
    id: "anthropic-first-message-user",
    providers: ["anthropic"],
    demand: "The first message is the user's, unless a signed compaction opens the list.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: ["messages: first message must use the \"user\" role"],
    match: /first message must use the .{0,2}user.{0,2} role/i,
    repair: "Start at a user message that answers no cut call, or put a short marked one in front.",
    enforcedBy: { profile: "first-role" },
  },
  {
    id: "anthropic-role-alternation",
    providers: ["anthropic", "anthropic-compatible"],
    demand: "Roles alternate; today's API merges neighbours, older and compatible ones refuse them.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: [
      "messages: roles must alternate between \"user\" and \"assistant\", but found multiple \"user\" roles in a row",
    ],
    match: /roles must alternate between/i,
    repair: "Merge neighbours of one role, results first.",
    enforcedBy: { profile: "role-alternation" },
  },
  {
    id: "anthropic-empty-text",
    providers: ["anthropic"],
    demand: "A text block has something other than whitespace in it.",
    severity: "hard", touches: "history", status: 400, action: "fix-empty",
    texts: ["messages: text content blocks must be non-empty", "text content blocks must contain non-whitespace text"],
    match: /text content blocks must be non-empty|must contain non-whitespace text/i,
    repair: "Drop the block and move its cache mark to the one before.",
    enforcedBy: { invariant: "empty-text" },
  },
  {
    id: "anthropic-empty-message",
    providers: ["anthropic"],
    demand: "Every message but a final assistant one has content.",
    severity: "hard", touches: "history", status: 400, action: "fix-empty",
    texts: ["messages.12: all messages must have non-empty content except for the optional final assistant message"],
    match: /all messages must have non-empty content/i,
    repair: "Leave the message out and merge its neighbours, or put a placeholder in it.",
    enforcedBy: { invariant: "empty-message" },
  },
  {
    id: "anthropic-trailing-whitespace",
    providers: ["anthropic"],
    demand: "Where prefill is allowed, the final assistant text does not end in whitespace.",
    severity: "hard", touches: "tail", status: 400, action: "fix-empty",
    texts: ["final assistant content cannot end with trailing whitespace"],
    match: /final assistant content cannot end with trailing whitespace/i,
    repair: "Trim the end of the last text block on the wire.",
    enforcedBy: { profile: "last-role" },
  },
  {
    id: "anthropic-no-prefill",
    providers: ["anthropic"],
    models: "Claude 4.6+",
    demand: "The last message is not the assistant's.",
    severity: "hard", touches: "tail", status: 400, action: "fix-roles",
    texts: ["This model does not support assistant message prefill. The conversation must end with a user message."],
    match: /does not support assistant message prefill|must end with a user message/i,
    repair: "Add a user message, or drop an empty assistant one; leave a paused message as it is.",
    enforcedBy: { profile: "last-role" },
  },
  {
    id: "anthropic-system-role-position",
    providers: ["anthropic"],
    demand:
      "A system message inside the list follows a user message and comes before an assistant message or last, never " +
      "between call and result.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: [
      "messages.6: role 'system' must precede an 'assistant' message or end the array; ...",
      "use the top-level 'system' parameter for the initial system prompt",
    ],
    match: /role 'system' must precede an 'assistant' message|use the top-level 'system' parameter for the initial/i,
    repair: "Move it after the results, or say it as user text.",
    enforcedBy: { profile: "system-position" },
  },
  {
    id: "anthropic-system-role-unsupported",
    providers: ["anthropic"],
    demand: "Most models take no system message inside the list.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: [
      "role 'system' is not supported on this model",
      "messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not " +
      "\"system\" as an input message role.",
    ],
    match: /role 'system' is not supported|Unexpected role .{0,2}system/i,
    repair: "Lift leading ones to the system parameter, say later ones as user text in place.",
    enforcedBy: { profile: "system-position" },
  },
  {
    id: "anthropic-turn-scoped-system",
    providers: ["anthropic"],
    demand:
      "A turn-scoped system message holds text only, no cache mark and no output settings, and stays in place once " +
      "cleared.",
    severity: "hard", touches: "history", status: 400, action: "fix-roles",
    texts: [
      "clear_at is only permitted on role 'system' messages",
      "a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')",
      "output_config is not permitted on a turn-scoped system message",
      "cache_control is not permitted on a turn-scoped system message",
    ],
    match: /turn-scoped system message|clear_at is only permitted/i,
    repair: "Strip the offending field; never drop or reword the message.",
    enforcedBy: { profile: "system-position" },
  },
]
