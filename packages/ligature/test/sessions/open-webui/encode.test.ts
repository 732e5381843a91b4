import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openWebui } from "../../../src/sessions/open-webui/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { type Conversation, flatten, syntheticTexts, transcript, type Wire } from "../../../src/model/index.ts"
import { Choices, damageHistory, generateHistory } from "../../../src/testing/index.ts"
import { countBlocks } from "../pi/corpus.ts"
import { briefOf, card, chat, node, openCard, oslo, output, returned, said } from "./chats.ts"

const { decode, encode } = openWebui

const repair = (value: unknown) => encode(settle(decode(value)).conversation)

const inside = (value: Wire) => value["chat"] as Wire

const nodesOf = (value: Wire) => (inside(value)["history"] as Wire)["messages"] as Readonly<Record<string, Wire>>

const linkOf = ({ id, parentId, childrenIds }: Wire): string =>
  `${String(parentId)}<${String(id)}[${(childrenIds as readonly string[]).join()}]`

const links = (value: Wire) => Object.values(nodesOf(value)).map(linkOf)

describe("writing back", () => {
  it("answers an open card in its place and leaves every other character", () => {
    const content = `I look.\n${card("1", "f", "{}", "one")}${openCard("2", "g", oslo)}Well.`
    const value = chat([node("u1", null, "user", "go"), node("a1", "u1", "assistant", content), node("u2", "a1", "user", "so?")])
    const back = repair(value)
    const expected = `I look.\n${card("1", "f", "{}", "one")}${card("2", "g", oslo, syntheticTexts.lost)}Well.`
    expect(nodesOf(back)["a1"]).toEqual({ ...nodesOf(value)["a1"], content: expected })
    expect(nodesOf(back)["u2"]).toBe(nodesOf(value)["u2"])
    expect((inside(back)["messages"] as readonly Wire[])[1]).toBe(nodesOf(back)["a1"])
    expect((inside(back)["messages"] as readonly Wire[])[2]).toBe((inside(value)["messages"] as readonly Wire[])[2])
    expect(links(back)).toEqual(links(value))
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("answers an open call among the items of its message, round by round", () => {
    const open = output.filter((item) => !("call_id" in item && item["call_id"] === "c2" && item.type === "function_call_output"))
    const value = chat([
      node("u1", null, "user", "go"),
      node("a1", "u1", "assistant", "", { output: open }),
      node("u2", "a1", "user", "so?"),
    ])
    const back = repair(value)
    const items = nodesOf(back)["a1"]?.["output"] as readonly Wire[]
    const invented = items[5]
    expect(items.map((item) => open.indexOf(item as never))).toEqual([0, 1, 2, 3, 4, -1, 5, 6, 7, 8, 9])
    expect(invented).toEqual({
      type: "function_call_output",
      id: expect.stringMatching(/^fco_[0-9a-f]{24}$/) as string,
      status: "completed",
      call_id: "c2",
      output: [{ type: "input_text", text: syntheticTexts.lost }],
    })
    expect(check(decode(back))).toEqual([])
    expect(repair(back)).toBe(back)
  })

  it("hangs a new message between its neighbours, in the tree and in the copy of the path", () => {
    const stray = [returned("gone", "left over"), said("I see.")]
    const value = chat([
      node("u1", null, "user", "go"),
      node("a1", "u1", "assistant", "", { output: stray }),
      node("u2", "a1", "user", "so?"),
    ])
    const back = repair(value)
    const created = Object.keys(nodesOf(back)).filter((id) => !(id in nodesOf(value)))
    expect(created).toHaveLength(1)
    expect(links(back)).toEqual([`null<u1[${created[0]}]`, `u1<${created[0]}[a1]`, `${created[0]}<a1[u2]`, "a1<u2[]"])
    expect((inside(back)["messages"] as readonly Wire[]).map(({ id }) => id)).toEqual(["u1", created[0], "a1", "u2"])
    expect(nodesOf(back)[created[0] ?? ""]).toMatchObject({ role: "user" })
    expect(check(decode(back))).toEqual([])
  })

  it("closes the tree around a message that is left out, other branches included", () => {
    const value = chat([
      node("u1", null, "user", "go"),
      node("a1", "u1", "assistant", "ok"),
      node("u2", "a1", "user", " \n"),
      node("x", "u2", "assistant", "other"),
      node("a2", "u2", "assistant", "end"),
    ])
    const back = repair(value)
    expect(links(back)).toEqual(["null<u1[a1]", "u1<a1[x,a2]", "a1<x[]", "a1<a2[]"])
    expect((inside(back)["messages"] as readonly Wire[]).map(({ id }) => id)).toEqual(["u1", "a1", "a2"])
    const tail = chat([node("u1", null, "user", "go"), node("a1", "u1", "assistant", "ok"), node("u2", "a1", "user", " ")])
    expect((inside(repair(tail))["history"] as Wire)["currentId"]).toBe("a1")
  })

  it("gives an export back as an export", () => {
    const value = [
      chat([node("u1", null, "user", "go"), node("a1", "u1", "assistant", openCard("1", "f", "{}")), node("u2", "a1", "user", "x")]),
      chat([]),
    ]
    const back = repair(value) as unknown as readonly Wire[]
    expect(back).toHaveLength(2)
    expect(back[1]).toBe(value[1])
    expect(check(decode([back[0]]))).toEqual([])
  })
})

const gist = (conversation: Conversation) => briefOf(flatten(conversation).messages).join("\n")

describe("a new chat", () => {
  it("reads back as the same conversation for every generated history, damaged or not", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 120 }), (numbers) => {
        const choices = new Choices(numbers)
        const { messages } = damageHistory(generateHistory(choices).messages, choices)
        const { conversation } = settle(transcript(...messages))
        const file = JSON.parse(JSON.stringify(encode(conversation))) as Wire
        const read = decode(file)
        expect(check(read)).toEqual([])
        const words = (each: Conversation) =>
          gist(each)
            .replaceAll(/^(user|system|tool|assistant): /gm, "")
            .replaceAll(/\s+/g, " ")
        expect(words(settle(read).conversation)).toBe(words(conversation))
        expect(repair(file)).toBe(file)
        expect(openWebui.session.recognise({ syntax: "value", records: [file] })?.certainty).toBe("certain")
      }),
      { numRuns: 150 },
    )
  })

  it("repairs cards of every generated history", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.boolean(), fc.string())), (parts) => {
        const content = parts
          .map(([isCard, isDone, words], index) =>
            isCard
              ? isDone
                ? card(`call-${index}`, "f", "{}", words)
                : openCard(`call-${index}`, "f", oslo)
              : `${words.replaceAll("<", "")}.\n`,
          )
          .join("")
        const value = chat([node("u1", null, "user", "go"), node("a1", "u1", "assistant", content), node("u2", "a1", "user", "x")])
        const back = repair(value)
        expect(check(decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
        expect(countBlocks(decode(back).messages, "call")).toBe(countBlocks(decode(value).messages, "call"))
        expect(countBlocks(decode(back).messages, "result")).toBe(countBlocks(decode(back).messages, "call"))
      }),
      { numRuns: 150 },
    )
  })
})
