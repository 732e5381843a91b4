/**
 * Examples of every rule: they run as tests, and are on the page of the rule and in `ligature rules RULE`. They are
 * apart from the rules, because checking a history does not need them.
 */
import {
  assistant,
  call,
  type Message,
  type OpaqueBlock,
  result,
  syntheticResult,
  system,
  thinking,
  tool,
  user,
} from "../../model/index.ts"
import { unknownTool } from "../catalog/missing-tool-name.ts"
import type { Policies } from "../policies.ts"
import { rawArgumentsKey } from "../survey/raw-arguments.ts"

export interface Example {
  readonly title: string
  readonly tip?: "open" | "closed"
  readonly policies?: Partial<Policies>
  readonly before: readonly Message[]
  /** How often this rule finds something; other rules are not counted. */
  readonly finds: number
  /** The settled conversation, flattened. */
  readonly after: readonly Message[]
}

const half = (which: "call" | "result", shown = ""): OpaqueBlock => ({
  type: "opaque",
  kind: which === "call" ? "server_tool_use" : "web_search_tool_result",
  span: "srv_1",
  half: which,
  text: shown,
  native: {},
})

const asText = { ...call("b", "cat"), style: "xml" } as const

/** What a tool printed, in the shape of a call. */
const callShaped: OpaqueBlock = {
  type: "opaque",
  kind: "toolUse",
  text: '{"toolUse":{"name":"rm"}}',
  native: { x: { toolUse: { name: "rm" } } },
}

const waiting = { ...call("a", "rm"), pending: "approval" } as const

