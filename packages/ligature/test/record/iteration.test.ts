import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/convert/index.ts"
import { settle } from "../../src/rules/index.ts"
import { assistant, call, callsOf, type Message, outcomeKind, syntheticTexts, text, tool, user } from "../../src/model/index.ts"
import { type CallOutcome, Iteration } from "../../src/record/index.ts"
import { expectValid } from "../../src/testing/index.ts"

const message = assistant("both", call("a", "ls", { path: "." }), call("b", "cat", { path: "x" }))

const history = (messages: readonly Message[]) => ({ format: "ligature", messages: [user("go"), ...messages] })

/** The result of a lone call that ended like this. */
const landed = (outcome: CallOutcome) => new Iteration(assistant(call("a", "ls"))).land("a", outcome)

describe("an iteration", () => {
  it("commits the assistant message and the results in call order, however they land", () => {
    const iteration = new Iteration(message)
    expect(iteration.executable.map(({ id }) => id)).toEqual(["a", "b"])
    iteration.land("b", { kind: "done", output: "second" })
    expect([iteration.isAnswered, iteration.executable.map(({ id }) => id)]).toEqual([false, ["a"]])
    iteration.land("a", { kind: "done", output: "first" })
    expect(iteration.isAnswered).toBe(true)
    expect(iteration.commit()).toEqual({
      messages: [
        message,
        tool(
          { type: "result", callId: "a", name: "ls", content: [text("first")] },
          { type: "result", callId: "b", name: "cat", content: [text("second")] },
        ),
      ],
      pending: [],
    })
  })

  it("without calls is its message alone, and without anything nothing", () => {
    expect(new Iteration(assistant("hi")).commit()).toEqual({ messages: [assistant("hi")], pending: [] })
    expect(new Iteration(assistant()).commit()).toEqual({ messages: [], pending: [] })
  })

  it("writes texts as they are and objects as JSON, once", () => {
    expect(landed({ kind: "done", output: '{"a":"\\"b\\""}' })?.content).toEqual([text('{"a":"\\"b\\""}')])
    expect(landed({ kind: "done", output: { a: '"b"' } })).toMatchObject({ content: [text('{"a":"\\"b\\""}')], structured: true })
    expect(landed({ kind: "done", output: [1, null] })?.content).toEqual([text("[1,null]")])
    expect(landed({ kind: "done", output: 0 })?.content).toEqual([text("0")])
    expect(landed({ kind: "done", output: undefined })).toEqual({ type: "result", callId: "a", name: "ls", content: [] })
    expect(landed({ kind: "done", content: [text("x")] })?.content).toEqual([text("x")])
  })

  it("writes what JSON has no word for in words it has", () => {
    const node = { name: "a", next: [] as unknown[] }
    node.next.push(node, { name: "b" })
    const shared = { x: 1 }
    const output = { node, size: 2n ** 64n, seen: new Set(["x"]), ages: new Map([["x", 3]]), twice: [shared, shared] }
    const words = {
      node: { name: "a", next: ["[holds itself]", { name: "b" }] },
      size: "18446744073709551616",
      seen: ["x"],
      ages: { x: 3 },
      twice: [shared, shared],
    }
    expect(landed({ kind: "done", output })).toMatchObject({ content: [text(JSON.stringify(words))], structured: true })
    expect(landed({ kind: "done", output: 10n })?.content).toEqual([text("10")])
    expect(landed({ kind: "done", output: { a: Number.NaN, b: [-Infinity] } })?.content).toEqual([text('{"a":"NaN","b":["-Infinity"]}')])
  })

  it("keeps every pair of a map whose keys are no names, or would become alike", () => {
    const written = (...pairs: readonly (readonly [unknown, unknown])[]): unknown =>
      landed({ kind: "done", output: new Map(pairs) })?.content
    expect(written([1, "a"], [2, "b"])).toEqual([text('{"1":"a","2":"b"}')])
    expect(written([1, "a"], ["1", "b"])).toEqual([text('[[1,"a"],["1","b"]]')])
    expect(written([{ x: 1 }, "a"], [{ x: 2 }, "b"])).toEqual([text('[[{"x":1},"a"],[{"x":2},"b"]]')])
  })

  it("says what errors inside of an output say", async () => {
    const inner = Object.assign(new Error("ENOENT", { cause: new TypeError("no path") }), { code: 2 })
    const output = await Promise.allSettled([Promise.reject(inner), 1])
    const reason = { name: "Error", message: "ENOENT", cause: { name: "TypeError", message: "no path" }, code: 2 }
    const words = [
      { status: "rejected", reason },
      { status: "fulfilled", value: 1 },
    ]
    expect(landed({ kind: "done", output })?.content).toEqual([text(JSON.stringify(words))])
    const all = landed({ kind: "done", output: { error: new AggregateError([new Error("a")], "all") } })?.content
    expect(all).toEqual([text('{"error":{"name":"AggregateError","message":"all","errors":[{"name":"Error","message":"a"}]}}')])
  })

  it("says that a call ran whose output has no words", () => {
    const deep: unknown[] = []
    for (let inner = deep, depth = 0; depth < 200_000; depth++) inner.push((inner = []))
    const broken = {
      get size(): never {
        throw new Error("no words")
      },
    }
    const bare = Object.defineProperty(Object.create(null) as object, "x", {
      enumerable: true,
      get: () => {
        throw new Error("none")
      },
    })
    const outcomes = [deep, broken, bare].map((output) => landed({ kind: "done", output }))
    expect(outcomes.map((result) => result?.error)).toEqual([true, true, true])
    expect(outcomes[1]?.content).toEqual([text("The call ran, but its output cannot be written as JSON: no words")])
    for (const error of [undefined, "", bare]) {
      expect(landed({ kind: "failed", error })?.content).toEqual([text("The tool failed and did not say why.")])
    }
  })

  it("tells failure, unknown tool, bad arguments, denial, abort and timeout apart", () => {
    const kinds = (
      [
        { kind: "failed", error: new Error("ENOENT") },
        { kind: "unknown-tool", tools: ["cat"] },
        { kind: "bad-arguments", reason: "path is missing" },
        { kind: "denied", reason: "not in this folder" },
        { kind: "denied" },
        { kind: "aborted", started: false },
        { kind: "aborted", started: true },
        { kind: "timeout", timeoutMs: 500 },
      ] as const
    ).map((outcome) => {
      const result = landed(outcome)
      return [result && outcomeKind(result), result?.error, result?.content.map((block) => block.type === "text" && block.text).join()]
    })
    expect(kinds).toEqual([
      ["failed", true, "ENOENT"],
      ["not-run", true, 'There is no tool named "ls". The call was not run. Tools: cat.'],
      ["not-run", true, "The arguments of this call are not valid: path is missing. The call was not run."],
      ["not-run", true, "not in this folder"],
      ["not-run", true, "This call was denied. It was not run."],
      ["not-run", true, syntheticTexts["not-run"]],
      ["interrupted", true, syntheticTexts.interrupted],
      ["interrupted", true, "No result came within 500 ms. The call may have run in part or in full; its effect is unknown."],
    ])
  })

  it("answers a call that was cut without anybody running it", () => {
    const broken = { ...call("a", "write"), raw: '{"pa', fault: "unparsable" } as const
    const iteration = new Iteration(assistant(broken, call("b", "ls")))
    expect(iteration.executable.map(({ id }) => id)).toEqual(["b"])
    expect(iteration.land("a", { kind: "done", output: "ran anyway" })).toBe(undefined)
    iteration.land("b", { kind: "done", output: "x" })
    const [, results] = iteration.commit().messages
    expect(results?.blocks.map((block) => block.type === "result" && outcomeKind(block))).toEqual(["not-run", "done"])
    expectValid(history(iteration.commit().messages))
  })

  it("keeps the first outcome, unless nobody knew it", () => {
    const iteration = new Iteration(message)
    iteration.land("a", { kind: "done", output: "first" })
    expect(iteration.land("a", { kind: "failed", error: "late" })).toBe(undefined)
    iteration.land("b", { kind: "timeout", timeoutMs: 1 })
    expect(iteration.land("b", { kind: "done", output: "late but real" })?.content).toEqual([text("late but real")])
  })

  it("leaves what waits or runs pending at the tip, with finished results kept", () => {
    const iteration = new Iteration(message)
    iteration.land("a", { kind: "done", output: "x" })
    iteration.land("b", { kind: "pending", pending: "approval" })
    const { messages, pending } = iteration.commit()
    expect(pending.map(({ id, pending: why }) => [id, why])).toEqual([["b", "approval"]])
    const { conversation, report } = settle(history(messages), { tip: "open" })
    const exchange = conversation.items.at(-1)
    expect(report.entries).toEqual([])
    expect(exchange?.role === "exchange" && exchange.outcomes.map(({ kind }) => kind)).toEqual(["done", "pending"])
  })

  it("says what became of the rest when it is closed early", () => {
    const iteration = new Iteration(message)
    iteration.land("a", { kind: "done", output: "x" })
    const kinds = (rest: "interrupted" | "not-run"): readonly unknown[] =>
      iteration.commit({ rest }).messages[1]?.blocks.map((block) => block.type === "result" && outcomeKind(block)) ?? []
    expect(kinds("interrupted")).toEqual(["done", "interrupted"])
    expect(kinds("not-run")).toEqual(["done", "not-run"])
  })

  it("gives missing and doubled ids new ones, the same in every run", () => {
    const said = assistant(call("", "ls"), call("x", "ls", { n: 1 }), call("x", "ls", { n: 2 }), call("old", "ls"))
    const iteration = new Iteration(said, { prefix: "call_7", isTaken: (id) => id === "old" })
    expect(iteration.calls.map(({ id, providerId }) => [id, providerId])).toEqual([
      ["call_7_0", undefined],
      ["x", undefined],
      ["x__2", "x"],
      ["old__2", "old"],
    ])
    for (const { id } of iteration.calls) iteration.land(id, { kind: "done", output: id })
    const { conversation } = settle(history(iteration.commit().messages))
    const exchange = conversation.items.at(-1)
    if (exchange?.role !== "exchange") throw new Error("expected an exchange")
    expect(exchange.outcomes.map(({ result }) => result?.content)).toEqual(callsOf(exchange).map(({ id }) => [text(id)]))
  })

  it("marks ids that its format does not say", () => {
    expect(new Iteration(assistant(call("", "ls")), { ids: "optional" }).calls[0]).toMatchObject({ id: "call_0", assigned: true })
  })

  it("refuses an id it does not know", () => {
    expect(() => new Iteration(message).land("zzz", { kind: "done", output: "" })).toThrow('(a, b), got "zzz"')
  })

  it("is valid for every provider, whatever lands in whatever order", () => {
    const outcome: fc.Arbitrary<CallOutcome> = fc.oneof(
      fc.jsonValue().map((output) => ({ kind: "done", output }) as const),
      fc.string().map((error) => ({ kind: "failed", error }) as const),
      fc.constantFrom<CallOutcome>(
        { kind: "unknown-tool" },
        { kind: "bad-arguments" },
        { kind: "denied" },
        { kind: "aborted", started: true },
        { kind: "timeout", timeoutMs: 9 },
      ),
    )
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, fc.nat()), { minLength: 1, maxLength: 4 }), (drawn) => {
        const iteration = new Iteration(assistant("go", ...drawn.map((_, index) => call(`c${index}`, "ls", { index }))))
        const order = drawn.map(([, key], index) => [key, index] as const).sort(([left], [right]) => left - right)
        for (const [, index] of order) iteration.land(`c${index}`, drawn[index]?.[0] as CallOutcome)
        const { messages } = iteration.commit()
        expect(messages[1]?.blocks.map((block) => block.type === "result" && block.callId)).toEqual(drawn.map((_, index) => `c${index}`))
        expectValid(history(messages))
      }),
      { numRuns: 40 },
    )
  })

  it("says what to do with the message of an API, and with no message at all", () => {
    const wire = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "ls", input: {} }] }
    const made = (message: unknown) => () => new Iteration(message as Message)
    expect(made(wire)).toThrow("Expected a message with blocks, got an object with role, content. Read the message of an API first")
    expect(made(undefined)).toThrow("Expected a message with blocks, got undefined.")
    const [decoded] = decode("anthropic", [wire]).messages
    expect(new Iteration(decoded as Message).executable.map(({ name }) => name)).toEqual(["ls"])
  })
})
