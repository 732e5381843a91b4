/**
 * What a request says beside its history, moved to another format: tools, limits, how to think. `convert` moves histories;
 * whoever sends a whole request on (a gateway) needs both. Names of tools become what the target takes, and a call in the
 * answer finds its way back through `tools`.
 */
import { assertOptions, isWire, LigatureError, type OptionNames, type Wire } from "../model/index.ts"
import { type Profile, type ProfileName, resolveProfile } from "../rules/index.ts"
import { wireName } from "../rules/fit/wire-names.ts"
import type { RequestSettings, SettingsCodec, ToolSettings } from "../formats/engine/settings.ts"
import { type Format, resolveCodec, type WireFormat } from "../registry/registry.ts"
import { settingsCodecs } from "../registry/settings.ts"
import { defaultProfile } from "./convert.ts"

export interface SettingsOptions {
  readonly from: Format
  readonly to: Format
  /** The provider to write for; default: the one the target format is named after. */
  readonly profile?: Profile | ProfileName
  /** Settings that win over those of the request: another model, no streaming. */
  readonly replace?: Partial<RequestSettings>
}

const settingsNames: OptionNames<SettingsOptions> = { from: true, to: true, profile: true, replace: true }

export interface ConvertedSettings {
  /** Fields of the new request, without its history. */
  readonly fields: Wire
  /** What was read. */
  readonly settings: RequestSettings
  /** The tools by the names they have in the new request. */
  readonly tools: ReadonlyMap<string, ToolSettings>
  /** Fields, and tools of the provider's own, that the new request does not have. */
  readonly left: readonly string[]
}

const settingsOf = (format: Format): SettingsCodec => {
  const settings = settingsCodecs[resolveCodec(format).format as WireFormat]
  if (settings) return settings
  throw new LigatureError("unknown-format", `Expected a format whose requests have settings, got "${format}"`)
}

/** Each tool under a name of its own: one that two groups share is named with its group. */
const named = (tools: readonly ToolSettings[], profile: Profile | undefined): ReadonlyMap<string, ToolSettings> => {
  const times = new Map<string, number>()
  for (const { name } of tools) times.set(name, (times.get(name) ?? 0) + 1)
  const found = new Map<string, ToolSettings>()
  for (const tool of tools) {
    const own = tool.group !== undefined && (times.get(tool.name) ?? 0) > 1 ? `${tool.group}__${tool.name}` : tool.name
    const name = profile ? wireName(own, profile.names) : own
    // A tool that is declared twice is one tool.
    if (!found.has(name)) found.set(name, tool)
  }
  return found
}

/**
 * The settings of a request, written for another format.
 *
 * @example
 * const { fields } = convertSettings(request, { from: "anthropic", to: "openai-chat" })
 */
export const convertSettings = (request: unknown, options: SettingsOptions): ConvertedSettings => {
  assertOptions(options, settingsNames)
  const { from, to, profile, replace } = options
  const settings = { ...settingsOf(from).read(isWire(request) ? request : {}), ...replace }
  const target = profile === undefined ? defaultProfile(to) : resolveProfile(profile)
  const tools = named(settings.tools ?? [], target)
  const renamed = settings.tools && [...tools].map(([name, tool]) => ({ ...tool, name }))
  const { toolChoice } = settings
  const chosen = typeof toolChoice === "object" ? [...tools].find(([, tool]) => tool.name === toolChoice.tool)?.[0] : undefined
  const fields = settingsOf(to).write({
    ...settings,
    ...(renamed && { tools: renamed }),
    ...(chosen !== undefined && { toolChoice: { tool: chosen } }),
  })
  return { fields, settings, tools, left: settings.left }
}
