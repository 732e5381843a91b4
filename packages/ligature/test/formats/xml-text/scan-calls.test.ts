import { describe, expect, it } from "vitest"
import { type CallSegment, scanCalls, type ScanCallsOptions } from "../../../src/formats/xml-text/scan/scan-calls.ts"

const tools = ["read_file", "write_to_file", "execute_command", "list_tools"]

const calls = (text: string, options: ScanCallsOptions = { tools }): readonly CallSegment[] => {
  const segments = scanCalls(text, options)
  expect(segments.map((segment) => text.slice(segment.start, segment.end)).join("")).toBe(text)
  return segments.flatMap((segment) => (segment.kind === "call" ? segment : []))
}

const found = (text: string, options?: ScanCallsOptions) =>
  calls(text, options).map((call) => ({ name: call.name, arguments: call.arguments }))

const write = (content: string): string => `<write_to_file>\n<path>a.tsx</path>\n<content>\n${content}\n</content>\n</write_to_file>`
const written = (content: string) => [{ name: "write_to_file", arguments: { path: "a.tsx", content } }]
const read = (path: string) => ({ name: "read_file", arguments: { path } })

describe("values of a tag call survive", () => {
  it.each([
    ["JSX", 'return <Foo bar={x < 3 ? <b>yes</b> : <br/>} onClick={() => go("</p>")}>\n  <path d="M0 0"/>\n</Foo>'],
    ["logical and", "if (a && b || c<d && e>f) { return a &amp; b }"],
    ["generics", "const x: Map<path, Array<content>> = new Map<string, Promise<void>>()"],
    ["equal nested tags", "<content>inner</content>"],
    ["prose with a bare angle bracket", "5 < 6, and <3, and a <b c> d, and < content >"],
    ["a stray closing tag of its own parameter", "close it with </content> and go on"],
    ["a stray opening tag of its own parameter", "open it with <content> and go on"],
    ["the whole tool as documentation", "Use it:\n<write_to_file>\n<path>x</path>\n<content>\nhi\n</content>\n</write_to_file>\nDone."],
    ["another tool as documentation", "<read_file>\n<path>x</path>\n</read_file>"],
    ["an unfinished example of the tool", "<write_to_file>\n<path>x</path>\nand so on"],
    ["stray ends of the tool", "ends so:\n</content>\n</write_to_file>\nthat is all"],
    ["a mention of the closing tag in a sentence", "never write </write_to_file> yourself"],
    ["a code fence that never closes", "```xml\n<read_file>"],
    ["a conditional comment and a doctype", "<!DOCTYPE html><!-- [if IE]> <path>no</path> <![endif]-->"],
    ["merge markers", "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE"],
    ["entities as they are", "&lt;b&gt; &amp;amp;"],
    ["own empty lines at both ends", "\n\nhello\n\n"],
    ["shell redirections", "cat <<EOF >out.txt\n<path>\nEOF\ndiff <(a) <(b)"],
  ])("%s", (_, content) => {
    expect(found(write(content))).toEqual(written(content))
  })
})

describe("the eight nasty samples", () => {
  it.each([
    [
      "JSX in a value",
      write("<div>{items.map(i => <li key={i}>{i}</li>)}</div>"),
      written("<div>{items.map(i => <li key={i}>{i}</li>)}</div>"),
    ],
    [
      "a && b",
      "<execute_command>\n<command>a && b < c > d</command>\n</execute_command>",
      [{ name: "execute_command", arguments: { command: "a && b < c > d" } }],
    ],
    ["generics", write("function f<T>(x: Array<T>): Promise<T> {}"), written("function f<T>(x: Array<T>): Promise<T> {}")],
    ["nested same tag", write("<content><content>x</content></content>"), written("<content><content>x</content></content>")],
    ["prose with <", `if x < 3 and y <z then:\n${write("x")}`, written("x")],
    ["unclosed tail", "Now:\n<write_to_file>\n<path>a.tsx</path>\n<content>\nhalf", []],
    [
      "HTML void and unquoted attributes",
      write("<br><input disabled value=x><p>one<p>two"),
      written("<br><input disabled value=x><p>one<p>two"),
    ],
    ["a value that ends like the call", write("</path>\n</write_to_file> was here"), written("</path>\n</write_to_file> was here")],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual(expected)
  })
})

