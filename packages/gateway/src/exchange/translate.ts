/**
 * A request for a provider of another wire: the history moves by the library's door (decode, settle, encode), the settings
 * by its settings, and what the client's wire could not carry is put back first. Same request, same bytes: what comes before
 * the tip is written alike in every request, so that the provider's prompt cache holds.
 */
import { convertSettings, decode, encode, type ReportEntry, settle, type ToolSettings } from "ligature"
import type { Carrier } from "../conversation/carrier.ts"
import type { Upstream } from "../config/config.ts"
import type { Ask, Json, Wire } from "../wires/wire.ts"
import { dueEdits, editValue } from "./edits.ts"
import { withoutBilling } from "./billing.ts"
import type { Demands } from "./lessons.ts"

export interface Translated {
  readonly bytes: Buffer
  readonly model: string
  /** The model as the client calls it. */
  readonly asked: string
  readonly stream: boolean
  /** The tools by their names upstream. */
  readonly tools: ReadonlyMap<string, ToolSettings>
  readonly changes: readonly ReportEntry[]
  /** Settings that the upstream's wire has no place for. */
  readonly left: readonly string[]
}

export interface TranslateOptions {
  readonly wire: Wire
  readonly ask: Ask
  readonly upstream: Upstream
  /** The model to ask for instead of the one the client names. */
  readonly model: string | undefined
  readonly carrier: Carrier
  readonly demands: Demands
}

export const translate = (given: Json, { wire, ask, upstream, model, carrier, demands }: TranslateOptions): Translated => {
  const body = wire.name === "anthropic" ? withoutBilling(given) : given
  const { profile, policies } = demands
  const asked = ask.model ?? (typeof body["model"] === "string" ? body["model"] : "")
  const stream = ask.stream ?? body["stream"] === true
  const replace = { model: model ?? asked, stream }
  const { fields, tools, left } = convertSettings(body, { from: wire.name, to: upstream.wire, profile, replace })
  const { conversation, report } = settle(carrier.restore(decode(wire.name, body)), { policies })
  const { value, report: fitted } = encode(conversation, profile, { model: model ?? asked, policies })
  const { model: named, ...rest } = fields
  const written: Record<string, unknown> = { ...(named !== undefined && { model: named }), ...value, ...rest }
  for (const { name, as } of demands.members) {
    if (as !== undefined && written[name] !== undefined) written[as] ??= written[name]
    delete written[name]
  }
  const changes = [...report.entries, ...fitted.entries].filter(({ rule }) => rule !== "tool-list" || rest["tools"] === undefined)
  return {
    bytes: Buffer.from(JSON.stringify(editValue(written, [...demands.edits, ...dueEdits(written)]))),
    model: model ?? asked,
    asked,
    stream,
    tools,
    changes,
    left,
  }
}
