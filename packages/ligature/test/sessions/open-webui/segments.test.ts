import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { splitContent } from "../../../src/sessions/open-webui/segments.ts"
import { card, openCard, reasoning } from "./chats.ts"

const kinds = (content: string) => splitContent(content).map(({ kind }) => kind)

const fence = "```"

describe("cards in content", () => {
  it("are cut out with the text between them, and nothing is lost", () => {
    const cards = `${card("1", "f", "{}", "one")}${card("2", "g", "{}", "two")}`
    const content = `\n${reasoning("hm")}I look.\n${cards}\nDone.\n${openCard("3", "h", "{}")}`
    expect(kinds(content)).toEqual(["reasoning", "text", "tool_calls", "tool_calls", "text", "tool_calls"])
    expect(
      splitContent(content)
        .map(({ source }) => source)
        .join(""),
    ).toBe(content)
    expect(splitContent(content)[2]?.attributes).toEqual({
      __proto__: null,
      type: "tool_calls",
      done: "true",
      id: "1",
      name: "f",
      arguments: '"{}"',
      result: '"one"',
      files: "",
      embeds: "",
    })
  })

  it.each([
    ["a fence", `see:\n${fence}html\n${card("1", "f", "{}", "x")}${fence}\nok`],
    ["a fence of tildes inside of which a shorter one ends", `~~~~\n~~~\n${card("1", "f", "{}", "x")}~~~~\n`],
    ["an indented fence", `  ${fence}\n${card("1", "f", "{}", "x")}  ${fence}`],
    ["the middle of a line", `write ${card("1", "f", "{}", "x").trim()}`],
    ["a quotation", `> ${card("1", "f", "{}", "x").replaceAll("\n", "\n> ")}`],
    ["inline code", `\`${card("1", "f", "{}", "x").replaceAll("\n", " ")}\``],
    ["another kind of details", `<details>\n<summary>more</summary>\n${"text"}\n</details>`],
    ["a card that breaks off in an attribute", `hi\n<details type="tool_calls" done="true" id="1" name="f" arguments="&quot;{`],
    ["a card that has no end", `hi\n<details type="tool_calls" done="true" id="1" name="f">\n<summary>`],
  ])("are not found in %s", (_, content) => {
    expect(kinds(content)).toEqual(["text"])
    expect(splitContent(content)[0]?.source).toBe(content)
  })

  it("are found after a closed fence, and after one that is never closed", () => {
    expect(kinds(`${fence}\ncode\n${fence}\n${card("1", "f", "{}", "x")}`)).toEqual(["text", "tool_calls"])
    expect(kinds(`${fence}python\nbroken off\n${card("1", "f", "{}", "x")}`)).toEqual(["text", "tool_calls"])
  })

  it("hold any text in their attributes, in either kind of quotes", () => {
    const wild = `</details>\n${fence}\n"quoted" 'single' & <b>`
    expect(JSON.parse(splitContent(card("1", "f", wild, wild))[0]?.attributes["result"] ?? "")).toBe(wild)
    const single = `<details type="tool_calls" done="true" id='1' name='f' arguments='{"a":"it&apos;s"}'>\n</details>`
    expect(splitContent(single)[0]?.attributes["arguments"]).toBe(`{"a":"it's"}`)
  })

  it("never lose a character, whatever the text", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "\n",
        fence,
        "~~~",
        "<details",
        '<details type="tool_calls"',
        ">",
        "</details>",
        " ",
        '"',
        card("1", "f", "{}", "x"),
        reasoning("x"),
      ),
      fc.string(),
    )
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const content = pieces.join("")
        expect(
          splitContent(content)
            .map(({ source }) => source)
            .join(""),
        ).toBe(content)
      }),
      { numRuns: 500 },
    )
  })

  it("are cut also where nothing ends, however much there is", () => {
    const count = 32_000
    const texts = [
      `<details type="tool_calls" a="\n`.repeat(count),
      `<details type="reasoning">\n`.repeat(count),
      `${fence}\n~~~\n`.repeat(count),
    ]
    for (const each of texts) expect(splitContent(each).length).toBeGreaterThan(0)
  })
})
