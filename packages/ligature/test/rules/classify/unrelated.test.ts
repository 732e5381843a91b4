// Errors that break no demand on a conversation: classify answers undefined, so that nobody repairs a history because
// a quota was used up.
import { describe, expect, it } from "vitest"
import { classify } from "../../../src/rules/classify/index.ts"

const unrelated: Readonly<Record<string, unknown>> = {
  "an empty text": "",
  nothing: undefined,
  "an empty object": {},
  "a number": 400,
  "a rate limit": {
    type: "error",
    error: { type: "rate_limit_error", message: "This request would exceed your organization's rate limit of 40,000" },
  },
  "an overloaded server": '529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
  "a wrong key": { error: { message: "Incorrect API key provided", type: "invalid_request_error", param: null } },
  "a missing permission": '{"__type":"AccessDeniedException","message":"User is not authorized to perform this"}',
  "a context that is too long": "400 prompt is too long: 215000 tokens > 200000 maximum",
  "a context that is too long, in other words": {
    error: {
      message: "This model's maximum context length is 128000 tokens. Your messages resulted in 130013 tokens.",
      code: "context_length_exceeded",
      param: "messages",
    },
  },
  "a used-up quota": [{ error: { code: 429, message: "Resource has been exhausted", status: "RESOURCE_EXHAUSTED" } }],
  "a refusal without a reason": [{ error: { code: 400, message: "Request contains an invalid argument." } }],
  "a timeout": new Error("Request timed out."),
  "a closed connection": Object.assign(new Error("fetch failed"), { cause: new Error("ECONNRESET") }),
  "an unknown model": { error: { message: "The model `gpt-0` does not exist", code: "model_not_found" } },
  "a proxy's page": "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
  "a billing stop": "Your credit balance is too low to access the Anthropic API.",
  "a content filter": { error: { message: "The response was filtered", code: "content_filter", param: "prompt" } },
  "a request that was echoed": {
    error: { message: "Bad gateway" },
    request: { body: "`tool_use` ids must be unique" },
  },
}

describe("classify", () => {
  it.each(Object.entries(unrelated))("says nothing about %s", (_name, error) => {
    expect(classify(error)).toBeUndefined()
  })
})
