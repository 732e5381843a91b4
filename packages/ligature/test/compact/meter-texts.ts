/** Texts of the kinds agents see, each with its true number of tokens in the o200k vocabulary, counted once. */
import { numbersFromSeed } from "../../src/testing/damage.ts"

const bytes = (seed: number, length: number): Buffer => Buffer.from(numbersFromSeed(seed, length).map((number) => (number >>> 11) & 255))

const hex = (seed: number, length: number): string => bytes(seed, length).toString("hex")

const code = `export const resolveBudget = (budget: Budget, situation: Situation): Size => {
  const limits = { request: [], conversation: [], bytes: Number.POSITIVE_INFINITY }
  if (typeof budget === "number") limits.request.push(Math.floor(budget))
  for (let index = 0; index < limits.request.length; index++) {
    if (!(limits.request[index] > 0)) throw new TypeError(\`Expected a positive number, got \${budget}\`)
  }
  return { tokens: Math.min(...limits.request), bytes: limits.bytes }
}
`

const prose = `The compaction keeps the first request of the user and as many of the newest exchanges as fit. What is left out can be
read back by its handle, so that nothing is ever lost for the agent; it only costs one more call. When a file was read twice,
the older reading is replaced by a line that says where the newer one stands.
`

const chinese =
  "请检查这个函数,看看为什么读取大文件时内存会不断增长。我已经试过流式读取,但是问题仍然存在。错误信息显示连接超时,数据库连接池已满,无法获取新的连接。请先运行测试,然后修改配置文件并重新构建项目。"

const russian =
  "Проверьте, пожалуйста, эту функцию и объясните, почему тест не проходит. Соединение с базой данных закрыто по таймауту, настройки не менялись."

const logs = Array.from(
  { length: 30 },
  (_, line) =>
    `2026-11-0${1 + (line % 9)}T12:${10 + line}:33.${100 + line}Z [INFO] worker-${line % 4} request_id=${hex(line + 1, 8)} GET /api/v1/users/${1000 + line * 37} 200 ${line * 7}ms`,
).join("\n")

const json = JSON.stringify(
  Array.from({ length: 25 }, (_, index) => ({
    id: `usr_${bytes(index + 50, 9).toString("base64url")}`,
    file_path: `/home/agent/project/src/module-${index}/index.ts`,
    active: index % 2 === 0,
    score: index * 3.75,
    created_at: `2026-01-${10 + (index % 18)}T08:00:00.000Z`,
    tags: ["alpha", "beta"],
  })),
)

const directory = Array.from(
  { length: 30 },
  (_, line) =>
    `-rw-r--r--  1 agent staff  ${1000 + line * 91} Nov ${10 + (line % 20)} 09:${10 + line} src/compact/strategies/file-${line}.test.ts`,
).join("\n")

export const meterTexts: readonly { readonly name: string; readonly text: string; readonly tokens: number }[] = [
  { name: "code", text: code.repeat(4), tokens: 456 },
  { name: "prose", text: prose.repeat(4), tokens: 292 },
  { name: "JSON", text: json, tokens: 1578 },
  { name: "indented JSON", text: JSON.stringify(JSON.parse(json), null, 2), tokens: 2202 },
  { name: "JSON in JSON", text: JSON.stringify({ content: `${code}${prose}`, path: "src/index.ts" }), tokens: 209 },
  { name: "base64", text: bytes(7, 3000).toString("base64"), tokens: 2742 },
  { name: "hexadecimal digits", text: hex(9, 1500), tokens: 1742 },
  {
    name: "ids",
    text: Array.from({ length: 60 }, (_, each) => `toolu_01${bytes(each + 200, 16).toString("hex")}`).join("\n"),
    tokens: 1380,
  },
  { name: "Chinese", text: chinese.repeat(4), tokens: 252 },
  { name: "Russian", text: russian.repeat(4), tokens: 149 },
  { name: "a log", text: logs, tokens: 1437 },
  { name: "a directory", text: directory, tokens: 1019 },
  { name: "numbers", text: JSON.stringify(Array.from({ length: 300 }, (_, each) => each * 1237.125)), tokens: 1424 },
  { name: "emoji", text: "✅ done 🎉 shipped 🚀 careful ⚠️ broken ❌\n".repeat(20), tokens: 300 },
]
