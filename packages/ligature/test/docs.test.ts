/**
 * The documentation is true: generated pages are what the code generates, links lead somewhere, and every example of
 * the README, the guides and the doc comments runs. `npm run docs` rewrites pages.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, posix } from "node:path"
import process from "node:process"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { generatedFolders, generateDocs } from "../../../scripts/generate-docs.ts"
import { filesBelow, library, readSources, root } from "../../../scripts/source-files.ts"

const isUpdate = process.env["UPDATE_DOCS"] === "1"

const read = (path: string): string | undefined => (existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : undefined)

const pages = await generateDocs()

const stalePages = (): readonly string[] =>
  generatedFolders.flatMap((folder) => {
    const files = existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : []
    return files.map((name) => `${folder}/${name}`).filter((path) => !pages.has(path))
  })

describe("generated pages", () => {
  beforeAll(() => {
    if (!isUpdate) return
    for (const [path, text] of pages) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      if (read(path) !== text) writeFileSync(join(root, path), text)
    }
    for (const path of stalePages()) rmSync(join(root, path))
  })

  for (const [path, text] of pages) {
    it(`${path} is what the code says`, () => {
      expect(read(path), `${path} is stale: npm run docs`).toBe(text)
    })
  }

  it("have no leftovers beside them", () => {
    expect(stalePages()).toEqual([])
  })
})

const markdown = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...filesBelow(join(root, "docs"), ".md").map((path) => `docs/${path}`),
]

/** Code is no prose: links and commands in it are examples. */
const prose = (text: string): string => text.replace(/^( *)```[^]*?^\1```/gm, "").replace(/`[^`\n]+`/g, "")

describe("JSON in pages", () => {
  it("parses", () => {
    const broken = markdown.flatMap((path) =>
      [...(read(path) ?? "").matchAll(/^```json\n([^]*?)^```/gm)].flatMap((match) => {
        try {
          JSON.parse(match[1] as string)
          return []
        } catch (error) {
          return [`${path}: ${String(error)}\n${match[1]}`]
        }
      }),
    )
    expect(broken).toEqual([])
  })
})

describe("links", () => {
  it("in all pages lead to files and headings that exist", () => {
    const anchorOf = (heading: string): string =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s-]/gu, "")
        .trim()
        .replace(/\s/g, "-")
    const anchors = (text: string): readonly string[] => [...text.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] as string))
    const broken = markdown.flatMap((path) => {
      const links = [...prose(read(path) ?? "").matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)]
      return links.flatMap((match) => {
        const link = (match[1] ?? match[2]) as string
        if (/^[a-z]+:/.test(link)) return []
        const [file, anchor] = link.split("#") as [string, string?]
        const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file))
        const isThere = existsSync(join(root, target))
        const isHeading = anchor === undefined || anchors(read(target) ?? "").includes(anchor)
        return isThere && isHeading ? [] : [`${path} → ${link}`]
      })
    })
    expect(broken).toEqual([])
  })
})

describe("the architecture", () => {
  it("names only what the sources have", () => {
    const code = readSources()
      .map((file) => file.text)
      .join("\n")
    const folders = new Set(readSources().map(({ folder }) => folder))
    const named = [...(read("docs/architecture.md") ?? "").matchAll(/`([A-Za-z]\w*)`/g)].map((match) => match[1] as string)
    expect(named.length).toBeGreaterThan(20)
    expect(named.filter((name) => !folders.has(name) && !new RegExp(`\\b${name}\\b`).test(code))).toEqual([])
  })
})

describe("paths of this repository in code", () => {
  it("lead to files that exist", () => {
    // Pages of session formats name the sources of their agents, which have folders of the same names.
    const pages = markdown.filter((path) => !path.startsWith("docs/formats/"))
    const missing = pages.flatMap((path) =>
      [...(read(path) ?? "").matchAll(/`((?:docs|examples|scripts|bench|trials|packages)\/[\w./-]+\.(?:md|mjs|ts|json))\b/g)]
        .map((match) => match[1] as string)
        .flatMap((file) => (existsSync(join(root, file)) ? [] : [`${path}: ${file}`])),
    )
    expect(missing).toEqual([])
  })
})

const scratch = join(root, ".vitest-cache/docs")

const entryPoints = (
  JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly default: string }>>
  }
).exports

/** The source file of `ligature` or one of its subpaths. */
const sourceOf = (specifier: string): string => {
  const subpath = specifier.replace(/^ligature/, ".")
  const star = `${posix.dirname(subpath)}/*`
  const path =
    (entryPoints[subpath] ?? entryPoints[star])?.default.replace("*", posix.basename(subpath)) ?? `${specifier} is no entry point`
  return join(library, path.replace("./dist/", "src/").replace(/js$/, "ts"))
}

/** `import … from "ligature/x"` becomes an import of the source. */
const fromSource = (text: string): string =>
  text.replace(/from "(ligature(?:\/[^"]+)?)"/g, (_, specifier: string) => `from "${sourceOf(specifier)}"`)

/** `expression // → value` is checked; everything else just runs. */
const withExpectations = (text: string): string =>
  text.replace(/^(\s*)(?!\/\/|const |let |import )(\S.*?)\s*\/\/ → (.+)$/gm, "$1expectEqual($2, $3)")

