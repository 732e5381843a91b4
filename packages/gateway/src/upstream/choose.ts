/** Which upstream a request goes to: by its model where a rule says so, else one of its own wire, else the first. */
import type { Config, Upstream } from "../config/config.ts"
import type { WireName } from "../wires/wire.ts"

export interface Choice {
  readonly upstream: Upstream
  /** Asked for instead of the model that the client named. */
  readonly model: string | undefined
}

/** `model` is asked for only where a rule may depend on it: finding it in a body is not free. */
export const chooseUpstream = ({ upstreams, models }: Config, wire: WireName, model: () => string | undefined): Choice | undefined => {
  const name = models.length === 0 ? undefined : (model() ?? "")
  const rule = name === undefined ? undefined : models.find(({ pattern }) => pattern.test(name))
  const named = rule && upstreams.find((each) => each.name === rule.upstream)
  if (named) return { upstream: named, model: rule.model }
  const upstream = upstreams.find((each) => each.wire === wire) ?? upstreams[0]
  return upstream && { upstream, model: undefined }
}
