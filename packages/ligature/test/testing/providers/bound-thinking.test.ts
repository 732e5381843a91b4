import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type FakeProvider, startFakeProvider } from "../../../src/testing/providers/index.ts"

type Block = Readonly<Record<string, unknown>>
interface Message {
  readonly role: string
  readonly content: string | readonly Block[]
}
interface Body {
  readonly system?: unknown
  readonly tools?: readonly unknown[]
  readonly thinking?: unknown
  readonly messages: readonly Message[]
}

const bound = (place: string): string =>
  `${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove ` +
  'the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'

let provider: FakeProvider
/** Three exchanges, each with thinking, as the server itself answered them. */
let body: Body

async function send(request: Body): Promise<readonly Block[]> {
  const response = await fetch(`${provider.url}/v1/messages`, { method: "POST", body: JSON.stringify(request) })
  const reply = (await response.json()) as { content?: readonly Block[] }
  return reply.content ?? []
}

async function verdictOn(request: Body): Promise<unknown> {
  await send(request)
  return provider.requests.at(-1)?.verdict
}

function withMessages(change: (messages: Message[]) => void): Body {
  const messages = structuredClone(body.messages) as Message[]
  change(messages)
  return { ...body, messages }
}

function withoutThinking(...places: readonly number[]): Body {
  return {
    ...body,
    messages: body.messages.map((message, index) =>
      places.includes(index) && typeof message.content !== "string"
        ? { ...message, content: message.content.filter((block) => block["type"] !== "thinking") }
        : message,
    ),
  }
}

beforeAll(async () => {
  let turn = 0
  provider = await startFakeProvider({
    api: "anthropic",
    bindThinking: true,
    script: () => {
      turn += 1
      return { thinking: `thought ${turn}`, text: `answer ${turn}` }
    },
  })
  body = { system: "be brief", tools: [{ name: "ls", input_schema: {} }], messages: [] }
  for (const question of ["one", "two", "three"]) {
    const asked = { ...body, messages: [...body.messages, { role: "user", content: question }] }
    body = { ...asked, messages: [...asked.messages, { role: "assistant", content: await send(asked) }] }
  }
  body = { ...body, messages: [...body.messages, { role: "user", content: "four" }] }
})

afterAll(() => provider.close())

describe("bound thinking", () => {
  it("survives an unchanged history, cache marks and a deferred tool", async () => {
    expect(await verdictOn(body)).toEqual({ ok: true })
    expect(
      await verdictOn({
        ...withMessages((messages) => {
          messages[0] = { role: "user", content: [{ type: "text", text: "one", cache_control: { type: "ephemeral" } }] }
        }),
        tools: [...(body.tools ?? []), { name: "cat", defer_loading: true }],
      }),
    ).toEqual({ ok: true })
  })

  it("survives removal from the start, to the end, and of everything", async () => {
    expect(await verdictOn(withoutThinking(1))).toEqual({ ok: true })
    expect(await verdictOn(withoutThinking(1, 3))).toEqual({ ok: true })
    expect(await verdictOn(withoutThinking(3, 5))).toEqual({ ok: true })
    expect(await verdictOn(withoutThinking(1, 3, 5))).toEqual({ ok: true })
  })

  it("does not survive a gap in the middle", async () => {
    expect(await verdictOn(withoutThinking(3))).toMatchObject({
      ok: false,
      rule: "anthropic-thinking-gap",
      message: bound("messages.5.content.0"),
    })
  })

  it("does not survive an edit, a changed system prompt or a changed tool", async () => {
    const edited = withMessages((messages) => {
      messages[2] = { role: "user", content: "two, shortened" }
    })
    const broken = { ok: false, rule: "anthropic-thinking-prefix-bound" }
    expect(await verdictOn(edited)).toMatchObject({ ...broken, message: bound("messages.3.content.0") })
    const first = { ...broken, message: bound("messages.1.content.0") }
    expect(await verdictOn({ ...body, system: "be long" })).toMatchObject(first)
    expect(await verdictOn({ ...body, tools: [] })).toMatchObject(first)
  })

  it("does not survive a message that is split in two", async () => {
    const split = withMessages((messages) => {
      messages.splice(2, 1, { role: "user", content: "t" }, { role: "user", content: "wo" })
    })
    expect(await verdictOn(split)).toMatchObject({ ok: false, rule: "anthropic-thinking-prefix-bound" })
  })

  it("does not survive being put back after it was left out", async () => {
    const stripped = withoutThinking(1, 3, 5)
    const reply = await send(stripped)
    const tail = [
      { role: "assistant", content: reply },
      { role: "user", content: "five" },
    ]
    expect(await verdictOn({ ...stripped, messages: [...stripped.messages, ...tail] })).toEqual({ ok: true })
    expect(await verdictOn({ ...body, messages: [...body.messages, ...tail] })).toMatchObject({
      ok: false,
      rule: "anthropic-thinking-gap",
      message: bound("messages.7.content.0"),
    })
  })

  it("is dropped instead of refused when the request says so", async () => {
    const thinking = { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } }
    expect(await verdictOn({ ...withoutThinking(3), system: "be long", thinking })).toEqual({ ok: true })
  })

  it("cannot be modified or invented", async () => {
    const change = (place: number, fields: Block): Body =>
      withMessages((messages) => {
        const message = messages[place]
        if (message === undefined || typeof message.content === "string") return
        const content = message.content.map((block, index) => (index === 0 ? { ...block, ...fields } : block))
        messages[place] = { ...message, content }
      })
    expect(await verdictOn(change(5, { thinking: "other" }))).toMatchObject({
      ok: false,
      rule: "anthropic-thinking-modified",
      message:
        "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message " +
        "cannot be modified. These blocks must remain as they were in the original response.",
    })
    expect(await verdictOn(change(1, { signature: "EqForeign" }))).toMatchObject({
      ok: false,
      rule: "anthropic-thinking-signature-invalid",
      message: "messages.1.content.0: Invalid `signature` in `thinking` block",
    })
  })
})
