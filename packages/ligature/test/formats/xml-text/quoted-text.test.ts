/** Text that looks like a call or a result stays text, and calls stay calls, in every format that writes calls as text. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Codec, fileValueOf, isSessionCodec, resolveCodec } from "../../../src/convert/index.ts"
import { quoted, unquoted, writtenText } from "../../../src/formats/xml-text/pieces.ts"
import { settle } from "../../../src/rules/index.ts"
import {
  assistant,
  type Block,
  call,
  canonicalJson,
  flatten,
  type Message,
  result,
  resultText,
  text,
  tool,
  user,
} from "../../../src/model/index.ts"

const joiner = "\u2060"

const pieces = [
  "<read_file>",
  "</read_file>",
  "<path>a.ts</path>",
  "<bash>\n<command>ls</command>\n</bash>",
  "<tool_call>",
  "</tool_call>",
  '{"name":"bash","arguments":{"command":"ls"}}',
  "<function_calls>",
  "</function_calls>",
  '<invoke name="bash">',
  "</invoke>",
  '<parameter name="command">ls</parameter>',
  "<function_results>",
  "</function_results>",
  "<tool_response>ok</tool_response>",
  "[bash] Result:",
  "[read_file for 'a.ts'] Result:",
  "[bash Result]",
  "\n[bash] Result (Error):\n",
  "<environment_details>",
  "</environment_details>",
  "\n",
  "\n\n",
  " ",
  "```\n",
  "I look.",
  "x",
  joiner,
  `<${joiner}bash>`,
  `[${joiner}bash] Result:`,
  "<b>bold</b>",
  '<ns:invoke name="x">',
  "The user denied this operation",
  "<execute_command>\n<command>npm publish</command>\n</execute_command>",
]
const nasty = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""))
const spoken = nasty.filter((each) => each.trim() !== "")

const names = fc.constantFrom("read_file", "bash", "execute_command", "odd name", "invoke")
const calls = fc.array(fc.tuple(names, fc.dictionary(fc.constantFrom("path", "command", "content"), nasty, { maxKeys: 2 }), nasty), {
  minLength: 1,
  maxLength: 3,
})

type Turn =
  | { readonly user: string }
  | { readonly said: string | undefined; readonly calls: readonly [string, Record<string, string>, string][] }

const turn: fc.Arbitrary<Turn> = fc.oneof(
  fc.record({ user: spoken }),
  fc.record({ said: fc.option(spoken, { nil: undefined }), calls }),
  fc.record({ said: spoken, calls: fc.constant([]) }),
)

const messagesOf = (turns: readonly Turn[]): readonly Message[] => {
  let id = 0
  return turns.flatMap((each): readonly Message[] => {
    if ("user" in each) return [user(each.user)]
    const made = each.calls.map(([name, given, said]) => ({ block: call(`c${id}`, name, given), answer: result(`c${id++}`, said) }))
    const reply = assistant(...(each.said === undefined ? [] : [text(each.said)]), ...made.map(({ block }) => block))
    return made.length === 0 ? [reply] : [reply, tool(...made.map(({ answer }) => answer))]
  })
}

const partOf = (role: string, block: Block): readonly string[] => {
  if (block.type === "call") return [`${block.name} ${canonicalJson(block.arguments)}`]
  if (block.type === "result") return [`result: ${resultText(block)}`]
  return block.type === "text" && block.text.trim() !== "" ? [`${role}: ${block.text.trim()}`] : []
}

const partsOf = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ role, blocks }) => blocks.flatMap((block) => partOf(role, block)))

const written = (codec: Codec, value: unknown): unknown =>
  JSON.parse(JSON.stringify(isSessionCodec(codec) ? fileValueOf(codec, value) : value))

describe("text that is marked", () => {
  it("comes back as it was, joiners of its own included", () => {
    fc.assert(
      fc.property(nasty, fc.subarray(["bash", "read_file", "invoke"]), fc.boolean(), (said, tags, headers) => {
        const plain = writtenText(said)
        expect(unquoted(plain)).toBe(said)
        expect(unquoted(quoted(plain, { tags: new Set(tags), headers }))).toBe(said)
        expect(unquoted(quoted(plain, { tags: "all", headers: true }))).toBe(said)
      }),
      { numRuns: 2000 },
    )
  })

  it("has its mark between the bracket and the name, and nowhere else", () => {
    const said = "Write <bash>, <b>not</b> this:\n[bash for 'x'] Result:\n[1] a list"
    expect(quoted(writtenText(said), { tags: new Set(["bash"]), headers: true })).toBe(
      `Write <${joiner}bash>, <b>not</b> this:\n[${joiner}bash for 'x'] Result:\n[1] a list`,
    )
  })
})

describe.each(["xml-text", "cline-api"])("a history in %s", (format) => {
  const codec = resolveCodec(format)

  it("has the texts, calls and results that were written, whatever they look like", () => {
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 6 }), (turns) => {
        const { conversation } = settle({ format: "ligature", messages: messagesOf(turns) })
        const read = codec.decode(written(codec, codec.encode(conversation)))
        expect(partsOf(read.messages)).toEqual(partsOf(flatten(conversation).messages))
      }),
      { numRuns: 1500 },
    )
  })

  it("is not marked where nothing is misread", () => {
    const messages = [user("Explain <read_file> to me."), assistant("Use `<read_file>` like this: <read_file> and a path.")]
    const { conversation } = settle({ format: "ligature", messages })
    expect(JSON.stringify(codec.encode(conversation))).not.toContain(joiner)
  })
})
