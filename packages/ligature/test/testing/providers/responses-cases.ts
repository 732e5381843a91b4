/**
 * What the Responses judge must accept and refuse.
 */
import type { RejectionCase, WireValue } from "./rejection-case.ts"

const user: WireValue = { role: "user", content: "hi" }
const call = (id: string, more: WireValue = {}): WireValue => ({
  type: "function_call",
  call_id: id,
  name: "ls",
  arguments: "{}",
  ...more,
})
const output = (id: string, more: WireValue = {}): WireValue => ({
  type: "function_call_output",
  call_id: id,
  output: "ok",
  ...more,
})
const custom = (id: string): WireValue => ({ type: "custom_tool_call", call_id: id, name: "sh", input: "ls" })
const reasoning = (id: string, more: WireValue = {}): WireValue => ({ type: "reasoning", id, summary: [], ...more })
const message = (id: string): WireValue => ({
  type: "message",
  id,
  role: "assistant",
  content: [{ type: "output_text", text: "ok", annotations: [] }],
})
const input = (...items: readonly WireValue[]): WireValue => ({ input: items })

export const responsesHealthy: Readonly<Record<string, unknown>> = {
  "outputs far from their calls, reasoning with its follower": input(
    user,
    reasoning("rs_1"),
    call("a", { id: "fc_1" }),
    call("b"),
    output("b"),
    output("a"),
    message("msg_1"),
    user,
  ),
  "a text as input": { input: "hi" },
  "an open async call": input(user, call("a", { async: true }), user),
  "an output for a call of the chained response": { ...input(output("a")), previous_response_id: "resp_1" },
  "a custom call with its output": input(user, custom("a"), { type: "custom_tool_call_output", call_id: "a", output: "x" }),
}

export const responsesCases: readonly RejectionCase[] = [
  { rule: "openai-responses-shape", body: {}, message: "Missing required parameter: 'input'." },
  {
    rule: "openai-responses-shape",
    body: input({ role: "assistant", content: [{ type: "input_text", text: "x" }] }),
    message: "Invalid value: 'input_text' of 'input[0].content[0].type'. Supported values are: 'output_text', " + "'refusal'.",
  },
  {
    rule: "openai-responses-shape",
    body: input(user, call("a", { arguments: {} }), output("a")),
    message: "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
  },
  {
    rule: "common-render-allow-list",
    body: input({ ...user, timestamp: 1 }),
    message: "Unknown parameter: 'input[0].timestamp'.",
  },
  {
    rule: "openai-responses-call-needs-output",
    body: input(user, call("a"), user),
    message: "No tool output found for function call a.",
  },
  {
    rule: "openai-responses-custom-call-needs-output",
    body: input(user, custom("a")),
    message: "No tool output found for custom tool call a.",
  },
  {
    rule: "openai-responses-orphan-output",
    body: input(user, output("a"), call("a")),
    message: "No tool call found for function call output with call_id a.",
  },
  {
    rule: "openai-responses-orphan-custom-output",
    body: input(user, { type: "custom_tool_call_output", call_id: "a", output: "x" }),
    message: "No tool call found for custom tool call output with call_id a.",
  },
  {
    rule: "openai-responses-output-type-match",
    body: input(user, custom("a"), output("a")),
    message: "No tool call found for function call output with call_id a.",
  },
  {
    rule: "openai-responses-call-needs-reasoning",
    options: { requiredReasoning: new Map([["fc_68", "rs_68"]]) },
    body: input(user, call("a", { id: "fc_68" }), output("a")),
    message: "Item 'fc_68' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68'.",
  },
  {
    rule: "openai-responses-call-needs-reasoning",
    options: { model: "gpt-5.2-codex" },
    body: input(user, call("a", { id: "fc_68" }), output("a")),
    message: "Item 'fc_68' of type 'function_call' was provided without its required 'reasoning' item: 'rs_68'.",
  },
  {
    rule: "openai-responses-message-needs-reasoning",
    options: { requiredReasoning: new Map([["msg_1", "rs_1"]]) },
    body: input(user, reasoning("rs_2"), message("msg_1"), user),
    message: "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'.",
  },
  {
    rule: "openai-responses-reasoning-needs-follower",
    body: input(user, reasoning("rs_68")),
    message: "Item 'rs_68' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: "openai-responses-reasoning-needs-follower",
    body: input(user, reasoning("rs_68"), user),
    message: "Item 'rs_68' of type 'reasoning' was provided without its required following item.",
  },
  {
    rule: "openai-responses-item-id-prefix",
    body: input(user, call("a", { id: "call_abc" }), output("a")),
    message: "Invalid 'input[1].id': 'call_abc'. Expected an ID that begins with 'fc'.",
  },
  {
    rule: "openai-responses-call-id-length",
    body: input(user, call("x".repeat(70)), output("x".repeat(70))),
    message:
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a " +
      "string with length 70 instead.",
  },
  {
    rule: "openai-responses-call-id-required-compat",
    body: input(user, { type: "function_call_output", output: "x" }),
    message: "input[1]: missing field 'call_id'",
  },
  {
    rule: "openai-responses-id-length",
    body: input(user, call("a", { id: `fc_${"x".repeat(413)}` }), output("a")),
    message:
      "Invalid 'input[1].id': string too long. Expected a string with maximum length 64, but got a string " + "with length 416 instead.",
  },
  {
    rule: "openai-responses-reasoning-content-empty",
    body: input(user, reasoning("rs_1", { content: [{ type: "reasoning_text", text: "hm" }] }), message("msg_1")),
    message:
      "Invalid 'input[1].content': array too long. Expected an array with maximum length 0, but got an array " + "with length 1 instead.",
  },
  {
    rule: "openai-responses-item-not-found",
    status: 404,
    body: { ...input(user, reasoning("rs_1"), message("msg_1")), store: false },
    message:
      "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with " +
      "`store` set to true, or remove this item from your input.",
  },
  {
    rule: "openai-responses-duplicate-item",
    body: input(user, message("msg_1"), message("msg_1")),
    message: "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
  },
  {
    rule: "openai-responses-duplicate-item",
    body: input(user, call("a"), output("a"), output("a")),
    message: "Duplicate item found with id a. Remove duplicate items from your input and try again.",
  },
  {
    rule: "openai-responses-chain-exclusive",
    body: { ...input(user), previous_response_id: "resp_1", conversation: "conv_1" },
    message: "Mutually exclusive parameters: 'previous_response_id' and 'conversation'. Provide only one.",
  },
  {
    rule: "openai-responses-compaction-trigger-last",
    body: input(user, { type: "compaction_trigger" }, user),
    message: "Invalid 'input[1]': 'compaction_trigger' must be the final input item.",
  },
  {
    rule: "openai-responses-program",
    body: input(user, { type: "program" }),
    message: "Missing required parameter: 'input[1].fingerprint'.",
  },
  {
    rule: "openai-responses-cache-breakpoints",
    body: input(...Array.from({ length: 5 }, () => ({ ...user, prompt_cache_breakpoint: {} }))),
    message: "A maximum of 4 prompt_cache_breakpoint markers may be provided. Found 5.",
  },
  {
    rule: "openai-responses-additional-tools",
    body: input(user, { type: "additional_tools", role: "user" }),
    message: "Invalid value: 'user' of 'input[1].role'. Supported values are: 'developer'.",
  },
  {
    rule: "openai-chat-function-name",
    body: input(user, call("a", { name: "x.y" }), output("a")),
    message: "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern " + "'^[a-zA-Z0-9_-]+$'.",
  },
]