describe("a tag call is recognised", () => {
  it.each([
    ["on one line", "<read_file><path>a</path></read_file>", [read("a")]],
    ["with CRLF line ends", "Hi\r\n<read_file>\r\n<path>\r\na\r\n</path>\r\n</read_file>\r\n", [read("a")]],
    ["twice in one text", "<read_file>\n<path>a</path>\n</read_file>\n\n<read_file>\n<path>b</path>\n</read_file>", [read("a"), read("b")]],
    ["directly after another call", "<read_file><path>a</path></read_file><read_file><path>b</path></read_file>", [read("a"), read("b")]],
    ["after a thinking tag", "<thinking>\nhm\n</thinking> <read_file>\n<path>a</path>\n</read_file>", [read("a")]],
    ["after the end of a sentence", "Let me look.<read_file>\n<path>a</path>\n</read_file>", [read("a")]],
    ["slightly indented", "1. first\n  <read_file>\n  <path>a</path>\n  </read_file>", [read("a")]],
    ["without parameters", "<list_tools>\n</list_tools>", [{ name: "list_tools", arguments: {} }]],
    ["with an empty value", "<read_file>\n<path></path>\n</read_file>", [read("")]],
    [
      "with a nested structure",
      "<read_file>\n<args>\n<file>\n<path>a</path>\n</file>\n</args>\n</read_file>",
      [{ name: "read_file", arguments: { args: { file: { path: "a" } } } }],
    ],
    [
      "with tags in a parameter that holds text",
      "<write_to_file>\n<path>a.html</path>\n<content>\n<ul>\n<li>a</li>\n</ul>\n</content>\n</write_to_file>",
      [{ name: "write_to_file", arguments: { path: "a.html", content: "<ul>\n<li>a</li>\n</ul>" } }],
    ],
    ["after a fence that was closed", "```\n<read_file>\n```\n<read_file>\n<path>a</path>\n</read_file>", [read("a")]],
    [
      "after a call whose value opens a fence",
      `${write("```")}\n<read_file>\n<path>b</path>\n</read_file>`,
      [...written("```"), read("b")],
    ],
    ["after an unclosed call of the same tool", "<read_file>\n<path>a\n<read_file>\n<path>b</path>\n</read_file>", [read("b")]],
    [
      "with a parameter called __proto__",
      "<read_file>\n<__proto__>x</__proto__>\n</read_file>",
      [{ name: "read_file", arguments: JSON.parse('{"__proto__":"x"}') }],
    ],
    ["with numbers left as text", "<read_file>\n<path>7</path>\n</read_file>", [read("7")]],
    [
      "with a typed value",
      '<read_file>\n<path type="json">[1,{"a":null}]</path>\n</read_file>',
      [{ name: "read_file", arguments: { path: [1, { a: null }] } }],
    ],
  ])("%s", (_, text, expected) => {
    expect(found(text)).toEqual(expected)
  })
})