const run = async (name: string, text: string): Promise<void> => {
  mkdirSync(scratch, { recursive: true })
  const file = join(scratch, `${name.replace(/[^a-z0-9]+/gi, "-")}.ts`)
  const helper = "const expectEqual = (actual, expected) => expect(actual).toEqual(expected)"
  writeFileSync(file, `import { expect } from "vitest"\n${helper}\n${text}`)
  await import(/* @vite-ignore */ file)
}

afterAll(() => rmSync(scratch, { recursive: true, force: true }))

describe("examples in pages", () => {
  const found = ["README.md", "README.zh-CN.md", ...markdown.filter((path) => path.startsWith("docs/guides/"))].flatMap((path) =>
    [...(read(path) ?? "").matchAll(/^```ts\n([^]*?)^```/gm)].map((match, index) => {
      return { path, index, text: match[1] as string }
    }),
  )

  it("are there", () => {
    expect(new Set(found.map(({ path }) => path)).size).toBeGreaterThanOrEqual(3)
  })

  for (const { path, index, text } of found) {
    it(`${path}, number ${index + 1}, runs`, async () => {
      await run(`${path}-${index}`, withExpectations(fromSource(text)))
    })
  }
})

const namesOf = async (path: string): Promise<readonly string[]> => Object.keys((await import(/* @vite-ignore */ path)) as object)

describe("public names", () => {
  const subpaths = Object.entries(entryPoints).flatMap(([subpath, { default: target }]) => {
    if (target === undefined) return []
    const specifier = subpath.replace(".", "ligature")
    if (!subpath.endsWith("/*")) return [specifier]
    const folder = join(library, dirname(target.replace("./dist/", "src/").replace("*", "")))
    const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, "index.ts")))
    return names.map((name) => specifier.replace("*", name))
  })
  const pages = markdown.filter((path) => path.startsWith("README") || path.startsWith("docs/guides/"))
  const examples = filesBelow(join(root, "examples"), ".ts").map((path) => `examples/${path}`)
  const blocks = pages.flatMap((path) => [...(read(path) ?? "").matchAll(/^```(?:ts|typescript)\n([^]*?)^```/gm)].map(([, text]) => text))
  const code = [...blocks, ...examples.map(read)].join("\n")

  it.each(subpaths)("of %s are each imported by an example of a page or of the ladder", async (specifier) => {
    const imports = [...code.matchAll(/import \{([^}]*)\} from "([^"]+)"/g)].filter((match) => match[2] === specifier)
    const shown = new Set(imports.flatMap((match) => (match[1] as string).split(",").map((name) => name.trim().split(" ")[0])))
    const names = await namesOf(sourceOf(specifier))
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !shown.has(name))).toEqual([])
  })
})

/** What examples in doc comments take for granted: a request, what is in it, and a few things an agent has at hand. */
const givens = `
const request = { messages: [{ role: "user", content: "List the files." }, { role: "assistant", content: [
  { type: "tool_use", id: "toolu_1", name: "ls", input: {} }] }, { role: "user", content: "hello?" }] }
const { messages } = request
const [user, assistantWithCalls] = messages
const [toolA, toolB] = ["a", "b"].map((id) => ({ role: "tool", tool_call_id: id, content: "x" }))
const assistantText = { role: "assistant", content: "Done." }
const [history, entries, lines] = [messages, messages, messages.map((message) => JSON.stringify(message))]
const keepFirst = 1
const transcript = modules.decode("anthropic", request)
const { conversation } = modules.settle(transcript)
const debug = (name) => (what) => {}
const console = { log() {}, warn() {} }
`

/** Names come from the package, from the example's own file and from what it imports; its body has its own scope. */
const runDocExample = async (name: string, file: string, text: string): Promise<void> => {
  const imports = [...text.matchAll(/^import \{([^}]+)\} from "(ligature[^"]*)"$/gm)].map((match) => ({
    names: (match[1] as string)
      .split(",")
      .map((each) => each.trim())
      .filter((each) => !each.startsWith("type ")),
    path: sourceOf(match[2] as string),
  }))
  for (const { names, path } of imports) {
    const known = await namesOf(path)
    expect(
      names.filter((each) => !known.includes(each)),
      `names that ${path} does not export`,
    ).toEqual([])
  }
  const paths = [...new Set([sourceOf("ligature"), join(library, "src", file), ...imports.map(({ path }) => path)])]
  const names = new Set((await Promise.all(paths.map(namesOf))).flat())
  const head = paths.map((path, index) => `import * as module${index} from "${path}"`).join("\n")
  const body = text.replace(/^import .*$/gm, "")
  await run(
    name,
    `${head}
const modules = { ${paths.map((_, index) => `...module${index}`).join(", ")} }
${givens}
{
const { ${[...names].join(", ")} } = modules
{
${withExpectations(body)}
}
}
`,
  )
}

describe("examples in doc comments", () => {
  const found = readSources().flatMap((file) =>
    [...file.text.matchAll(/^ *\* @example\n((?: *\*(?!\/| @).*\n)+)/gm)].map((match, index) => ({
      name: `src/${file.path}, number ${index + 1}`,
      file: file.path,
      text: (match[1] as string).replace(/^ *\* ?/gm, ""),
    })),
  )

  it("are there", () => {
    expect(found.length).toBeGreaterThan(0)
  })

  for (const { name, file, text } of found) {
    it(`${name}, runs`, async () => runDocExample(name, file, text))
  }
})
