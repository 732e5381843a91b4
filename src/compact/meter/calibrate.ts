/**
 * Learns from what a provider reported: the same conversation, estimated by us and counted by it. Vocabularies differ
 * by a factor that is steady within a conversation, so one factor per conversation is enough. A report that is wildly off
 * counts something else: one that is far too low leaves out what was cached, and is not believed; one that is far too high
 * counts tools we were not told of, and is believed up to a bound, because counting too much is safe.
 */
import { createMeter } from "./create-meter.ts"
import type { Size } from "../size.ts"
import type { Meter } from "./meter.ts"

/** One request: our estimate of it and the input tokens its provider reported, cached ones included. */
export interface UsageSample {
  readonly estimated: number
  readonly reported: number
}

const least = 0.6
const most = 1.8

/** Reported over estimated, weighed by size; 1 without a sample that can be believed. */
export const calibrationFactor = (samples: readonly UsageSample[]): number => {
  let estimated = 0
  let reported = 0
  for (const sample of samples) {
    if (!(sample.estimated > 0 && Number.isFinite(sample.estimated + sample.reported))) continue
    if (sample.reported < least * sample.estimated) continue
    estimated += sample.estimated
    reported += sample.reported
  }
  return estimated === 0 ? 1 : Math.min(most, reported / estimated)
}

/** The same meter with its tokens scaled to what the provider reports; the very meter when they agree. */
export const calibrate = (meter: Meter, samples: readonly UsageSample[]): Meter =>
  scaledMeter(meter, calibrationFactor(samples))

export const scaledMeter = (meter: Meter, factor: number): Meter => {
  if (factor === 1) return meter
  const sizeOfText = (text: string): Size => {
    const { tokens, bytes } = meter.sizeOfText(text)
    return { tokens: Math.ceil(tokens * factor), bytes }
  }
  return createMeter(sizeOfText, meter.tolerance, factor)
}