describe("what stays text", () => {
  it.each([
    ["a call inside a code fence", "Example:\n```xml\n<read_file>\n<path>a</path>\n</read_file>\n```\nDone."],
    ["a call inside a longer fence that holds a shorter one", "````\n```\n<read_file>\n<path>a</path>\n</read_file>\n```\n````"],
    ["a call inside a tilde fence", "~~~\n<read_file>\n<path>a</path>\n</read_file>\n~~~"],
    ["a call inside inline code", "Use `<read_file><path>a</path></read_file>` for that."],
    ["a call inside inline code over two lines", "Use `this:\n<read_file><path>a</path></read_file>` for that."],
    ["a call in the middle of a sentence", "You may write <read_file><path>a</path></read_file> to read"],
    ["an unknown tag", "<thinking>\n<path>a</path>\n</thinking>"],
    ["a known tag around prose", "<read_file>\nreads a file\n</read_file>"],
    ["a mention at the start of a line", "<read_file> is the tool for reading."],
    ["a quoted line", "> <read_file>\n> <path>a</path>\n> </read_file>"],
    ["an unclosed call", "<read_file>\n<path>a</path>"],
    ["a tool with attributes", '<read_file kind="x">\n<path>a</path>\n</read_file>'],
    ["an invoke of an unlisted tool without wrapper", '<invoke name="nope">\n<parameter name="a">b</parameter>\n</invoke>'],
    ["a tool_call that is no JSON", "<tool_call>\nread the file\n</tool_call>"],
  ])("%s", (_, text) => {
    expect(found(text)).toEqual([])
  })

  it("finds no tag call when no tools are known", () => {
    expect(found("<read_file>\n<path>a</path>\n</read_file>", {})).toEqual([])
  })
})

describe("invoke and hermes calls", () => {
  it.each([
    ["in a wrapper", '<function_calls>\n<invoke name="f">\n<parameter name="p">v</parameter>\n</invoke>\n</function_calls>', { p: "v" }],
    [
      "with a namespace prefix",
      '<ns:function_calls>\n<ns:invoke name="f">\n<ns:parameter name="p">v</ns:parameter>\n</ns:invoke>\n</ns:function_calls>',
      { p: "v" },
    ],
    ["alone", '<invoke name="f">\n<parameter name="p">v</parameter>\n</invoke>', { p: "v" }],
    [
      "with bare JSON",
      '<invoke name="f"><parameter name="p">{"a":[1]}</parameter><parameter name="q">3</parameter></invoke>',
      { p: { a: [1] }, q: "3" },
    ],
    ["with broken JSON kept as text", '<invoke name="f"><parameter name="p">{"a":</parameter></invoke>', { p: '{"a":' }],
    [
      "with a stray closing tag in a value",
      '<invoke name="f"><parameter name="p">a </parameter> b</parameter><parameter name="q">c</parameter></invoke>',
      { p: "a </parameter> b", q: "c" },
    ],
    ["whose wrapper was cut off", '<function_calls>\n<invoke name="f">\n<parameter name="p">v</parameter>\n</invoke>', { p: "v" }],
    ["as JSON", '<tool_call>\n{"name": "f", "arguments": {"p": "</tool_call>"}}\n</tool_call>', { p: "</tool_call>" }],
    ["as JSON encoded twice", '<tool_call>{"name":"f","arguments":"{\\"p\\":1}"}</tool_call>', { p: 1 }],
  ])("%s", (_, text, expected) => {
    expect(found(text, {})).toEqual([{ name: "f", arguments: expected }])
    expect(found(text, { tools: ["f"] })).toEqual([{ name: "f", arguments: expected }])
  })

  it("gives each invoke of one wrapper its own segment, the wrapper shared between first and last", () => {
    const one = (name: string): string => `<invoke name="${name}">\n<parameter name="p">v</parameter>\n</invoke>`
    const text = `Go.\n<function_calls>\n${one("f")}\n${one("g")}\n</function_calls>\n`
    const raws = calls(text, {}).map((call) => call.raw)
    expect(raws).toEqual([`<function_calls>\n${one("f")}`, `\n${one("g")}\n</function_calls>`])
  })
})

