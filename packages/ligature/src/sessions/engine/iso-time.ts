/**
 * Times for records that we write: ISO texts that count up from a given one. Plain arithmetic on the proleptic Gregorian
 * calendar, because pure code has no clock, and a `Date` is one slip away from reading it.
 */

const isoTime = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3})\d*)?(?:Z|[+-]00:00)?$/

export const epoch = "1970-01-01T00:00:00.000Z"

/** Days since 1970-01-01; years are counted from March, so that the leap day is the last of its year. */
const daysSinceEpoch = (year: number, month: number, day: number): number => {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

const two = (value: number): string => String(value).padStart(2, "0")

/** Milliseconds since the epoch; undefined for a text that is no UTC time. */
export const millisecondsOf = (iso: string): number | undefined => {
  const match = isoTime.exec(iso)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction] = match
  const days = daysSinceEpoch(Number(year), Number(month), Number(day))
  const seconds = ((days * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second)
  return seconds * 1000 + Number((fraction ?? "0").padEnd(3, "0"))
}

export const isoOf = (milliseconds: number): string => {
  const days = Math.floor(milliseconds / 86_400_000)
  const rest = milliseconds - days * 86_400_000
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const clock = `${two(Math.floor(rest / 3_600_000))}:${two(Math.floor(rest / 60_000) % 60)}:${two(Math.floor(rest / 1000) % 60)}`
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${clock}.${String(rest % 1000).padStart(3, "0")}Z`
}

/** One second a record, from `startedAt` on; from the epoch when that is missing or no UTC time. */
export const isoTimes = (startedAt?: string): (() => string) => {
  let next = (startedAt === undefined ? undefined : millisecondsOf(startedAt)) ?? 0
  return () => {
    const time = isoOf(next)
    next += 1000
    return time
  }
}
