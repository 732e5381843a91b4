import { describe, expect, it } from "vitest"
import { classify } from "../../../src/rules/classify/index.ts"

/** What a classification says without the rule objects. */
function reading(error: unknown): unknown {
  const classification = classify(error)
  if (classification === undefined) return undefined
  const { rule, place, ids, action } = classification
  return { rule: rule.id, action, place, ids }
}

describe("classify names the place and the ids of a refusal", () => {
  it("for several unanswered calls of an Anthropic message", () => {
    const error =
      '400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.84: `tool_use` ids were found ' +
      "without `tool_result` blocks immediately after: toolu_01A, toolu_01B. Each `tool_use` block must have a " +
      'corresponding `tool_result` block in the next message."},"request_id":"req_1"}'
    expect(classify(error)).toEqual({
      rule: expect.objectContaining({ id: "anthropic-tool-use-needs-result" }),
      all: [
        expect.objectContaining({ id: "anthropic-tool-use-needs-result" }),
        expect.objectContaining({ id: "anthropic-tool-result-first-in-content" }),
      ],
      action: "repair-pairing",
      place: { path: "messages.84", message: 84 },
      ids: ["toolu_01A", "toolu_01B"],
      text:
        "messages.84: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01A, " +
        "toolu_01B. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    })
  })

  it("for unanswered calls of a chat completion, with the place from the param field", () => {
    const message =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      "The following tool_call_ids did not have response messages: call_a, functions.Bash:0"
    const expected = {
      rule: "openai-chat-tool-call-needs-response",
      action: "repair-pairing",
      place: { path: "messages.[3].role", message: 3 },
      ids: ["call_a", "functions.Bash:0"],
    }
    const error = { message, type: "invalid_request_error", param: "messages.[3].role", code: null }
    expect(reading({ status: 400, body: { error } })).toEqual(expected)
    const printed =
      `openai.BadRequestError: Error code: 400 - {'error': {'message': "${message}", 'type': ` +
      "'invalid_request_error', 'param': 'messages.[3].role', 'code': None}}"
    expect(reading(printed)).toEqual(expected)
  })

  it("for an id of a Responses item and the reasoning it lacks", () => {
    expect(reading("Item 'fc_68' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68'.")).toEqual({
      rule: "openai-responses-call-needs-reasoning",
      action: "replay-reasoning-or-omit-ids",
      place: undefined,
      ids: ["fc_68", "rs_68"],
    })
  })

  it("for an id of letters only, where nothing but an id can be", () => {
    expect(reading("Tool call id was abcdefgh but must be a-z, A-Z, 0-9, with a length of 9.")).toEqual({
      rule: "mistral-tool-id-9",
      action: "re-id",
      place: undefined,
      ids: ["abcdefgh"],
    })
  })

  it("without taking a quoted tool name or a field name for an id", () => {
    expect(reading("Function call `default_api:read_file` in the `1.` content block is missing a `thought_signature`.")).toEqual({
      rule: "gemini-thought-signature-missing",
      action: "restore-signature-or-sentinel",
      place: { path: "`1.` content block" },
      ids: [],
    })
    expect(reading("messages[25]: missing field `tool_call_id` at line 1 column 263")).toEqual({
      rule: "openai-chat-call-id-missing",
      action: "re-id",
      place: { path: "messages[25]", message: 25 },
      ids: [],
    })
  })

  it("for bound thinking, the block itself rather than what changed before it", () => {
    const error =
      "messages.5.content.0: Invalid `signature` in `thinking` block. The block is bound to a different " +
      "conversation. Content that preceded this block when it was created is missing from this request, starting at " +
      "`messages.0.content.0`."
    expect(reading(error)).toEqual({
      rule: "anthropic-thinking-prefix-bound",
      action: "strip-or-restore-reasoning",
      place: { path: "messages.5.content.0", message: 5, block: 0 },
      ids: [],
    })
  })

  it("for the longer of two complaints in one Gemini answer", () => {
    const error = [
      {
        error: {
          code: 400,
          message:
            "* GenerateContentRequest.contents[4].parts[1].data: required oneof field 'data' must have one initialized " +
            "field\n* GenerateContentRequest.contents[9].parts[0].function_response.name: Name cannot be empty.\n",
          status: "INVALID_ARGUMENT",
        },
      },
    ]
    expect(classify(error)?.all.map((rule) => rule.id)).toEqual(["gemini-empty-part", "gemini-response-name"])
    expect(classify(error)?.place).toEqual({ path: "contents[4].parts[1].data", message: 4, block: 1 })
  })

  it("for a list of fields, as JSON and as Python prints it", () => {
    const expected = {
      rule: "mistral-no-reasoning-content",
      action: "strip-or-restore-reasoning",
      place: { path: "messages.31.assistant.reasoning_content", message: 31 },
      ids: [],
    }
    const detail = [
      {
        type: "extra_forbidden",
        loc: ["body", "messages", 31, "assistant", "reasoning_content"],
        msg: "Extra inputs are not permitted",
        input: "\n",
      },
    ]
    expect(reading({ detail })).toEqual(expected)
    expect(reading({ object: "error", message: { detail }, code: null })).toEqual(expected)
    expect(reading({ object: "error", message: JSON.stringify({ detail }), code: "1000" })).toEqual(expected)
    expect(
      reading(
        "Error code: 422 - {'detail': [{'type': 'extra_forbidden', 'loc': ('body', 'messages', 31, 'assistant', " +
          "'reasoning_content'), 'msg': 'Extra inputs are not permitted', 'input': None}]}",
      ),
    ).toEqual(expected)
  })

  it("through a gateway that quotes the provider's body twice", () => {
    const inner = JSON.stringify({
      type: "error",
      error: { type: "invalid_request_error", message: "messages.5.content.1: `tool_use` ids must be unique" },
    })
    const middle = JSON.stringify({ error: { message: "Provider returned error", metadata: { raw: inner } } })
    expect(reading(`request failed: ${JSON.stringify({ msg: `upstream said ${middle}` })}`)).toEqual({
      rule: "anthropic-tool-use-id-unique",
      action: "re-id",
      place: { path: "messages.5.content.1", message: 5, block: 1 },
      ids: [],
    })
  })

  it("from an SDK error that keeps the body beside its message", () => {
    const error = Object.assign(new Error("Bad Request"), {
      statusCode: 400,
      requestBodyValues: { messages: [{ content: "messages.1: text content blocks must be non-empty" }] },
      responseBody: JSON.stringify({
        message: "Expected toolResult blocks at messages.22.content for the following Ids: tooluse_A, tooluse_B",
      }),
    })
    expect(reading(error)).toEqual({
      rule: "bedrock-missing-toolresult",
      action: "repair-pairing",
      place: { path: "messages.22.content", message: 22 },
      ids: ["tooluse_A", "tooluse_B"],
    })
    expect(reading(new Error("request failed", { cause: error }))).toEqual(reading(error))
  })

  it("from a sentence in the param field", () => {
    const param = "messages[2] assistant content must contain at least one part"
    const raw = JSON.stringify({ error: { code: "400", message: "Param Incorrect", param, type: "" } })
    expect(reading({ error: { message: "Provider returned error", code: 400, metadata: { raw } } })).toEqual({
      rule: "mimo-content-part",
      action: "fix-empty",
      place: { path: "messages[2]", message: 2 },
      ids: [],
    })
  })

  it("from a Python dictionary inside a JSON text inside a log line", () => {
    const printed =
      "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': 'Unable to submit request because function call " +
      "`search` in the 2. content block is missing a `thought_signature`.', 'status': 'INVALID_ARGUMENT'}}"
    const line = `invoke failed: ${JSON.stringify({ args: {}, message: `request failed: ${printed}` })}`
    expect(reading(line)).toEqual({
      rule: "gemini-thought-signature-missing",
      action: "restore-signature-or-sentinel",
      place: { path: "2. content block" },
      ids: [],
    })
    expect(classify(line)?.text).toBe(
      "Unable to submit request because function call `search` in the 2. content block is missing a " + "`thought_signature`.",
    )
  })

  it("from a line of an agent that prints the provider's words bare", () => {
    const line =
      "✗ Execution failed: Error: no response; retried 5 times (Request-ID 3B80:7355D) Last error: CAPIError: 400 " +
      "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_vrtx_015. Each " +
      "`tool_result` block must have a corresponding `tool_use` block in the previous message."
    expect(reading(line)).toEqual({
      rule: "anthropic-orphan-tool-result",
      action: "repair-pairing",
      place: { path: "messages.2.content.1", message: 2, block: 1 },
      ids: ["toolu_vrtx_015"],
    })
  })

  it("with escaped quotes and unicode escapes in a body that is cut off", () => {
    const error =
      '{"error":{"message":"Invalid \\u0027input[4].call_id\\u0027: string too long. Expected a string with maximum ' +
      'length 64, but got a string with length 1324 instead.","type":"invalid_req'
    expect(reading(error)).toEqual({
      rule: "openai-responses-call-id-length",
      action: "re-id",
      place: { path: "input[4].call_id", message: 4 },
      ids: [],
    })
  })

  it("for texts that lost their backticks", () => {
    expect(reading("tool_use ids were found without tool_result blocks immediately after: toolu_9")).toEqual({
      rule: "anthropic-tool-use-needs-result",
      action: "repair-pairing",
      place: undefined,
      ids: ["toolu_9"],
    })
    expect(reading("unexpected tool_use_id found in tool_result blocks: toolu_9.")).toEqual({
      rule: "anthropic-orphan-tool-result",
      action: "repair-pairing",
      place: undefined,
      ids: ["toolu_9"],
    })
  })
})
