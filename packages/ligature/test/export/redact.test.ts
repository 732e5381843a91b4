/** What redaction takes out, what it leaves, and that it says so. */
import { describe, expect, it } from "vitest"
import { redact, type RedactOptions } from "../../src/export/index.ts"
import { Redactor, redactFileText } from "../../src/export/redact.ts"

const redacted = (text: string, options: RedactOptions = {}): string => redact(text, options).value

/** Put together here, so that no scanner takes this file for a leak. */
const of = (prefix: string, rest: string): string => `${prefix}${rest}`
const random = "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z"

describe("redact", () => {
  it.each([
    ["anthropic-key", of("sk-ant-", `api03-${random}`)],
    ["api-key", of("sk-", `proj-${random}`)],
    ["github-token", of("ghp_", random)],
    ["github-token", of("github_pat_", `${random}_${random}`)],
    ["gitlab-token", of("glpat-", random.slice(0, 20))],
    ["slack-token", of("xoxb-", "123456789012-abcdefABCDEF")],
    ["aws-key", of("AKIA", "IOSFODNN7EXAMPLE")],
    ["google-key", of("AIza", random.slice(0, 35))],
    ["stripe-key", of("sk_live_", random)],
    ["api-key", of("hf_", random)],
    ["api-key", of("npm_", `${random}`.slice(0, 36))],
    ["api-key", of("hvs.", random)],
    ["api-key", of(`${random.slice(0, 14)}.`, `atlasv1.${random}${random}`)],
    ["api-key", of("lsv2_", `pt_${"0a1b2c3d".repeat(4)}_0a1b2c3d4e`)],
    ["api-key", of("dckr_", `pat_${random}`)],
    ["api-key", of("secret_", `${random}${random}`)],
    ["api-key", of("nvapi-", `${random}${random}`)],
    ["api-key", of("key-", "0a1b2c3d".repeat(4))],
    ["azure-key", of("abc8Q~", random)],
    ["token", of("eyJ", `hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.${random}`)],
  ])("takes out a %s, in text, in JSON in a string and after an escaped line break", (kind, secret) => {
    for (const around of [
      (text: string) => `before ${text} after`,
      (text: string) => `(${text})`,
      (text: string) => JSON.stringify({ output: `line\n${text}\nline`, value: text }),
    ]) {
      const out = redacted(around(secret))
      expect(out).not.toContain(secret.slice(8))
      expect(out).toContain(`[redacted-${kind}-1]`)
    }
  })

  it.each([
    ["Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted-token-1]"],
    ["postgres://ada:hunter2@db/x", "postgres://ada:[redacted-password-1]@db/x"],
    ["https://x.test/?a=1&access_token=abc123def456&b=2", "https://x.test/?a=1&access_token=[redacted-token-1]&b=2"],
    ["export DB_PASSWORD=correcthorse", "export DB_PASSWORD=[redacted-secret-1]"],
    ['apiKey: "abc123def456"', 'apiKey: "[redacted-secret-1]"'],
    ['{\\"client_secret\\": \\"abc123def456\\"}', '{\\"client_secret\\": \\"[redacted-secret-1]\\"}'],
    ["Cookie: session=0123456789abcdef; theme=dark", "Cookie: [redacted-token-1]"],
    ["AccountKey=0123456789abcdefghijABCDEFGHIJ0123456789abcdef==;End=x", "AccountKey=[redacted-azure-key-1];End=x"],
    [
      "https://discord.com/api/webhooks/1234567890123/abcdefghij0123456789abcdefghij0123456789-_",
      "https://discord.com/api/webhooks/1234567890123/[redacted-token-1]",
    ],
    ["git clone https://abcdefgh0123456789@host.test/a.git", "git clone https://[redacted-token-1]@host.test/a.git"],
    ["api.telegram.test/bot123456789:AAabcdefghij0123456789abcdefghij012/getMe", "api.telegram.test/bot[redacted-api-key-1]/getMe"],
    ["curl -s -u ada:hunter2 https://x.test", "curl -s -u ada:[redacted-password-1] https://x.test"],
    ["mysql -h db -u root -phunter2 shop", "mysql -h db -u root -p[redacted-password-1] shop"],
    ["machine x.test login ada password hunter2", "machine x.test login ada password [redacted-password-1]"],
    ["sshpass -p 'hunter2' ssh x", "sshpass -p '[redacted-password-1]' ssh x"],
    ['{"auths":{"r.test":{"auth":"YWRhOmh1bnRlcjI="}}}', '{"auths":{"r.test":{"auth":"[redacted-secret-1]"}}}'],
    ["deploy --api-key abc123def456", "deploy --api-key [redacted-secret-1]"],
    ["SIGNING_KEY=abc123def456ghi", "SIGNING_KEY=[redacted-secret-1]"],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIE+x/\n-----END RSA PRIVATE KEY-----\nrest", "[redacted-private-key-1]\nrest"],
  ])("takes out the secret of %s", (text, expected) => {
    expect(redacted(text)).toBe(expected)
  })

  it.each([
    "const token = process.env.GITHUB_TOKEN",
    'const password = await readPassword("db")',
    "max_tokens: 4096, total_tokens: 123456789012",
    "API_KEY=<your key here>",
    "API_KEY=${API_KEY}",
    "secret: sops.decryptedValue",
    "the token bucket refills 1000 times",
    "toolu_01aB3dE5fG7hI9jK1lM3nO5p call_aB3dE5fG7hI9jK1lM3nO5pQ7",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "sk-fading-circle sk-circle-container-large",
    "https://example.test/path?query=password+reset",
    "PRIMARY_KEY=customer_id",
    "docker run --user 1000:1000 image && mkdir -p folder",
    "auth: required, { auth: 'none' }",
    "sha512-Wb3NPXvFwxg/oPkbLqsNCPZyyKRHzZrRLwu54Bhvvp8HW1aOvxYtVDWmGuXRUeCVf1wgRjDjMRz",
  ])("leaves what is no secret: %s", (text) => {
    const { value, report } = redact(text)
    expect(value).toBe(text)
    expect(report.taken).toEqual([])
  })

  it("takes the user out of home paths, in every spelling, and knows each again", () => {
    const text = [
      "/home/ada/a.ts",
      "/Users/grace/b.ts",
      "C:\\Users\\ada\\c.ts",
      '"C:\\\\Users\\\\Ada Lovelace\\\\d.ts"',
      "/mnt/c/Users/ada/e.ts",
      "~/.claude/projects/-home-ada-work/x.jsonl",
      "/home/ada",
      "file:///c%3A/Users/ada/f.ts",
      '"\\/home\\/ada\\/g.ts"',
      "\\\\wsl.localhost\\Ubuntu\\home\\ada\\h.ts",
    ].join("\n")
    expect(redacted(text).split("\n")).toEqual([
      "/home/user/a.ts",
      "/Users/user-2/b.ts",
      "C:\\Users\\user\\c.ts",
      '"C:\\\\Users\\\\user-3\\\\d.ts"',
      "/mnt/c/Users/user/e.ts",
      "~/.claude/projects/-home-user-work/x.jsonl",
      "/home/user",
      "file:///c%3A/Users/user/f.ts",
      '"\\/home\\/user\\/g.ts"',
      "\\\\wsl.localhost\\Ubuntu\\home\\user\\h.ts",
    ])
  })

  it("takes out a home that is somewhere else, where it is told", () => {
    expect(redacted("/srv/people/ada/x and /srv/people/adam/y", { homes: ["/srv/people/ada"] })).toBe(
      "/srv/people/user/x and /srv/people/adam/y",
    )
  })

  it("takes out names where they stand alone, in any case and as JSON escapes them", () => {
    const names = ["Ada", "Zoë Müller", "小明"]
    const text = `ADA's adapter, ada_2, Canada, ${JSON.stringify("x")} Zo\\u00eb M\\u00fcller, zoë\nmüller, 我是小明。`
    expect(redacted(text, { names })).toBe(`[name-1]'s adapter, [name-1]_2, Canada, "x" [name-2], [name-2], 我是[name-3]。`)
  })

  it("keeps calls joined to their results: ids are no secrets, and equal texts stay equal", () => {
    const key = of("ghp_", random)
    const { value, report } = redact({
      messages: [
        { role: "assistant", tool_calls: [{ id: "call_1", function: { name: "bash", arguments: JSON.stringify({ token: key }) } }] },
        { role: "tool", tool_call_id: "call_1", content: `used ${key}` },
      ],
    })
    expect(value.messages[1]).toEqual({ role: "tool", tool_call_id: "call_1", content: "used [redacted-github-token-1]" })
    expect(JSON.stringify(value.messages[0])).toContain("[redacted-github-token-1]")
    expect(report.taken).toEqual([{ kind: "github-token", times: 2, different: 1 }])
  })

  it("takes out the value of a field that is named as a secret, whatever it looks like", () => {
    const { value } = redact({ apiKey: "plainwords", auth: { refresh_token: "zzzz-zzz1" }, max_tokens: 12, "x-api-key": "${KEY}" })
    expect(value).toEqual({
      apiKey: "[redacted-secret-1]",
      auth: { refresh_token: "[redacted-secret-2]" },
      max_tokens: 12,
      "x-api-key": "${KEY}",
    })
  })

  it("says who is still named elsewhere, and what it did not look into", () => {
    const { report } = redact(["/home/ada/x", "drwx ada ada 4096", "iVBORw0KGgo".repeat(40)])
    expect(report.left).toEqual([{ name: "ada", times: 2 }])
    expect(report.encoded).toBe(1)
  })

  it("changes nothing a second time", () => {
    const once = redacted(`password: "abc123def456" /home/ada ${of("ghp_", random)} https://a:b@c Ada`, { names: ["Ada"] })
    const twice = redact(once, { names: ["Ada"] })
    expect(twice.value).toBe(once)
    expect(twice.report.taken).toEqual([])
  })

  it("takes linear time on text that is made to be slow", () => {
    const size = 300_000
    for (const unit of [
      "-----BEGIN PRIVATE KEY-----",
      "a://",
      "token=",
      "cookie:",
      "/home/",
      "C:\\Users\\a ",
      "eyJaaaaaaaaa.",
      "sk-",
      "\\",
      '"',
    ])
      expect(redacted(unit.repeat(size / unit.length)).length).toBeGreaterThan(0)
  }, 20_000)
})

describe("the text of a file", () => {
  it("changes strings of JSON and nothing around them, also in lines that are damaged", () => {
    const key = of("ghp_", random)
    const text = `{ "n" : 12345678901234567890, "s":"${key}",  "password" : "x1x2x3x4" }\n{"torn":"/home/ada/${key}\n{"ok":"\\u0041"}\n`
    expect(redactFileText(text, new Redactor())).toBe(
      `{ "n" : 12345678901234567890, "s":"[redacted-github-token-1]",  "password" : "[redacted-secret-1]" }\n` +
        `{"torn":"/home/user/[redacted-github-token-1]\n{"ok":"\\u0041"}\n`,
    )
  })

  it("misses nothing where a line begins in the middle of a string", () => {
    const key = of("ghp_", random)
    const text = `{"a":1}\nand ${key}", "b": "/home/ada", "c": "${key}\n{"d":"${key}"}\n`
    expect(redactFileText(text, new Redactor())).not.toMatch(/ghp_|ada/)
  })

  it("reads text that is no JSON as it is", () => {
    expect(redactFileText(`# Chat\n/home/ada "x" ${of("ghp_", random)}`, new Redactor())).toBe(
      `# Chat\n/home/user "x" [redacted-github-token-1]`,
    )
  })
})
