/**
 * The history every benchmark runs on, in a neutral shape: user turns, each a geometric number of steps, each step an
 * assistant message with thinking, text and one to eight calls, and the message of their results. The same seed gives
 * the same history on every machine and every Node: no Math.random, no clock, no trigonometry (its last bits differ
 * between engines).
 *
 * What it is shaped after: 32 % of call messages hold parallel calls, 1.72 calls on average; results are log-normal
 * (median 600 characters, sigma 1.4, at most 200 KB); 3 % of them failed; 4 % of their lines are Chinese. That gives
 * about 2 KB of JSON per message.
 */

const words = [
  "the agent reads file writes test result error value index buffer stream request token model server",
  "client index cache query branch merge build deploy trace retry limit queue worker thread schema record",
  "message block range offset length module import export return await async const function class string",
  "number object array promise event handler route path config option default verbose",
].flatMap((line) => line.split(" "))
const chinese = "读取文件内容并检查结果然后运行测试发现错误修改配置重新构建部署服务记录日志等待请求返回数据".split("")
const tools = ["read_file", "run_command", "search", "edit_file", "write_file", "list_directory"]

/** A small, well-mixed generator of 32-bit numbers (mulberry32), with the draws the history needs. */
export class Dice {
  #state

  constructor(seed) {
    this.#state = seed >>> 0
  }

  /** 0 <= x < 1. */
  fraction() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }

  below(limit) {
    return Math.floor(this.fraction() * limit)
  }

  chance(probability) {
    return this.fraction() < probability
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** How often something with this probability happens before it fails. */
  geometric(probability, most) {
    let count = 0
    while (count < most && this.chance(probability)) count++
    return count
  }

  /** Twelve uniform draws make a normal one, near enough and exact on every engine. */
  normal() {
    let sum = -6
    for (let draw = 0; draw < 12; draw++) sum += this.fraction()
    return sum
  }

  logNormal(median, sigma, most) {
    return Math.min(most, Math.max(1, Math.round(median * Math.exp(sigma * this.normal()))))
  }

  id(prefix, length = 24) {
    const letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    let id = prefix
    while (id.length < prefix.length + length) id += letters[this.below(letters.length)]
    return id
  }
}

const sentence = (dice, count) => {
  const said = []
  for (let index = 0; index < count; index++) said.push(dice.pick(words))
  return `${said.join(" ")}.`
}

/** Lines of tool output come from a fixed pool: drawing every word of 200 MB would take longer than the benchmark. */
const linePool = (dice) => {
  const pool = []
  for (let index = 0; index < 5000; index++) {
    const kind = dice.fraction()
    if (kind < 0.04) {
      let line = ""
      for (let count = 10 + dice.below(30); count > 0; count--) line += dice.pick(chinese)
      pool.push(line)
    } else if (kind < 0.4) {
      const [left, right] = [dice.pick(words), dice.pick(words)]
      pool.push(`${"  ".repeat(dice.below(5))}const ${left} = ${right}("${sentence(dice, 3)}", { ${left}: ${index} })`)
    } else if (kind < 0.6) {
      pool.push(`2026-11-15T10:${10 + dice.below(50)}:00Z\tINFO\t${sentence(dice, 6)}`)
    } else pool.push(sentence(dice, 4 + dice.below(14)))
  }
  return pool
}

const toolOutput = (dice, pool) => {
  const size = dice.logNormal(600, 1.4, 200_000)
  const lines = []
  for (let length = 0; length < size;) {
    const line = dice.pick(pool)
    lines.push(line)
    length += line.length + 1
  }
  const text = lines.join("\n").slice(0, size)
  return text.trim() === "" ? "done" : text
}

const argumentsOf = (dice, name, pool) => {
  const path = `src/${dice.pick(words)}/${dice.pick(words)}-${dice.below(1000)}.ts`
  switch (name) {
    case "read_file":
      return { path, offset: dice.below(500), limit: 200 }
    case "run_command":
      return { command: `npm run ${dice.pick(words)} -- --${dice.pick(words)} "${dice.pick(words)}"`, timeout: 120 }
    case "search":
      return { pattern: `${dice.pick(words)}.*${dice.pick(words)}`, path: "src", flags: ["-n", "-i"], context: 2 }
    case "list_directory":
      return { path: path.slice(0, path.lastIndexOf("/")), recursive: dice.chance(0.5) }
    case "edit_file":
      return { path, edits: [{ find: dice.pick(pool), replace: `${dice.pick(pool)}\n${dice.pick(pool)}` }] }
    default: {
      const lines = []
      for (let count = 3 + dice.below(25); count > 0; count--) lines.push(dice.pick(pool))
      return { path, content: lines.join("\n") }
    }
  }
}

const callsOf = (dice, pool) => {
  const count = dice.chance(0.32) ? 2 + dice.geometric(0.56, 6) : 1
  const calls = []
  for (let index = 0; index < count; index++) {
    const name = dice.pick(tools)
    calls.push({ id: dice.id("toolu_"), name, input: argumentsOf(dice, name, pool) })
  }
  return calls
}

/**
 * `{ role: "user", text }`, `{ role: "assistant", thinking?, text?, calls }` and `{ role: "results", results }`, which
 * with the system text in front are `count` messages (an even number). The user has the last word, as in a request
 * about to be sent: healthy for every provider.
 */
export const generateHistory = (count, seed = 1) => {
  const dice = new Dice(seed)
  const pool = linePool(new Dice(seed + 1))
  const messages = []
  const room = () => count - 2 - messages.length
  const say = () => messages.push({ role: "assistant", text: sentence(dice, 40 + dice.below(100)), calls: [] })
  const step = () => {
    const thinking = dice.chance(0.5) ? { text: sentence(dice, 30 + dice.below(120)), signature: dice.id("", 200) } : undefined
    const text = dice.chance(0.4) ? sentence(dice, 10 + dice.below(40)) : undefined
    const calls = callsOf(dice, pool)
    messages.push({ role: "assistant", thinking, text, calls })
    const results = calls.map(({ id, name }) => ({ id, name, text: toolOutput(dice, pool), error: dice.chance(0.03) }))
    messages.push({ role: "results", results })
  }
  while (room() >= 2) {
    messages.push(ask(dice))
    for (let steps = 1 + dice.geometric(0.85, 40); steps > 0 && room() >= 3; steps--) step()
    say()
  }
  messages.push(ask(dice))
  return messages
}

const ask = (dice) => ({ role: "user", text: sentence(dice, 8 + dice.below(40)) })

export const systemText = "You are a careful software engineer. Use the tools you are given, and say what you did."

/** What requests declare: the same six tools in every format. */
export const toolDeclarations = tools.map((name) => ({
  name,
  description: `Runs ${name} in the workspace.`,
  schema: { type: "object", properties: { path: { type: "string" } } },
}))
