import { describe, expect, it } from "vitest"
import { openWebui } from "../../../src/sessions/open-webui/index.ts"
import { check, settle } from "../../../src/rules/index.ts"
import { isWire, type Wire } from "../../../src/model/index.ts"
import { chat, node } from "./chats.ts"

const repaired = (value: unknown): Wire => openWebui.encode(settle(openWebui.decode(value)).conversation)

const treeOf = (value: Wire): Wire => {
  const inner = isWire(value["chat"]) ? value["chat"] : value
  return (inner["history"] as { readonly messages: Wire }).messages
}

describe("a damaged chat", () => {
  it("whose messages lost their own ids is read by the ids of the tree, and keeps them all", () => {
    const value = chat([node("a", null, "user", "one"), node("b", "a", "assistant", "two"), node("c", "b", "user", 7)])
    const tree = treeOf(value) as Record<string, Wire>
    for (const id of ["a", "b"]) tree[id] = { ...tree[id], id: "REDACTED" }
    expect(openWebui.decode(value).messages).toHaveLength(3)
    expect(Object.keys(treeOf(repaired(value)))).toEqual(["a", "b", "c"])
  })

  it("is repaired for good where content could not be read", () => {
    const back = repaired(chat([node("a", null, "user", 7), node("b", "a", "assistant", { odd: true })]))
    expect(Object.values(treeOf(back)).map((each) => isWire(each) && each["content"])).toEqual(["7", '{"odd":true}'])
    expect(check(openWebui.decode(back)).filter(({ severity }) => severity === "error")).toEqual([])
  })
})
