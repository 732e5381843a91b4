/**
 * What each rule is about, how its damage comes about and what settle does: the text of its page and of `ligature rules
 * RULE`. Apart from the rules, because checking a history does not need it.
 */
import { unknownTool } from "../catalog/missing-tool-name.ts"
import { rawArgumentsKey } from "../survey/raw-arguments.ts"

export const docs: Readonly<Record<string, string>> = {
  "duplicate-call": `A retried stream or a double append wrote one call twice: same id, same name, same arguments, no user text between them, and only one of
them is answered. Repair removes the unanswered copy; the other stays with its result.`,
  "duplicate-result": `One call, two results: a crash recovery wrote one and the tool finished after all, or a line was appended twice. Repair keeps the better
one (real over generated, success over failure, then the later one). An identical copy is removed; a different one stays in the history as
user text.`,
  "empty-message": `An aborted stream left an assistant message without content, or a user sent nothing. Repair removes it.`,
  "lone-surrogate": `A text was cut in the middle of a character outside the basic plane, typically an emoji in a truncated tool output. The request body is
then not valid JSON for the provider, and the session stays dead because the text is stored. Repair writes U+FFFD.`,
  "misplaced-block": `A call or thinking in a user message, a result in an assistant or system message: converters that mix up roles, or simulated users that
call tools themselves. Repair puts the block into a message of the right role at the same position. A call is moved only where it was one: a
user made it, and its result is there. What a tool or a system message has in the form of a call becomes user text, so that nobody runs it.`,
  "misplaced-result": `A user message, a reminder or another assistant message comes between a call and its result, text comes before the results in their
message, or the result was written before its call because two writers raced. Repair moves the result next to its call and keeps everything
that was between, after them. Nothing is lost or generated.`,
  "mixed-call-style": `An agent switched its tool protocol in the middle of a task, or turned stored calls into text on resume. The model sees two ways of
calling tools and imitates the wrong one. A conversation has only one kind of call: encoding writes all of them in one style.`,
  "orphan-result": `A result whose call is nowhere on the path, usually because a sliding window, a summary or a lost line removed the call and left the
result. Every provider rejects it. Repair moves a result to its call wherever that is; a result without any call is converted to user text in
the same place, so that its content survives; a block in it that only its origin understands becomes text too.`,
  "result-order": `Results were written as the tools finished. Most providers match them by id and accept any order; Gemini and Mistral count and match by
position. Repair puts them in call order.`,
  "split-span": `Server tools live inside one assistant message: a call and its result, made by the provider. Reasoning items are tied to what follows
them. When a cut or an aborted stream removes one part, the other is rejected. Only the provider could complete it, so repair replaces it with
its readable text: what was asked, or what came back. Reasoning that leads to nothing is removed, also where another repair removed its call.`,
  "stale-pending": `The source marks a call as waiting for approval or still running, but the history continues after it. Only the last exchange may be
pending. Repair closes a call that waits for approval as **not-run**, and a running one like any unanswered call.`,
  "unanswered-call": `A call before the last exchange, or anywhere in a finished history, that has no result: the process was killed, the user pressed stop, a
compaction ran between call and result, or one entry was never written. Repair adds a placeholder result that claims no more than is
known: **interrupted** (it may have run; its effect is unknown), **lost** (the model went on, so there was a result) or **not-run** (its
arguments could not be parsed). A real result that arrives later replaces the placeholder.`,
  "unsigned-thinking": `Gateways and converters write thinking blocks without the signature their provider requires. A block with a signature is complete even
without text and must stay. Repair removes a block with neither. One with text alone stays as plain thinking: no provider gets it back as its
own, and a policy decides whether others see it as text.`,
  "duplicate-call-id": `Some servers number calls from zero in every turn (\`call_0\`, \`functions.bash:0\`), redactors replace all ids with one word, and gateways restart
counters. The ids are equal, the calls are not. Repair gives the later call and its result a new id and keeps the provider's id beside it.`,
  "empty-text": `Models write \`"\\n\\n"\` before a call, agents store empty strings. Anthropic, Bedrock and Gemini reject blank text. Repair removes it.`,
  "invalid-arguments": `A stream was cut in the middle of the arguments, a model wrote broken JSON, or an agent stored the text where the object belongs.
Repair never discards the text: an object inside a string is parsed, nothing becomes \`{}\`, and anything else is carried as
\`{"${rawArgumentsKey}": "…"}\` with the raw text beside it. Such a call is never executed.`,
  "missing-call-id": `Local servers and old logs leave ids out. Results then belong to calls by name and position alone. Repair pairs them that way within one
exchange and gives both sides a deterministic id. Proxies also rewrite an id on one side only (\`functions.ls:0\` and \`functions_ls_0\`,
\`toolu_01x\` and \`call_01x\`, or cut at some length): a result whose id matches no call takes the one open call before it whose id is the same in
another spelling.`,
  "missing-tool-name": `A stream was cut before the name arrived, or a gateway dropped it. Repair takes the name from the result where there is one, otherwise
\`${unknownTool}\`.`,
}
