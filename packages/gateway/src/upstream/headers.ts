/**
 * Headers on their way. Those that are about one connection end here; what a client says to the gateway alone, too. All
 * others go on as they came: order, case and repetitions included.
 */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "http2-settings",
])

/** Pairs of a raw list: name, value, name, value. */
export const pairsOf = (raw: readonly string[]): readonly (readonly [string, string])[] => {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2) pairs.push([raw[index] as string, raw[index + 1] as string])
  return pairs
}

/** The headers that go on. `drop`: more of them that end here, in lower case. */
export const forwarded = (raw: readonly string[], drop: (name: string) => boolean): (readonly [string, string])[] => {
  const pairs = pairsOf(raw)
  const named = new Set(
    pairs.flatMap(([name, value]) =>
      name.toLowerCase() === "connection"
        ? value
            .toLowerCase()
            .split(",")
            .map((each) => each.trim())
        : [],
    ),
  )
  return pairs.filter(([name]) => {
    const lower = name.toLowerCase()
    return !hopByHop.has(lower) && !named.has(lower) && !lower.startsWith("x-ligature-") && !drop(lower)
  })
}

export const flat = (pairs: readonly (readonly [string, string])[]): string[] => pairs.flatMap(([name, value]) => [name, value])
