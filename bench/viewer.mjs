/**
 * What the page costs, in a real Chromium on the built files (`npm run build` first): the size of what is loaded, what 10,000 exchanges
 * take from bytes to rows on the screen, what a frame of scrolling costs, and a search over 10 MB. CPU is that of the page's main thread,
 * which other programs do not change; the other times are by the clock, and wait for them. Nothing is asserted.
 *
 *   node bench/viewer.mjs                     Debian's chromium, or LIGATURE_CHROMIUM=PATH
 *   node bench/viewer.mjs --exchanges 50000
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { spawn } from "node:child_process"
import { gzipSync } from "node:zlib"
import { chromium } from "playwright-core"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { values: options } = parseArgs({
  options: { exchanges: { type: "string", default: "10000" }, rounds: { type: "string", default: "5" } },
})
const exchanges = Number(options.exchanges)
const rounds = Number(options.rounds)
const executablePath = [process.env.LIGATURE_CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== "" && existsSync(path),
)
if (executablePath === undefined) {
  console.error("No Chromium: apt-get install chromium, or LIGATURE_CHROMIUM=PATH")
  process.exit(2)
}

const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? 0
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`
const line = (name, value, more = "") => console.log(`${name.padEnd(44)} ${value.padStart(10)}  ${more}`)

// Sizes.

const page = join(root, "packages/ligature/dist/page")
const gz = (name) => gzipSync(readFileSync(join(page, name)), { level: 9 }).length
const groups = [
  ["the page, without formats", /^(?:page\.(?:js|css)|screen-|jsxRuntime-|copy-button-|search-|lens-tab-)/],
  ["the judge: rules, documents, conversion", /^library-/],
  ["compaction, with its tab", /^compaction-/],
  ["formats of requests", /^formats-/],
  ["session formats", /^sessions-/],
  ["Chinese", /^chinese-/],
]
console.log("\nSize, gzip -9")
const names = readdirSync(page).filter((name) => name !== "saved.js")
for (const [name, pattern] of groups) {
  const files = names.filter((each) => pattern.test(each))
  line(name, kilobytes(files.reduce((sum, file) => sum + gz(file), 0)))
}
const others = names.filter((name) => !groups.some(([, pattern]) => pattern.test(name)))
if (others.length > 0) line("others", kilobytes(others.reduce((sum, file) => sum + gz(file), 0)), others.join(" "))
line("a saved page, without its session", kilobytes(gz("saved.js") + gz("page.css")))

// A history.

const long = (count, resultCharacters) => {
  const messages = []
  const user = (...content) => messages.push({ role: "user", content })
  for (let index = 0; index < count; index++) {
    if (index % 10 === 0) user({ type: "text", text: `Please look at module ${index / 10} and tell me what needle${index} does.` })
    const id = `toolu_${index}`
    const input = { path: `src/module-${index}.ts` }
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `Reading file ${index}.` },
        { type: "tool_use", id, name: index % 3 === 0 ? "Read" : "Bash", input },
      ],
    })
    const text = `line ${index}\n${"all is well here, nothing to see. ".repeat(Math.ceil(resultCharacters / 34))}`
    user({ type: "tool_result", tool_use_id: id, content: text, ...(index % 17 === 0 && { is_error: true }) })
    if (index % 10 === 9) messages.push({ role: "assistant", content: [{ type: "text", text: `Module ${(index - 9) / 10} is fine.` }] })
  }
  return { model: "claude-sonnet-4-5", max_tokens: 1024, messages }
}

const folder = mkdtempSync(join(tmpdir(), "ligature-bench-"))
const file = join(folder, "long.json")
const small = join(folder, "small.json")
// About 10 MB of texts, however many exchanges there are.
writeFileSync(file, JSON.stringify(long(exchanges, Math.max(100, Math.floor(9_600_000 / exchanges)))))
writeFileSync(small, JSON.stringify(long(5, 100)))

const servers = []
const serve = (path) => {
  const cli = spawn(process.execPath, [join(root, "packages/ligature/dist/cli/main.js"), "view", path, "--no-open"], {
    env: { ...process.env, HOME: folder, LIGATURE_CACHE: "off" },
    stdio: ["ignore", "pipe", "ignore"],
  })
  servers.push(cli)
  return new Promise((resolve) => cli.stdout.on("data", (data) => resolve(/http\S+/.exec(String(data))?.[0])))
}
const [address, smallAddress] = [await serve(file), await serve(small)]
const browser = await chromium.launch({ executablePath, args: ["--headless", "--no-sandbox", "--disable-gpu"] })

const spans = (tab) =>
  tab.evaluate(() => Object.fromEntries(performance.getEntriesByType("measure").map(({ name, duration }) => [name, duration])))

const metrics = async (session) => {
  const { metrics: all } = await session.send("Performance.getMetrics")
  return Object.fromEntries(all.map(({ name, value }) => [name, value * 1000]))
}

const opened = async (address) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 820 }, locale: "en-US" })
  const tab = await context.newPage()
  const devtools = await context.newCDPSession(tab)
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" })
  await tab.goto(address)
  await tab.locator(".row").first().waitFor()
  await tab.waitForTimeout(500)
  return { context, tab, devtools, cpu: (await metrics(devtools)).TaskDuration }
}

try {
  const results = { load: [], cpu: [], parse: [], open: [], frame: [], script: [], late: [], index: [], search: [] }
  for (let round = 0; round < rounds; round++) {
    const least = await opened(smallAddress)
    await least.context.close()
    const { context, tab, devtools, cpu } = await opened(address)
    results.cpu.push(cpu - least.cpu)
    results.load.push(least.cpu)
    const first = await spans(tab)
    results.parse.push(first["ligature:parse"])
    results.open.push(first["ligature:open"])
    // Scrolling: so many frames, each 60 pixels further.
    const before = await metrics(devtools)
    const { frames, late } = await tab.evaluate(
      () =>
        new Promise((resolve) => {
          const list = document.querySelector(".list")
          let frames = 0
          let late = 0
          let last = performance.now()
          const step = (now) => {
            if (now - last > 25) late++
            last = now
            list.scrollTop += 60
            if (++frames < 300) requestAnimationFrame(step)
            else resolve({ frames, late })
          }
          requestAnimationFrame(step)
        }),
    )
    const after = await metrics(devtools)
    results.frame.push((after.TaskDuration - before.TaskDuration) / frames)
    results.script.push((after.ScriptDuration - before.ScriptDuration) / frames)
    results.late.push((100 * late) / frames)
    const search = tab.getByPlaceholder("Search  /")
    await search.fill("needle")
    await tab.locator(".search-count").waitFor()
    results.index.push((await spans(tab))["ligature:index"])
    await tab.evaluate(() => performance.clearMeasures("ligature:search"))
    await search.fill("nothing to see module 77")
    await tab.waitForTimeout(400)
    results.search.push((await spans(tab))["ligature:search"])
    await context.close()
  }
  console.log(
    `\n${exchanges} exchanges, ${kilobytes(readFileSync(file).length)}; median of ${rounds}; ${cpus().length} cores, ${await browser.version()}`,
  )
  const row = (name, numbers, unit, more) => line(name, `${median(numbers).toFixed(1)} ${unit}`, more)
  row("page with a small file", results.load, "ms", "CPU")
  row("more for this one: JSON, and open", results.cpu, "ms", "CPU")
  row("JSON parsed, format recognised", results.parse, "ms", "by the clock")
  row("from there to the first rows", results.open, "ms", "by the clock; goal: 300 ms for 10,000")
  row("a frame of scrolling", results.frame, "ms", "CPU; goal: under 16.7 ms with script, layout and paint")
  row("  of it script", results.script, "ms", "CPU")
  row("frames later than 25 ms", results.late, "%", "depends on what else the machine does")
  row("first letter of a search", results.index, "ms", "by the clock: the texts of all rows in lower case")
  row("search", results.search, "ms", "by the clock; goal: 50 ms over 10 MB")
} finally {
  await browser.close()
  for (const server of servers) server.kill()
  rmSync(folder, { recursive: true, force: true })
}
