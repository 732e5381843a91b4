/** The default meter: no tokenizer, no table of tokens, a little on the high side for every provider. */
import { createMeter } from "./create-meter.ts"
import { scanText } from "./estimate-tokens.ts"
import type { Meter } from "./meter.ts"

export const estimateMeter: Meter = createMeter(scanText)
