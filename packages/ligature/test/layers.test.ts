/**
 * The architecture as a test: who may import whom, what pure code may not touch, and a few habits that are easier to
 * keep than to restore. The tables are the specification; docs and CONTRIBUTING quote them.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { codeOnly } from "../../../scripts/code-only.ts"
import { library, readSources, resolveImport, type SourceFile } from "../../../scripts/source-files.ts"

/** Folder of `src` → folders it may import besides itself. "" is `src/index.ts`. Imports point one way. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  json: ["model"],
  rules: ["model"],
  formats: ["model", "json", "rules"],
  messages: ["model", "rules", "formats"],
  sessions: ["model", "json", "rules", "formats", "messages"],
  registry: ["model", "formats", "sessions"],
  document: ["model", "json", "formats", "registry"],
  convert: ["model", "rules", "formats", "registry", "document"],
  export: ["model"],
  html: ["model", "document", "files", "language"],
  compact: ["model", "rules"],
  "compact/live": ["model", "rules", "compact", "store"],
  record: ["model", "formats"],
  store: ["model", "rules"],
  files: ["model", "json", "document"],
  debug: ["model"],
  runtime: ["model", "rules", "registry", "debug"],
  language: ["model"],
  agent: ["model", "rules", "formats", "registry", "document", "convert", "compact", "compact/live", "record", "store", "debug", "runtime"],
  adapters: ["model", "rules", "formats", "messages", "sessions", "store", "agent"],
  cli: [
    "model",
    "json",
    "rules",
    "formats",
    "sessions",
    "registry",
    "document",
    "convert",
    "compact",
    "compact/live",
    "store",
    "files",
    "export",
    "html",
    "debug",
    "runtime",
    "agent",
    "language",
  ],
  testing: ["model", "rules", "convert"],
  "": ["model", "rules", "document", "convert", "runtime"],
}

/** The doors of `compact`: the public names, and what the loop and the command line need beyond them. */
const compactDoors: readonly string[] = ["compact/index.ts", "compact/internal.ts"]

/** A folder of `src`. The part of `compact` that takes a store, a clock or a model counts as one of its own. */
const layerOf = (path: string): string => {
  if (path.startsWith("compact/live/") || compactDoors.includes(path)) return "compact/live"
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : ""
}

/** No I/O, clock, randomness, logging or `node:`; they run in a browser. */
const pureFolders: ReadonlySet<string> = new Set([
  "model",
  "json",
  "rules",
  "formats",
  "messages",
  "sessions",
  "registry",
  "document",
  "convert",
  "compact",
  "export",
  "record",
  "",
])

