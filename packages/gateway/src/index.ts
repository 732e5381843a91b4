/**
 * The gateway as a library: an HTTP server between any client and any provider, through which a history stays valid.
 *
 *   const gateway = await startGateway(readConfig({ upstreams: { anthropic: {} } }))
 *   console.log(gateway.url)
 *   await gateway.stop()
 */
export { type Config, ConfigError, defaultLimits, type Limits, type ModelRule, readConfig, type Upstream } from "./config/config.ts"
export { knownUpstreams } from "./config/upstreams.ts"
export type { ExchangeRecord } from "./exchange/exchange.ts"
export { hashedKey } from "./server/guard.ts"
export { runAgent } from "./run/run-agent.ts"
export { serve, type ServeIo, type ServeOptions } from "./serve/serve.ts"
export { findTracer, type GatewayTracer } from "./telemetry.ts"
export type { LiveBegin, LiveChange, LiveEnd, LiveQuestion, LiveRefusal } from "./live/event.ts"
export { type Gateway, type GatewayOptions, type Mount, startGateway } from "./server/server.ts"
export { type WireName, wireNames } from "./wires/wire.ts"