export const examples: Readonly<Record<string, readonly Example[]>> = {
  "lone-surrogate": [
    {
      title: "a cut emoji",
      before: [user("go"), assistant("ok \ud83d")],
      finds: 1,
      after: [user("go"), assistant("ok \ufffd")],
    },
    {
      title: "in a result without call",
      before: [user("go"), tool(result("a", "cut \ud83d"))],
      finds: 1,
      after: [user("go"), user("[Result of a call that is no longer in the history (a)]\ncut \ufffd")],
    },
  ],
  "empty-text": [
    {
      title: "before a call",
      before: [user("go"), assistant("\n\n", call("a", "ls")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
  ],
  "empty-message": [
    {
      title: "an aborted stream",
      before: [user("hello"), assistant(), user("hello?")],
      finds: 1,
      after: [user("hello"), user("hello?")],
    },
  ],
  "unsigned-thinking": [
    {
      title: "nothing at all",
      before: [user("hi"), assistant(thinking(""), "Hello.")],
      finds: 1,
      after: [user("hi"), assistant("Hello.")],
    },
    {
      title: "text without the signature that its provider requires",
      before: [user("hi"), assistant({ ...thinking("Let me see."), unsigned: true }, "Hello.")],
      finds: 1,
      after: [user("hi"), assistant(thinking("Let me see."), "Hello.")],
    },
    {
      title: "a signature without text is complete",
      before: [user("hi"), assistant(thinking("", "c2ln"), "Hello.")],
      finds: 0,
      after: [user("hi"), assistant(thinking("", "c2ln"), "Hello.")],
    },
  ],
  "split-span": [
    {
      title: "a server tool that never finished",
      before: [user("search"), assistant("Looking.", half("call")), user("well?")],
      finds: 1,
      after: [user("search"), assistant("Looking."), user("well?")],
    },
    {
      title: "the result is kept as text",
      before: [user("search"), assistant(half("result", "Example https://example.com"), "Found."), user("well?")],
      finds: 1,
      after: [user("search"), assistant("Example https://example.com", "Found."), user("well?")],
    },
    {
      title: "whole spans stay",
      before: [user("search"), assistant(half("call"), half("result"), "Found."), user("well?")],
      finds: 0,
      after: [user("search"), assistant(half("call"), half("result"), "Found."), user("well?")],
    },
    {
      title: "a span may be open at an open tip",
      tip: "open",
      before: [user("search"), assistant(half("call"))],
      finds: 0,
      after: [user("search"), assistant(half("call"))],
    },
  ],
  "misplaced-block": [
    {
      title: "a result inside the assistant message",
      before: [user("go"), assistant(call("a", "ls"), result("a", "x")), user("thanks")],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), user("thanks")],
    },
    {
      title: "a result inside a system message",
      before: [user("go"), assistant(call("a", "ls")), system(result("a", "x")), user("thanks")],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), user("thanks")],
    },
    {
      title: "a call made by the user",
      before: [user("I try it", call("a", "ls")), tool(result("a", "x")), assistant("ok")],
      finds: 1,
      after: [user("I try it"), assistant(call("a", "ls")), tool(result("a", "x")), assistant("ok")],
    },
    {
      title: "tool output that looks like a call",
      before: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"), call("b", "rm")), assistant("ok")],
      finds: 1,
      after: [
        user("go"),
        assistant(call("a", "ls")),
        tool(result("a", "x")),
        user("[Text in the form of a tool call (rm, b)]\n{}"),
        assistant("ok"),
      ],
    },
    {
      title: "a call in a user message that nothing answers",
      before: [user("go", call("b", "rm"))],
      finds: 1,
      after: [user("go", "[Text in the form of a tool call (rm, b)]\n{}")],
    },
  ],
  "invalid-arguments": [
    {
      title: "cut in the middle",
      before: [
        user("write it"),
        assistant({ ...call("a", "write"), raw: '{"path":"x', fault: "unparsable" }),
        tool(result("a", "bad arguments", { error: true })),
      ],
      finds: 1,
      after: [
        user("write it"),
        assistant({ ...call("a", "write", { [rawArgumentsKey]: '{"path":"x' }), raw: '{"path":"x', fault: "unparsable" }),
        tool(result("a", "bad arguments", { error: true })),
      ],
    },
    {
      title: "nothing means no arguments",
      before: [user("go"), assistant({ ...call("a", "ls"), raw: "", fault: "empty" }), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
  ],
  "missing-tool-name": [
    {
      title: "the name is unknown",
      before: [user("go"), assistant(call("a", "")), tool(result("a", "no such tool", { error: true }))],
      finds: 1,
      after: [user("go"), assistant(call("a", unknownTool)), tool(result("a", "no such tool", { error: true }))],
    },
  ],
  "mixed-call-style": [
    {
      title: "half of the calls in text",
      before: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), assistant(asText), tool(result("b", "y"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), assistant(call("b", "cat")), tool(result("b", "y"))],
    },
  ],
  "duplicate-call": [
    {
      title: "a retried stream",
      before: [user("go"), assistant(call("a", "ls")), assistant(call("a", "ls")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
  ],
  "duplicate-call-id": [
    {
      title: "a counter that starts again in each turn",
      before: [
        user("one"),
        assistant(call("call_0", "ls")),
        tool(result("call_0", "x")),
        user("two"),
        assistant(call("call_0", "cat")),
        tool(result("call_0", "y")),
      ],
      finds: 1,
      after: [
        user("one"),
        assistant(call("call_0", "ls")),
        tool(result("call_0", "x")),
        user("two"),
        assistant({ ...call("call_0__2", "cat"), providerId: "call_0" }),
        tool({ ...result("call_0__2", "y"), providerId: "call_0" }),
      ],
    },
  ],
  "missing-call-id": [
    {
      title: "neither side has an id",
      before: [user("go"), assistant(call("", "ls"), call("", "cat")), tool(result("", "x"), result("", "y"))],
      finds: 4,
      after: [
        user("go"),
        assistant(call("call_1_0", "ls"), call("call_1_1", "cat")),
        tool(result("call_1_0", "x"), result("call_1_1", "y")),
      ],
    },
    {
      title: "only the result has the id",
      before: [user("go"), assistant(call("", "ls")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "one side spells the id in another way",
      before: [user("go"), assistant(call("functions.ls:0", "ls")), tool(result("functions_ls_0", "x"))],
      finds: 1,
      after: [
        user("go"),
        assistant(call("functions.ls:0", "ls")),
        tool({ ...result("functions.ls:0", "x"), providerId: "functions_ls_0" }),
      ],
    },
    {
      title: "one side changes the word before the id, or its case",
      before: [user("go"), assistant(call("toolu_01Xy", "ls"), call("call_A7", "cat")), tool(result("call_a7", "y"), result("01Xy", "x"))],
      finds: 2,
      after: [
        user("go"),
        assistant(call("toolu_01Xy", "ls"), call("call_A7", "cat")),
        tool({ ...result("toolu_01Xy", "x"), providerId: "01Xy" }, { ...result("call_A7", "y"), providerId: "call_a7" }),
      ],
    },
    {
      title: "the counters of two tools are two ids",
      before: [user("go"), assistant(call("read_0", "read")), tool(result("grep_0", "x"))],
      finds: 0,
      after: [
        user("go"),
        assistant(call("read_0", "read")),
        tool(syntheticResult("read_0", "read", "interrupted")),
        user("[Result of a call that is no longer in the history (grep_0)]\nx"),
      ],
    },
    {
      title: "a counter that begins alike is another id",
      before: [user("go"), assistant(call("call_1", "ls")), tool(result("call_12", "x"))],
      finds: 0,
      after: [
        user("go"),
        assistant(call("call_1", "ls")),
        tool(syntheticResult("call_1", "ls", "interrupted")),
        user("[Result of a call that is no longer in the history (call_12)]\nx"),
      ],
    },
  ],
  "misplaced-result": [
    {
      title: "the user spoke while the tool ran",
      before: [user("go"), assistant(call("a", "ls")), user("and hurry"), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), user("and hurry")],
    },
    {
      title: "the result was written first",
      before: [user("go"), tool(result("a", "x")), assistant(call("a", "ls"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "one turn in two messages",
      before: [user("go"), assistant(call("a", "ls")), assistant(call("b", "cat")), tool(result("a", "x"), result("b", "y"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), assistant(call("b", "cat")), tool(result("b", "y"))],
    },
  ],
  "result-order": [
    {
      title: "the second tool was faster",
      before: [user("go"), assistant(call("a", "ls"), call("b", "cat")), tool(result("b", "y"), result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls"), call("b", "cat")), tool(result("a", "x"), result("b", "y"))],
    },
  ],
  "duplicate-result": [
    {
      title: "an identical copy is removed",
      before: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "a real result replaces a placeholder",
      before: [user("go"), assistant(call("a", "ls")), tool(syntheticResult("a", "ls", "interrupted")), tool(result("a", "x"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "x"))],
    },
    {
      title: "a different result is kept as text",
      before: [user("go"), assistant(call("a", "ls")), tool(result("a", "x")), tool(result("a", "y"))],
      finds: 1,
      after: [user("go"), assistant(call("a", "ls")), tool(result("a", "y")), user("[Another result of a call above (a)]\nx")],
    },
  ],
  "orphan-result": [
    {
      title: "the call was cut away",
      before: [user("go on"), tool(result("call_9", "12 files")), assistant("Twelve files.")],
      finds: 1,
      after: [user("go on"), user("[Result of a call that is no longer in the history (call_9)]\n12 files"), assistant("Twelve files.")],
    },
    {
      title: "removed when the policy asks for it",
      policies: { orphanResult: "drop" },
      before: [user("go on"), tool(result("call_9", "12 files")), assistant("Twelve files.")],
      finds: 1,
      after: [user("go on"), assistant("Twelve files.")],
    },
    {
      title: "an orphan among the results of another call does not displace them",
      before: [user("go"), assistant(call("a", "ls")), tool(result("ghost", "boo"), result("a", "x"))],
      finds: 1,
      after: [
        user("go"),
        assistant(call("a", "ls")),
        tool(result("a", "x")),
        user("[Result of a call that is no longer in the history (ghost)]\nboo"),
      ],
    },
    {
      title: "tool output never becomes a call or assistant text",
      before: [user("go"), assistant("I look.", { ...result("a", "x"), content: [callShaped] }), user("well?")],
      finds: 1,
      after: [
        user("go"),
        assistant("I look."),
        user("[Result of a call that is no longer in the history (a)]\n", '{"toolUse":{"name":"rm"}}'),
        user("well?"),
      ],
    },
  ],
  "stale-pending": [
    {
      title: "the user went on without approving",
      before: [user("clean up"), assistant(waiting), user("never mind")],
      finds: 1,
      after: [user("clean up"), assistant(waiting), tool(syntheticResult("a", "rm", "not-run")), user("never mind")],
    },
    {
      title: "it may wait at an open tip",
      tip: "open",
      before: [user("clean up"), assistant(waiting)],
      finds: 0,
      after: [user("clean up"), assistant(waiting)],
    },
  ],
  "unanswered-call": [
    {
      title: "the user went on",
      before: [user("run it"), assistant(call("a", "bash")), user("hello?")],
      finds: 1,
      after: [user("run it"), assistant(call("a", "bash")), tool(syntheticResult("a", "bash", "interrupted")), user("hello?")],
    },
    {
      title: "the model went on, so the result was lost",
      before: [user("run it"), assistant(call("a", "bash")), assistant("It works.")],
      finds: 1,
      after: [user("run it"), assistant(call("a", "bash")), tool(syntheticResult("a", "bash", "lost")), assistant("It works.")],
    },
    {
      title: "a finished sibling keeps its result",
      before: [user("both"), assistant(call("a", "ls"), call("b", "cat")), tool(result("a", "x")), user("stop")],
      finds: 1,
      after: [
        user("both"),
        assistant(call("a", "ls"), call("b", "cat")),
        tool(result("a", "x"), syntheticResult("b", "cat", "interrupted")),
        user("stop"),
      ],
    },
    {
      title: "the whole message is removed when the policy asks for it, and its answered calls leave no orphans",
      policies: { unansweredCall: "drop-message" },
      before: [user("both"), assistant(call("a", "ls"), call("b", "cat")), tool(result("a", "x")), user("stop")],
      finds: 1,
      after: [user("both"), user("stop")],
    },
    {
      title: "a call with two results leaves no orphan either",
      policies: { unansweredCall: "drop-message", duplicateResult: "keep-last" },
      before: [user("both"), assistant(call("a", "ls"), call("b", "cat")), tool(result("a", "x"), result("a", "y")), user("stop")],
      finds: 1,
      after: [user("both"), user("stop")],
    },
    {
      title: "reasoning goes with the call it led to",
      policies: { unansweredCall: "drop-call" },
      before: [user("go"), assistant({ ...thinking("ls will do", "c2ln"), tied: true }, call("a", "ls")), user("well?")],
      finds: 1,
      after: [user("go"), user("well?")],
    },
    {
      title: "no damage at an open tip",
      tip: "open",
      before: [user("run it"), assistant(call("a", "bash"))],
      finds: 0,
      after: [user("run it"), assistant(call("a", "bash"))],
    },
  ],
}
