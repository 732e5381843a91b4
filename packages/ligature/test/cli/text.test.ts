/** Text for terminals: lines are broken by columns, also in Chinese, which has no spaces. */
import { describe, expect, it } from "vitest"
import { cut, cutStart, widthOf, wrap } from "../../src/cli/frame/text.ts"

const chinese =
  "提供商拒绝没有结果的工具调用；Ligature 会修复（或转换）该历史，并报告“每一处改动”、原因，以及位置。使用 ligature check FILE 检查：没有损坏时，退出码为 0（否则为 1）。"

describe("wrap", () => {
  it("breaks between words, and never inside one", () => {
    expect(wrap("one two three", 7)).toEqual(["one two", "three"])
    expect(wrap("a longestword b", 5)).toEqual(["a", "longestword", "b"])
    expect(wrap("one\ntwo", 20)).toEqual(["one", "two"])
  })

  it("counts columns: a wide character has two", () => {
    expect(widthOf("工具 call")).toBe(9)
    expect(wrap("工具调用结果", 8)).toEqual(["工具调用", "结果"])
    expect(wrap("工具调用结果", 9)).toEqual(["工具调用", "结果"])
  })
  it("counts a picture of several code points once, with two columns", () => {
    for (const picture of ["✅", "👍🏽", "👨‍👩‍👧", "🇨🇳", "❤️", "🎉"]) expect([picture, widthOf(picture)]).toEqual([picture, 2])
    expect(widthOf("é e\u0301 ✓")).toBe(5)
    expect(cut("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toBe("👨‍👩‍👧👨‍👩‍👧…")
    expect(cutStart("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧", 5)).toBe("…👨‍👩‍👧👨‍👩‍👧")
  })

  it("keeps punctuation with its neighbour", () => {
    expect(wrap("工具调用。结果", 8)).toEqual(["工具调", "用。结果"])
    expect(wrap("工具调（用）", 8)).toEqual(["工具调", "（用）"])
  })

  it.each(Array.from({ length: 60 }, (_, index) => index + 20))("keeps to %i columns, with no punctuation on the wrong side", (width) => {
    const lines = wrap(chinese, width)
    for (const line of lines) {
      expect(widthOf(line), line).toBeLessThanOrEqual(width)
      expect(line).not.toMatch(/^[。，、；：）”]/)
      expect(line).not.toMatch(/[（“]$/)
    }
    expect(lines.join("").replaceAll(" ", "")).toBe(chinese.replaceAll(" ", ""))
  })
})
