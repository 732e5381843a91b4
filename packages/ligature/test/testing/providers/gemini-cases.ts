/**
 * What the Gemini judge must accept and refuse.
 */
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const user = (...parts: readonly WireValue[]): WireValue => ({ role: "user", parts })
const model = (...parts: readonly WireValue[]): WireValue => ({ role: "model", parts })
const text = (value: string): WireValue => ({ text: value })
const call = (name: string, more: WireValue = {}): WireValue => ({ functionCall: { name, args: {}, ...more } })
const signed = (name: string, signature: string): WireValue => ({ ...call(name), thoughtSignature: signature })
const response = (name: string, more: WireValue = {}): WireValue => ({
  functionResponse: { name, response: { output: "ok" }, ...more },
})
const hi = user(text("hi"))
const contents = (...list: readonly WireValue[]): WireValue => ({ contents: list })

export const geminiHealthy: Readonly<Record<string, unknown>> = {
  "parallel calls with ids answered in another order, then user text": {
    ...contents(
      hi,
      model(text("ok"), call("ls", { id: "1" }), call("cat", { id: "2" })),
      user(response("cat", { id: "2" }), response("ls", { id: "1" })),
      hi,
    ),
    systemInstruction: { parts: [text("be brief")] },
  },
  "the other spelling of the names": contents(
    hi,
    model({ function_call: { name: "ls", args: {} } }),
    user({ function_response: { name: "ls", response: {} } }),
  ),
  "a single content without a role": contents({ parts: [text("hi")] }),
  "a signature on an empty text part": contents(hi, model({ text: "", thoughtSignature: "c2ln" }), hi),
  "signed first calls of the current turn and the published stand-in": {
    model: "gemini-3-pro-preview",
    ...contents(
      hi,
      model(call("ls")),
      user(response("ls")),
      model(text("done")),
      hi,
      model(signed("ls", "c2ln"), call("cat")),
      user(response("ls"), response("cat")),
      model(signed("ls", "skip_thought_signature_validator")),
      user(response("ls")),
    ),
  },
}

const countText =
  "Please ensure that the number of function response parts is equal to the number of function call " + "parts of the function call turn."

export const geminiCases: readonly RejectionCase[] = [
  { rule: "gemini-shape", body: [], message: "Invalid JSON payload received. Expected an object." },
  {
    rule: "gemini-shape",
    body: contents(user({ text: 1 })),
    message: "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING)",
  },
  {
    rule: "gemini-call-response-count",
    body: contents(hi, model(call("ls"), call("cat")), user(response("ls"))),
    message: countText,
  },
  { rule: "gemini-call-response-count", body: contents(hi, model(call("ls")), hi), message: countText },
  {
    rule: "gemini-call-after-user",
    body: contents(model(call("ls")), user(response("ls"))),
    message: "Please ensure that function call turn comes immediately after a user turn or after a function " + "response turn.",
  },
  {
    rule: "gemini-response-after-call",
    body: contents(hi, model(text("x")), user(response("ls"))),
    message: "Please ensure that function response turn comes immediately after a function call turn.",
  },
  {
    rule: "gemini-alternation",
    body: contents(hi, hi),
    message: "Please ensure that multiturn requests alternate between user and model.",
  },
  {
    rule: "gemini-ends-with-user",
    body: contents(hi, model(text("x"))),
    message: "Please ensure that multiturn requests ends with a user role or a function response.",
  },
  {
    rule: "gemini-starts-with-user",
    body: contents(model(text("x")), hi),
    message: "Please ensure that multiturn requests start with a user turn.",
  },
  ...["gemini-3-flash", "models/gemini-4-pro"].map((name) => ({
    rule: "gemini-thought-signature-missing",
    options: { model: name },
    body: contents(hi, model(call("ls")), user(response("ls"))),
    message:
      "Function call is missing a thought_signature in functionCall parts. This is required for tools to work " +
      "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function " +
      "call `default_api:ls`, position 1.",
  })),
  {
    rule: "gemini-thought-signature-invalid",
    body: contents(hi, model(signed("ls", "gAAAAABo")), user(response("ls"))),
    message: "Invalid thought signature.",
  },
  ...[{}, text(""), { thought: true }].map((part) => ({
    rule: "gemini-empty-part",
    body: contents(hi, model(part), hi),
    message: "* GenerateContentRequest.contents[1].parts[0].data: required oneof field 'data' must have one " + "initialized field",
  })),
  {
    rule: "gemini-empty-parts",
    body: contents(hi, model(), hi),
    message: "* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.",
  },
  {
    rule: "gemini-empty-parts",
    body: contents(),
    message: "* GenerateContentRequest.contents: contents is not specified",
  },
  {
    rule: "gemini-json-mode-with-tools",
    options: { model: "gemini-2.5-flash" },
    body: {
      ...contents(hi),
      generationConfig: { responseMimeType: "application/json" },
      tools: [{ functionDeclarations: [{ name: "ls" }] }],
    },
    message: "Function calling with a response mime type: 'application/json' is unsupported",
  },
  {
    rule: "gemini-response-name",
    body: contents(hi, model(call("ls")), user(response(""))),
    message: "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
  },
  {
    rule: "gemini-response-name",
    body: contents(hi, model(call("ls")), user(response("cat"))),
    message:
      "* GenerateContentRequest.contents[2].parts[0].function_response.name: [REQUIRED] 'cat' is not the " +
      "name of an unanswered function call of the previous turn.",
  },
  {
    rule: "gemini-response-object",
    body: contents(hi, model(call("ls")), user(response("ls", { response: "ok" }))),
    message: "Invalid function_response.response: 'contents[2].parts[0].function_response.response' must be a " + "google.protobuf.Struct",
  },
  {
    rule: "gemini-args-object",
    body: contents(hi, model(call("ls", { args: "{}" })), user(response("ls"))),
    message: "Invalid value at 'contents[1].parts[0].function_call.args' (type.googleapis.com/google.protobuf.Struct)",
  },
  {
    rule: "gemini-function-name",
    body: contents(hi, model(call("1ls")), user(response("1ls"))),
    message:
      "Invalid function name. Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain " +
      "underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.",
  },
  {
    rule: "gemini-role",
    body: contents({ role: "assistant", parts: [text("x")] }),
    message: "Please use a valid role: user, model.",
  },
  { rule: "gemini-role", body: contents(user(call("ls"))), message: "Please use a valid role: user, model." },
  {
    rule: "gemini-id-match",
    body: contents(hi, model(call("ls", { id: "1" })), user(response("ls", { id: "2" }))),
    message: "contents[2].parts[0].function_response.id: functionResponse.id '2' does not match functionCall.id",
  },
  {
    rule: "gemini-id-match",
    body: contents(hi, model(call("ls", { id: "1" })), user(response("ls"))),
    message: "contents[2].parts[0].function_response.id: functionResponse.id '' does not match functionCall.id",
  },
  {
    rule: "gemini-unknown-field",
    body: contents(user({ text: "x", cacheControl: {} })),
    message: "Invalid JSON payload received. Unknown name \"cacheControl\" at 'contents[0].parts[0]': Cannot find " + "field.",
  },
  {
    rule: "gemini-response-media",
    options: { model: "gemini-2.5-pro" },
    body: contents(hi, model(call("ls")), user(response("ls", { parts: [{ inlineData: {} }] }))),
    message: "contents[2].parts[0].function_response.parts: multimodal function responses are not supported by this " + "model",
  },
]
