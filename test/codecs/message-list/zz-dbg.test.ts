import { it } from "vitest"
import { dropUnansweredCalls, skipOrphanResults } from "/work/main/src/codecs/message-list/index.ts"
import { check, decode } from "/work/main/src/index.ts"
import { Choices, damageHistory, damages, generateHistory, idDamages } from "/work/main/src/testing/index.ts"
import { shapes } from "/work/main/test/codecs/message-list/wire-shapes.ts"
const show = (name: string, a: number[], b: number[]) => {
  const { write, format } = shapes.find((s) => s.name === name)!
  const d = damageHistory(generateHistory(new Choices(a)).messages, new Choices(b), { ...damages, ...idDamages })
  const messages = write(d.messages)
  console.log(d.done, "\n" + messages.map((m) => JSON.stringify(m)).join("\n"))
  const left1 = dropUnansweredCalls(messages, { debug: console.log })
  const left = skipOrphanResults(left1, { warn: console.log })
  console.log("LEFT\n" + left.map((m) => JSON.stringify(m)).join("\n"))
  console.log(check(decode(format!, left)).map((x) => x.rule + " " + JSON.stringify(x.place)))
}
it("x", () => {
  show("ai-sdk-model", [0,0,0,0,193428574,0,0,0],[197136552,0,0,922979445,0,0,0,0,0])
  show("bedrock-converse", [1801271374,0,0,0,649644543,0,0,302232527,148638037,0,0,0,0,0,0,0,0,557049788,0,0],[259260312,1792875290,0,1309474493,1266383455,1279206473,0,0,0,0,0,0,0])
})