describe("certainty", () => {
  const only = (text: string, options: ScanCallsOptions): CallSegment | undefined => calls(text, options)[0]
  const text = "<read_file>\n<path>a</path>\n</read_file>"

  it("is complete for a listed tool at a line start with clean parameters, and says why", () => {
    expect(only(text, { tools })).toEqual({
      kind: "call",
      start: 0,
      end: text.length,
      name: "read_file",
      arguments: { path: "a" },
      raw: text,
      style: "tag",
      certainty: 1,
      evidence: ["the tool is listed", "the closing tag is there", "only parameters between the tags", "the opening tag starts a line"],
      closed: true,
    })
  })

  it("is lower for a learned tool, for indentation, and for text after the call", () => {
    const learned = new Map([["read_file", { certainty: 0.8 }]])
    expect(only(text, { learned })?.certainty).toBe(0.9)
    expect(only(`  ${text}`, { tools })?.certainty).toBe(0.95)
    expect(only(`${text} and so on`, { tools })?.certainty).toBe(0.9)
  })

  it("hands out unclosed and fenced candidates when the threshold asks for them", () => {
    const unclosed = only("Hi.\n<read_file>\n<path>a/b", { tools, threshold: 0.3 })
    expect([unclosed?.closed, unclosed?.certainty, unclosed?.arguments]).toEqual([false, 0.3, { path: "a/b" }])
    expect(only(`\`\`\`\n${text}\n\`\`\``, { tools, threshold: 0.4 })?.certainty).toBe(0.4)
  })

  it("believes an unclosed call that a result answers, and leaves the interruption notice outside", () => {
    const notice = "\n\n[Response interrupted by a tool use result. Only one tool may be used at a time.]"
    const options = { tools, answered: ["execute_command"] }
    const cut = only(`Now.\n<execute_command>\n<command>ls -l${notice}`, options)
    expect(cut?.arguments).toEqual({ command: "ls -l" })
    expect(cut?.raw).toBe("<execute_command>\n<command>ls -l")
    expect(only(`Now.\n<execute_command>\n<command>ls -l${notice}`, { tools, answered: ["read_file"] })).toBeUndefined()
  })

  it("keeps to the known parameter names where they are given", () => {
    const parameters = new Map([["write_to_file", new Set(["path", "content"])]])
    const content = "<content>a</content>\n<div>b</div>\n</content>\n<div>c</div>"
    expect(found(write(content), { tools, parameters })).toEqual(written(content))
  })
})

describe("work stays linear", () => {
  const hostile: readonly (readonly [string, (count: number) => string])[] = [
    ["unclosed tools", (count) => "<read_file>\n".repeat(count)],
    ["unclosed tools with parameters", (count) => "<read_file>\n<path>\n".repeat(count)],
    ["unclosed tools and one end", (count) => `${"<read_file>\n<path>\n".repeat(count)}</path>\n</read_file>`],
    ["unclosed tools and a bad end", (count) => `${"<read_file>\n<path>\n".repeat(count)}</path> junk <b></b></read_file>`],
    ["ends without starts", (count) => `<read_file>\n<path>a${"</path>\n</read_file>\n".repeat(count)}`],
    [
      "many parameters",
      (count) => `<read_file>\n${Array.from({ length: count }, (_, at) => `<p${at}>x</p${at}>`).join("\n")} junk</read_file>`,
    ],
    ["nested calls", (count) => "<read_file>\n<path>\n".repeat(count) + "</path>\n</read_file>\n".repeat(count)],
    ["unclosed invokes", (count) => '<invoke name="f">\n<parameter name="p">\n'.repeat(count)],
    ["unclosed JSON", (count) => '<tool_call>{"a":"'.repeat(count)],
  ]
  it.each(hostile)("for %s", (_, build) => {
    const stepsFor = (count: number): number => {
      const work = { steps: 0 }
      calls(build(count), { tools, work, threshold: 0.3 })
      return work.steps
    }
    const [small, large] = [stepsFor(10_000), stepsFor(50_000)]
    expect(large).toBeLessThan(100 * 50_000 * 2)
    expect(large).toBeLessThan(Math.max(1000, small) * 7)
  })

  it("handles a megabyte of unclosed tags", () => {
    const work = { steps: 0 }
    expect(found("<read_file>\n".repeat(100_000), { tools, work })).toEqual([])
    expect(work.steps).toBeLessThan(2_000_000)
  })
})
