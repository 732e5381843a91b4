/**
 * Learns from what a provider reported: the same conversation, estimated by us and counted by it. Vocabularies differ
 * by a factor that is steady within a conversation, so one factor per conversation is enough. It is bounded, because
 * a report that is wildly off counts something else (a cached prefix left out, tools we were not told of).
 */
import { createMeter } from "./create-meter.ts"
import type { Meter } from "./meter.ts"

/** One request: our estimate of it and the input tokens its provider reported, cached ones included. */
export interface UsageSample {
  readonly estimated: number
  readonly reported: number
}

const least = 0.6
const most = 1.8

/** Reported over estimated, weighed by size; 1 without a usable sample. */
export const calibrationFactor = (samples: readonly UsageSample[]): number => {
  let estimated = 0
  let reported = 0
  for (const sample of samples) {
    if (!(sample.estimated > 0 && sample.reported > 0 && Number.isFinite(sample.estimated + sample.reported))) continue
    estimated += sample.estimated
    reported += sample.reported
  }
  return estimated === 0 ? 1 : Math.min(most, Math.max(least, reported / estimated))
}

/** The same meter with its tokens scaled to what the provider reports; the very meter when they agree. */
export const calibrate = (meter: Meter, samples: readonly UsageSample[]): Meter => {
  const factor = calibrationFactor(samples)
  if (factor === 1) return meter
  return createMeter((text) => {
    const { tokens, bytes } = meter.sizeOfText(text)
    return { tokens: Math.ceil(tokens * factor), bytes }
  }, meter.tolerance)
}
