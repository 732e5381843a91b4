/**
 * Which demands a Claude model makes, read from its name: `claude-opus-4-6`, `claude-sonnet-5.5`,
 * `claude-3-5-sonnet-…`, with or without a vendor prefix. A name that cannot be read makes no extra demand.
 */

interface ClaudeModel {
  readonly family: string
  readonly major: number
  readonly minor: number
}

const families = "opus|sonnet|haiku|fable|mythos"
const familyFirst = new RegExp(`(${families})-(\\d{1,2})(?:[.-](\\d{1,2}))?(?!\\d)`)
const versionFirst = new RegExp(`claude-(\\d{1,2})(?:[.-](\\d{1,2}))?-(${families})`)

function readModel(name: string | undefined): ClaudeModel | undefined {
  if (name === undefined) return undefined
  const newer = familyFirst.exec(name)
  if (newer !== null) return { family: newer[1] ?? "", major: Number(newer[2]), minor: Number(newer[3] ?? 0) }
  const older = versionFirst.exec(name)
  if (older !== null) return { family: older[3] ?? "", major: Number(older[1]), minor: Number(older[2] ?? 0) }
  return name.includes("mythos-preview") ? { family: "mythos", major: 5, minor: 0 } : undefined
}

/** Claude 4.6 and later do not continue a trailing assistant message. */
export function rejectsPrefill(name: string | undefined): boolean {
  const model = readModel(name)
  return model !== undefined && isAtLeast(model, 4, 6)
}

/**
 * `role: "system"` inside `messages`: Opus 4.8 and later, Fable and Mythos 5 and later; unknown names are not refused.
 */
export function supportsSystemRole(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return true
  if (model.family === "opus") return isAtLeast(model, 4, 8)
  return (model.family === "fable" || model.family === "mythos") && model.major >= 5
}

function isAtLeast(model: ClaudeModel, major: number, minor: number): boolean {
  return model.major > major || (model.major === major && model.minor >= minor)
}

/** Opus 4.7 and all later models take only adaptive thinking. */
export function wantsAdaptiveThinking(name: string | undefined): boolean {
  const model = readModel(name)
  return model !== undefined && (isAtLeast(model, 5, 0) || (model.family === "opus" && isAtLeast(model, 4, 7)))
}

/** Models up to 4.5 do not know adaptive thinking. */
export function acceptsAdaptiveThinking(name: string | undefined): boolean {
  const model = readModel(name)
  return model === undefined || isAtLeast(model, 4, 6)
}

/** Fable, Mythos and Opus 5.5 cannot switch thinking off. */
export function alwaysThinks(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return false
  return model.family === "fable" || model.family === "mythos" || (model.family === "opus" && isAtLeast(model, 5, 5))
}

/** Opus 5.5, and Fable and Mythos from 5.1, take no forced tool choice. */
export function rejectsForcedTools(name: string | undefined): boolean {
  const model = readModel(name)
  if (model === undefined) return false
  if (model.family === "opus") return isAtLeast(model, 5, 5)
  return (model.family === "fable" || model.family === "mythos") && isAtLeast(model, 5, 1)
}
