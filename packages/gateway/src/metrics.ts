/** Counters and times for Prometheus, without content and without names of conversations. */

type Labels = Readonly<Record<string, string>>

const help: Readonly<Record<string, readonly [type: "counter" | "gauge" | "histogram", text: string]>> = {
  ligature_requests_total: ["counter", "Requests, by the wire of the client, the upstream and the status"],
  ligature_repairs_total: ["counter", "Changes made to histories, by rule"],
  ligature_healed_total: ["counter", "Refusals that a second, stricter request healed, by requirement"],
  ligature_streams_broken_total: ["counter", "Answers that did not reach their end, by who broke them"],
  ligature_added_seconds: ["histogram", "Time between the last byte of a request and its forwarding"],
  ligature_tokens_total: ["counter", "Tokens that providers counted, by upstream and kind; cache_read and cache_write are part of input"],
  ligature_looks_total: ["counter", "How histories were looked at: the new end, the whole, or not at all"],
  ligature_store_failures_total: ["counter", "Requests and answers that could not be stored"],
  ligature_compactions_total: ["counter", "Compactions that were asked for, by what came of them"],
  ligature_tokens_saved_total: ["counter", "Tokens that compactions took out of requests, when they were made"],
  ligature_jobs_total: ["counter", "Jobs for compactions, by what came of them; freed: their worker had died"],
  ligature_recalls_total: ["counter", "Calls of the recall tool that were answered here"],
  ligature_active: ["gauge", "Requests that are being answered"],
  ligature_conversations: ["gauge", "Conversations that are remembered"],
  ligature_remembered_bytes: ["gauge", "Bytes that are remembered of conversations"],
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (each) => (each === "\n" ? "\\n" : `\\${each}`))

/** In seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

interface Histogram {
  /** How many were within each bound, and within none. */
  readonly counts: number[]
  sum: number
}

const histogramLines = (name: string, { counts, sum }: Histogram): readonly string[] => {
  let within = 0
  const buckets = [...bounds, "+Inf"].map((bound, at) => `${name}_bucket{le="${bound}"} ${(within += counts[at] ?? 0)}`)
  return [...buckets, `${name}_sum ${sum}`, `${name}_count ${within}`]
}

export class Metrics {
  readonly #values = new Map<string, Map<string, number>>()
  readonly #histograms = new Map<string, Histogram>()

  add(name: string, labels: Labels = {}, by = 1): void {
    const key = Object.entries(labels)
      .map(([label, value]) => `${label}="${escaped(value)}"`)
      .join(",")
    const values = this.#values.get(name) ?? new Map<string, number>()
    values.set(key, (values.get(key) ?? 0) + by)
    this.#values.set(name, values)
  }

  observe(name: string, seconds: number): void {
    let histogram = this.#histograms.get(name)
    if (!histogram) this.#histograms.set(name, (histogram = { counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 }))
    const at = bounds.findIndex((bound) => seconds <= bound)
    const place = at < 0 ? bounds.length : at
    histogram.counts[place] = (histogram.counts[place] ?? 0) + 1
    histogram.sum += seconds
  }

  set(name: string, value: number): void {
    this.#values.set(name, new Map([["", value]]))
  }

  text(): string {
    const lines: string[] = []
    for (const [name, values] of this.#values) {
      const [type, text] = help[name] ?? ["counter", name]
      lines.push(`# HELP ${name} ${text}`, `# TYPE ${name} ${type}`)
      for (const [labels, value] of values) lines.push(`${name}${labels === "" ? "" : `{${labels}}`} ${value}`)
    }
    for (const [name, histogram] of this.#histograms)
      lines.push(`# HELP ${name} ${help[name]?.[1] ?? name}`, `# TYPE ${name} histogram`, ...histogramLines(name, histogram))
    return `${lines.join("\n")}\n`
  }
}