const impure: readonly RegExp[] = [
  /\bDate\.now\b/,
  /\bnew Date\b/,
  /\bMath\.random\b/,
  /\bperformance\./,
  /\bset(?:Timeout|Interval|Immediate)\b/,
  /\bconsole\./,
  /\bprocess\./,
  /\bfetch\(/,
  /\bcrypto\./,
]

interface AllowedName {
  readonly path: string
  /** Default: any format. */
  readonly formats?: readonly string[]
  readonly why: string
}

/** Where a format's name may be outside its own folder, and why. A path that ends in a slash is a folder. */
const formatNamesAllowed: readonly AllowedName[] = [
  { path: "rules/profiles/profiles.ts", why: "a profile is data and names the format its requests are written in" },
  { path: "rules/rulebook/", why: "the rule book names providers, some of which share a name with their format" },
  { path: "registry/", why: "the tables of codecs, by the names of their formats" },
  { path: "document/", why: "detection tells formats apart by their marks, so it knows all of them" },
  { path: "formats/xml-text/", formats: ["anthropic"], why: "calls as text are in that format's messages" },
  { path: "formats/xml-text/style.ts", why: "decides by the names of providers, some of which are formats too" },
  { path: "formats/ai-sdk-ui/", formats: ["ai-sdk-model"], why: "both belong to one SDK and share its parts" },
  { path: "sessions/", why: "agents name their providers, interfaces and records, some as formats are named here" },
  { path: "record/streams.ts", why: "the registry of recorders, by the name of the format" },
  { path: "adapters/", why: "an adapter speaks the format of its SDK" },
  { path: "agent/request/", why: "addresses of providers, declared tools and what a request says around the history are data by format" },
  { path: "cli/compact/compact-options.ts", why: "sessions of agents without a provider of their own are written for the commonest one" },
  { path: "cli/commands/tour.ts", why: "the tour shows bundled histories, each from one format to another" },
  { path: "testing/providers/", why: "fake providers and their judges are named after the APIs they stand for" },
]

/** Where the name of an agent's session format may be outside its own folder, and why. */
const sessionNamesAllowed: readonly AllowedName[] = [
  { path: "registry/", why: "the tables of codecs, by the names of their formats" },
  { path: "files/", why: "the folders and databases of agents, by the formats of what is in them" },
  { path: "adapters/langchain/", formats: ["langgraph"], why: "an adapter speaks the format of its SDK" },
]

const longestFile = 450

const sources = readSources()

/** `path:line  text` of every match in code, comments and strings aside. */
const findInCode = (file: SourceFile, pattern: RegExp): readonly string[] =>
  file.code.split("\n").flatMap((line, index) => (pattern.test(line) ? [`${file.path}:${index + 1}  ${line.trim()}`] : []))

const isBelow = (path: string, place: string): boolean => (place.endsWith("/") ? path.startsWith(place) : path === place)

describe("layers", () => {
  it("know every folder of src", () => {
    const folders = new Set(sources.map((file) => file.folder))
    const unknown = [...folders].filter((folder) => !Object.hasOwn(mayImport, folder))
    expect(unknown).toEqual([])
  })

  it("import only what is below them", () => {
    const wrong = sources.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const target = resolveImport(file, specifier)
        if (target === undefined) return []
        const [from, to] = [layerOf(file.path), layerOf(target)]
        const isAllowed = from === to || (mayImport[from] ?? []).includes(to)
        return isAllowed && !target.startsWith("..") ? [] : [`${file.path} imports ${specifier}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it("import files that exist, by their full name", () => {
    const paths = new Set(sources.map((file) => file.path))
    const wrong = sources.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const target = resolveImport(file, specifier)
        return target === undefined || paths.has(target) ? [] : [`${file.path} imports ${specifier}`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it("have no package among their imports", () => {
    const wrong = sources.flatMap((file) =>
      file.imports.flatMap((specifier) =>
        specifier.startsWith(".") || specifier.startsWith("node:") ? [] : [`${file.path} imports ${specifier}`],
      ),
    )
    expect(wrong).toEqual([])
    const manifest = JSON.parse(readFileSync(join(library, "package.json"), "utf8")) as Readonly<Record<string, unknown>>
    const asked = Object.keys(manifest).filter((key) => /^(?:peer|optional|bundled?)?dependencies$/i.test(key))
    // A driver is the user's own: nobody gets it who does not ask for it.
    expect(asked).toEqual(["peerDependencies"])
    expect([manifest["peerDependencies"], manifest["peerDependenciesMeta"]]).toEqual([
      { pg: expect.any(String) },
      { pg: { optional: true } },
    ])
  })

  it("see judges that share no code with the rules they confirm", () => {
    const wrong = sources
      .filter((file) => file.path.startsWith("testing/providers/"))
      .flatMap((file) =>
        file.imports.flatMap((specifier) => {
          const target = resolveImport(file, specifier)
          const isOwn = target === undefined || target.startsWith("testing/providers/")
          return isOwn ? [] : [`${file.path} imports ${specifier}`]
        }),
      )
    expect(wrong).toEqual([])
  })
})

describe("compact", () => {
  const within = sources.filter((file) => file.folder === "compact")

  it("is imported through its doors, never past them", () => {
    const wrong = sources.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const target = resolveImport(file, specifier)
        const isPast = target?.startsWith("compact/") === true && !compactDoors.includes(target)
        return isPast && file.folder !== "compact" ? [`${file.path} imports ${specifier}`] : []
      }),
    )
    expect(wrong).toEqual([])
    const inside = within.flatMap((file) =>
      file.imports.flatMap((specifier) => {
        const target = resolveImport(file, specifier)
        return target !== undefined && compactDoors.includes(target) ? [`${file.path} imports ${specifier}`] : []
      }),
    )
    expect(inside).toEqual([])
  })

  it("imports nothing of Node, so that all of it bundles for browsers and edge runtimes", () => {
    const wrong = within.flatMap((file) => file.imports.filter((specifier) => specifier.startsWith("node:")).map(() => file.path))
    expect(wrong).toEqual([])
  })
})

describe("folders, session formats among them", () => {
  /**
   * The files of a folder are one node and its `index.ts` is another: the contract lies in a folder, its members below it
   * import the contract, and only the door or a registry imports the members.
   */
  const nodeOf = (path: string): string => (path.endsWith("/index.ts") ? path : path.slice(0, Math.max(0, path.lastIndexOf("/"))))

  it("import each other one way only", () => {
    const edges = new Map<string, Set<string>>()
    for (const file of sources) {
      const own = edges.get(nodeOf(file.path)) ?? new Set<string>()
      edges.set(nodeOf(file.path), own)
      for (const specifier of file.imports) {
        const target = resolveImport(file, specifier)
        if (target !== undefined && nodeOf(target) !== nodeOf(file.path)) own.add(nodeOf(target))
      }
    }
    expect(edges.size).toBeGreaterThan(80)
    // Folders that import nothing that is left are taken away, as often as there are any: what stays is in a cycle.
    for (let isShrinking = true; isShrinking;) {
      const free = [...edges].filter(([, targets]) => [...targets].every((target) => !edges.has(target)))
      for (const [folder] of free) edges.delete(folder)
      isShrinking = free.length > 0
    }
    expect([...edges].map(([folder, targets]) => `${folder} -> ${[...targets].join(", ")}`)).toEqual([])
  })
})

describe("valid conversations", () => {
  it("are made by the judge alone", () => {
    const makers = sources.filter((file) => findInCode(file, /\basValid\b/).length > 0).map(({ path }) => path)
    const declared = ["model/conversation.ts", "model/index.ts"]
    expect(makers.filter((path) => !path.startsWith("rules/") && !declared.includes(path))).toEqual([])
    expect(makers).toContain("rules/judge/settle.ts")
  })
})

describe("pure folders", () => {
  const pure = sources.filter((file) => pureFolders.has(layerOf(file.path)))

  it("import nothing of Node", () => {
    const wrong = pure.flatMap((file) =>
      file.imports.flatMap((specifier) => (specifier.startsWith("node:") ? [`${file.path} imports ${specifier}`] : [])),
    )
    expect(wrong).toEqual([])
  })

  it("touch no clock, no randomness, no console, no process, no network", () => {
    expect(pure.flatMap((file) => impure.flatMap((pattern) => findInCode(file, pattern)))).toEqual([])
  })
})

describe("habits", () => {
  it("let only the CLI print", () => {
    const others = sources.filter((file) => file.folder !== "cli")
    expect(others.flatMap((file) => findInCode(file, /\bconsole\.|\bprocess\.(?:stdout|stderr)\b/))).toEqual([])
  })

  it("write to the terminal in one place, which makes visible what a terminal would obey", () => {
    const writing = /\b(?:process|io|this\.#?io|context\.io)\.(?:stdout|stderr)\b|\b(?:stdout|stderr|[sS]ink|#sink)\.write\b|\bconsole\./
    const found = sources.flatMap((file) => (findInCode(file, writing).length > 0 ? [file.path] : []))
    expect(found.sort()).toEqual([
      "cli/frame/io.ts", // the streams themselves
      "cli/frame/pager.ts", // what a printer made, later
      "cli/frame/printer.ts",
      "cli/main.ts", // the version, before anything is loaded
      "cli/run.ts", // hands the streams to printers
      "runtime/index.ts", // lines of the library and of the loop, with DEBUG
    ])
    const run = sources.find(({ path }) => path === "cli/run.ts")
    expect(run === undefined ? [] : findInCode(run, /\.write\b/)).toEqual([])
  })

  it.each([
    { kind: "a format", folder: "formats", least: 6, allowed: formatNamesAllowed },
    { kind: "a session format", folder: "sessions", least: 21, allowed: sessionNamesAllowed },
  ])("mention $kind by name only in its own folder, and where a reason is given", ({ folder, least, allowed }) => {
    const index = new RegExp(`^${folder}/([^/]+)/index\\.ts$`)
    const formats = new Set(sources.flatMap((file) => index.exec(file.path)?.slice(1) ?? []))
    expect(formats.size).toBeGreaterThanOrEqual(least)
    const wrong = sources.flatMap((file) =>
      file.literals.flatMap(({ text, line }) => {
        if (!formats.has(text) || file.path.startsWith(`${folder}/${text}/`)) return []
        const reason = allowed.find(
          (entry) => isBelow(file.path, entry.path) && (entry.formats === undefined || entry.formats.includes(text)),
        )
        return reason ? [] : [`src/${file.path}:${line} "${text}"`]
      }),
    )
    expect(wrong).toEqual([])
  })

  it("use neither any nor the non-null mark", () => {
    expect(sources.flatMap((file) => findInCode(file, /(?:[:<|&,(=]|\bas|\bextends)\s*any\b(?!\s*[(:])/))).toEqual([])
    expect(sources.flatMap((file) => findInCode(file, /[\w$)\]]!(?!=)/))).toEqual([])
  })

  it("hand no list over as arguments: a long one would overflow the stack", () => {
    expect(sources.flatMap((file) => findInCode(file, /\.(?:push|unshift)\(\.\.\./))).toEqual([])
  })

  it("export by name, never as default", () => {
    expect(sources.flatMap((file) => findInCode(file, /\bexport default\b|\bas default\b/))).toEqual([])
  })

  it("name files in kebab-case and keep drawers out", () => {
    const drawers = /(?:^|\/)(?:utils?|helpers?|common|shared|misc)(?:\/|\.ts$)/
    const wrong = sources.filter((file) => !/^[a-z0-9/-]+\.ts$/.test(file.path) || drawers.test(file.path))
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it(`keep files at ${longestFile} lines or less`, () => {
    const long = sources.filter((file) => file.lines > longestFile)
    expect(long.map((file) => `${file.path}: ${file.lines} lines`)).toEqual([])
  })

  it("open each file with a comment that says what it is", () => {
    const silent = sources.filter((file) => !/^(?:#!.*\n)?\/[/*]/.test(file.text))
    expect(silent.map((file) => file.path)).toEqual([])
  })
})

describe("the source scanner after these checks", () => {
  const probe = (text: string): string => codeOnly(text).code

  it("sees code and not comments, strings or regular expressions", () => {
    expect(probe("a! // b!\n")).toContain("a!")
    expect(probe("x = /any!/g.test(y) / 2")).not.toContain("any!")
    expect(probe("`text any ${value!} more!`").match(/!/g)).toHaveLength(1)
    expect(probe('const s = "say any!"')).not.toContain("any")
  })
})
