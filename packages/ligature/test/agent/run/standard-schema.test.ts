/** Tools whose parameters are a Standard Schema: validated arguments, issues for the model, and what providers are told. */
import { describe, expect, it } from "vitest"
import { declareTools, defineTool, LoopError, run, type StandardResult, type StandardSchema } from "../../../src/agent/index.ts"
import { apis, startAgent } from "./agent.ts"

interface Given {
  readonly day: Date
}

const text = { type: "object", properties: { day: { type: "string" } }, required: ["day"] } as const

const validateDay = (value: unknown): StandardResult<Given> => {
  const { day } = value as { readonly day?: unknown }
  const date = new Date(String(day))
  if (!Number.isNaN(date.getTime())) return { value: { day: date } }
  return { issues: [{ message: "Expected a date", path: [{ key: "day" }] }, { message: "Try again" }] }
}

type Schema = StandardSchema<{ readonly day: string }, Given>
type Parts = Partial<Schema["~standard"]>

const schemaOf = (parts: Parts = {}): Schema => ({
  "~standard": { version: 1, vendor: "test", validate: validateDay, jsonSchema: { input: () => ({ $schema: "…", ...text }) }, ...parts },
})

/** A schema that is a function, as some libraries have it. */
const callable: Schema = Object.assign(() => undefined, schemaOf())

const calls = (day: string) => [{ calls: [{ name: "plan", arguments: { day } }] }, { text: "Done." }]

describe("a tool with a Standard Schema", () => {
  it.each([
    ["an object", schemaOf()],
    ["a function", callable],
    ["one that validates later", schemaOf({ validate: async (value) => validateDay(value) })],
  ])("receives what the schema made of the arguments: %s", async (_, parameters) => {
    const seen: unknown[] = []
    const plan = defineTool({
      name: "plan",
      parameters,
      check: ({ day }) => void seen.push(day.getUTCFullYear()),
      approval: ({ day }) => seen.push(day.getUTCMonth()) === 0,
      run: ({ day }) => `${day.getUTCDate()}.`,
    })
    const agent = await startAgent("anthropic", { script: calls("2024-02-03"), tools: [plan] })
    expect((await agent.run({ prompt: "go" })).text).toBe("Done.")
    expect(seen).toEqual([2024, 1])
    expect((await agent.told()).slice(1, 3)).toEqual(['assistant: plan({"day":"2024-02-03"})', "plan: done 3."])
  })

  it.each([
    ["at once", schemaOf()],
    ["later", schemaOf({ validate: async (value) => validateDay(value) })],
  ])("does not run on arguments that do not fit, and the model is told why: %s", async (_, parameters) => {
    let ran = 0
    const plan = defineTool({ name: "plan", parameters, run: () => ++ran })
    const agent = await startAgent("openai-chat", { script: calls("never"), tools: [plan] })
    expect((await agent.run({ prompt: "go" })).text).toBe("Done.")
    expect(ran).toBe(0)
    expect((await agent.told())[2]).toContain("day: Expected a date; arguments: Try again")
  })

  it.each<[string, Parts]>([
    [
      "throws",
      {
        validate: () => {
          throw new Error("broken schema")
        },
      },
    ],
    ["rejects", { validate: () => Promise.reject(new Error("broken schema")) }],
  ])("does not run when its validation %s", async (_, parts) => {
    const plan = defineTool({ name: "plan", parameters: schemaOf(parts), run: () => expect.unreachable("it ran") })
    const agent = await startAgent("anthropic", { script: calls("2024-02-03"), tools: [plan] })
    expect((await agent.run({ prompt: "go" })).text).toBe("Done.")
    expect((await agent.told())[2]).toContain("broken schema")
  })

  it("keeps the arguments in the history as the model gave them, whatever the schema does to them", async () => {
    const validate: Parts["validate"] = (value) => {
      ;(value as { day: string }).day = "changed"
      return { value: { day: new Date(0) } }
    }
    const plan = defineTool({ name: "plan", parameters: schemaOf({ validate }), run: () => "ok" })
    const agent = await startAgent("anthropic", { script: calls("2024-02-03"), tools: [plan] })
    await agent.run({ prompt: "go" })
    expect((await agent.told())[1]).toBe('assistant: plan({"day":"2024-02-03"})')
  })

  it("is not run when the run is aborted while its arguments are validated", async () => {
    const stop = new AbortController()
    const validate: Parts["validate"] = () => {
      stop.abort()
      return new Promise(() => {})
    }
    const plan = defineTool({ name: "plan", parameters: schemaOf({ validate }), run: () => expect.unreachable("it ran") })
    const agent = await startAgent("anthropic", { script: calls("2024-02-03"), tools: [plan] })
    expect((await agent.run({ prompt: "go", signal: stop.signal })).stop).toBe("aborted")
    expect((await agent.told())[2]).toContain("plan: not-run")
  })
})

describe("what providers are told of a Standard Schema", () => {
  it.each(apis)("is the JSON Schema of its library: %s", async (api) => {
    const agent = await startAgent(api, { tools: [defineTool({ name: "plan", parameters: schemaOf(), run: () => "" })] })
    expect((await agent.run({ prompt: "go" })).stop).toBe("done")
    const sent = JSON.stringify(agent.provider.requests[0]?.body)
    expect(sent).toContain(JSON.stringify(text))
    expect(sent).not.toContain("$schema")
  })

  it("is the jsonSchema of the tool, where there is one", () => {
    const own = { type: "object", properties: { day: { type: "string", description: "ISO 8601" } } }
    for (const parameters of [schemaOf(), { "~standard": { version: 1, vendor: "test", validate: validateDay } } as const]) {
      const tool = defineTool({ name: "plan", parameters, jsonSchema: own, run: () => "" })
      expect(declareTools("anthropic", [tool])).toEqual({ tools: [{ name: "plan", input_schema: own }] })
    }
  })

  it.each<[string, Parts]>([
    ["offers none", { jsonSchema: undefined }],
    [
      "cannot write it",
      {
        jsonSchema: {
          input: () => {
            throw new Error("dates are not supported")
          },
        },
      },
    ],
    ["writes something else", { jsonSchema: { input: () => [] } }],
  ])("is missing where the library %s: the run rejects before anything is done, and says what to pass", async (_, parts) => {
    const { model, store, provider } = await startAgent("anthropic")
    const tools = [defineTool({ name: "plan", parameters: schemaOf(parts), run: () => "" })]
    const error: unknown = await run({ model, store, prompt: "go", tools }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: "LigatureError", code: "bad-option" })
    expect(error).not.toBeInstanceOf(LoopError)
    expect(String(error)).toContain("pass the JSON Schema of the arguments as jsonSchema")
    expect(provider.requests).toEqual([])
  })

  it("is not asked of a schema of another version", async () => {
    const { model, store } = await startAgent("anthropic")
    const tools = [defineTool({ name: "plan", parameters: schemaOf({ version: 2 as 1 }), run: () => "" })]
    await expect(run({ model, store, prompt: "go", tools })).rejects.toThrow("Standard Schema version 1")
  })
})
