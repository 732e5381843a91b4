/** Conversations that started others: `ligature log create --parent`, `list` and `show` name both sides. */
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { jsonlStore } from "../../../src/store/index.ts"
import { store } from "./stage.ts"

describe("a conversation that was started by another", () => {
  it("is named by its parent, and names it", async () => {
    const { log, json } = store()
    await log("create", "--id", "main", "--title", "Main")
    await log("create", "--id", "scout", "--title", "Look around", "--parent", "main")
    await log("create", "--id", "tester", "--parent", "main")
    const listed = (await log("list")).stdout
    expect(listed).toMatch(/^main .*Main {2}\(started 2 conversations\)$/m)
    expect(listed).toMatch(/^scout .*Look around {2}\(started by main\)$/m)
    expect((await json("list")) as object).toMatchObject({
      conversations: expect.arrayContaining([
        expect.objectContaining({ id: "main", children: expect.arrayContaining(["scout", "tester"]) }),
        expect.objectContaining({ id: "scout", parent: { conversation: "main" } }),
      ]),
    })
    expect((await log("show", "main")).stdout).toContain("  started scout  Look around\n")
    expect((await log("show", "scout")).stdout).toContain(" · started by main\n")
    expect(await json("show", "main")).toMatchObject({
      children: expect.arrayContaining([{ conversation: "scout", title: "Look around" }, { conversation: "tester" }]),
    })
    expect(await json("show", "scout")).toMatchObject({ record: { parent: { conversation: "main" } }, children: [] })
  })

  it("is listed by its parent, and its call is shown", async () => {
    const { cwd, log, json } = store()
    const writer = jsonlStore({ folder: join(cwd, "conversations") })
    await writer.create({ id: "main" })
    await writer.create({ id: "sub", parent: { conversation: "main", call: "call_7" } })
    await writer.close()
    expect(await json("list", "--parent", "main")).toMatchObject({ conversations: [{ id: "sub" }] })
    expect((await log("list", "--parent", "sub")).stderr).toContain("No conversations started by sub in ")
    expect((await log("show", "main")).stdout).toContain("  started sub (call call_7)\n")
    expect((await log("show", "sub")).stdout).toContain("started by main (call call_7)")
    expect(await json("show", "main")).toMatchObject({ children: [{ conversation: "sub", call: "call_7" }] })
  })

  it("is shown in part where there are many, with the way to the others", async () => {
    const { cwd, log } = store()
    const writer = jsonlStore({ folder: join(cwd, "conversations") })
    await writer.create({ id: "main" })
    for (let index = 0; index < 13; index++) await writer.create({ id: `sub${index}`, parent: { conversation: "main" } })
    await writer.close()
    const { stdout } = await log("show", "main")
    expect(stdout.match(/^ {2}started sub/gm)).toHaveLength(10)
    expect(stdout).toContain("… and 3 more conversations it started: ligature log list --parent main\n")
  })
})
