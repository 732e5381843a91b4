/**
 * How long a timer is set for. Timers of the platform take 24.8 days at most; a longer time, and Infinity, which is how
 * people say "for ever", would make them fire at once. Nothing here waits longer than that.
 */
const longestMs = 2 ** 31 - 1

export const timerMs = (ms: number): number => Math.min(ms, longestMs)
