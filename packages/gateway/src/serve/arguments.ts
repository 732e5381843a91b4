/** The command line of `ligature serve`, as a configuration. What it says wins over the file. */
import { readFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { ConfigError } from "../config/config.ts"
import { knownUpstreams } from "../config/upstreams.ts"

export const usage = `Usage: ligature serve --upstream NAME [options]
       ligature serve --config FILE [options]

An HTTP gateway: clients send their requests here instead of to a provider. Damaged histories are repaired for the provider
they go to, healthy ones pass as they are. A provider that speaks another API than the client is fine.

  --upstream NAME|URL  where requests go: ${Object.keys(knownUpstreams).join(", ")},
                       or an address together with --wire; repeatable
  --wire WIRE          what an address speaks: anthropic, openai-chat, openai-responses, gemini
  --profile PROFILE    whose requirements its requests meet (\`ligature profiles\` lists them)
  --key KEY            sent to the upstream instead of the client's own; $NAME reads an environment variable
  --config FILE        settings as JSON
  --host HOST          address to listen on (default 127.0.0.1; any other one needs keys in the configuration)
  --port PORT          port to listen on (default 4141; 0: any free one)
  --no-repair          pass requests on as they are where the API stays the same
  --log                print a line of JSON for every request
  --hash-key           read a key from stdin and print what goes into "keys"
`

export interface Served {
  readonly config: unknown
  readonly log: boolean
}

type Fields = Readonly<Record<string, unknown>>

const readFile = (path: string): Fields => {
  let text: string
  try {
    text = readFileSync(path, "utf8")
  } catch (error) {
    throw new ConfigError([`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`])
  }
  try {
    return JSON.parse(text) as Fields
  } catch (error) {
    throw new ConfigError([`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`])
  }
}

/** `--upstream` gives a known name, or an address. */
const upstreamsOf = (named: readonly string[], given: Fields): Fields =>
  Object.fromEntries(
    named.map((each): readonly [string, Fields] => {
      if (Object.hasOwn(knownUpstreams, each)) return [each, given]
      if (!URL.canParse(each)) throw new ConfigError([`--upstream: expected an address or one of ${Object.keys(knownUpstreams).join(", ")}, got ${each}`])
      if (given["wire"] === undefined) throw new ConfigError([`--upstream ${each}: say what it speaks with --wire`])
      return [new URL(each).host, { ...given, url: each }]
    }),
  )

export const readArguments = (argv: readonly string[]): Served => {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      upstream: { type: "string", multiple: true },
      wire: { type: "string" },
      profile: { type: "string" },
      key: { type: "string" },
      config: { type: "string" },
      host: { type: "string" },
      port: { type: "string" },
      "no-repair": { type: "boolean" },
      log: { type: "boolean" },
    },
  })
  const { wire, profile, key, host, port } = values
  const file = values.config === undefined ? {} : readFile(values.config)
  const given = { ...(wire !== undefined && { wire }), ...(profile !== undefined && { profile }), ...(key !== undefined && { key }) }
  const named = values.upstream ?? []
  const upstreams = named.length > 0 ? { upstreams: upstreamsOf(named, given) } : {}
  const config = {
    ...file,
    ...upstreams,
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port: Number(port) }),
    ...(values["no-repair"] === true && { repair: false }),
  }
  return { config, log: values.log === true }
}
