import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { openWebui } from "../../../src/sessions/open-webui/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { called, card, chat, node, openCard, returned, said, thought } from "./chats.ts"

const repair = (value: unknown) => openWebui.encode(settle(openWebui.decode(value)).conversation)

const errorsOf = (value: unknown) => check(openWebui.decode(value)).filter(({ severity }) => severity === "error")

const id = fc.constantFrom("c1", "c2", "c3", "")

const item = fc.oneof(
  fc.constantFrom("", " ", "words", "more words").map((words) => said(words)),
  fc.constantFrom("", "hm").map(thought),
  id.map((each) => called(each, "f", "{}")),
  id.map((each) => called(each, "f", '{"cut')),
  id.map((each) => returned(each, `result of ${each}`)),
  fc.constant({ type: "web_search_call", id: "ws" }),
)

const piece = fc.oneof(
  fc.constantFrom("words\n", "more words.", "\n\n", "```\ncode\n```\n"),
  id.map((each) => card(each, "f", "{}", `result of ${each}`)),
  id.map((each) => openCard(each, "f", "{}")),
)

/** A chat whose second and fourth messages hold these. */
const around = (first: object, second: object) =>
  chat([
    node("u1", null, "user", "go"),
    { ...node("a1", "u1", "assistant", ""), ...first },
    node("u2", "a1", "user", "on"),
    { ...node("a2", "u2", "assistant", ""), ...second },
    node("u3", "a2", "user", "end"),
  ])

describe("damaged chats", () => {
  it.each([
    ["items", fc.array(item, { maxLength: 8 }).map((output): object => ({ output }))],
    ["cards", fc.array(piece, { maxLength: 6 }).map((pieces): object => ({ content: pieces.join("") }))],
  ])("with %s in any order are repaired for good", (_, message) => {
    fc.assert(
      fc.property(message, message, (first, second) => {
        const value = around(first, second)
        const before = JSON.stringify(value)
        const back = repair(value)
        expect(JSON.stringify(value)).toBe(before)
        expect(errorsOf(back)).toEqual([])
        expect(repair(back)).toEqual(back)
      }),
      { numRuns: 300 },
    )
  })
})
