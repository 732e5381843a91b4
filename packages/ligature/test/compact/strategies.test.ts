/** Every strategy of this folder against the common promises. */
import { cap, choose, dedupe, ladder, mask, pipeline, truncate, window } from "../../src/compact/index.ts"
import { strategyConformance } from "./conformance.ts"

strategyConformance("window", () => window(), { wishes: true })
strategyConformance("window that keeps three first and six last", () => window({ keepFirst: 3, keepLast: 6 }))
strategyConformance("window without a head", () => window({ keepFirst: 0 }))
strategyConformance("truncate", () => truncate(), { wishes: true })
strategyConformance("truncate by a tenth", () => truncate({ fraction: 0.1 }))
strategyConformance("cap", () => cap({ tokens: 120 }), { wishes: true })
strategyConformance("dedupe", () => dedupe(), { wishes: true })
strategyConformance("mask", () => mask(), { wishes: true })
strategyConformance("mask with inputs", () => mask({ keep: 0, clearInputs: true }))
strategyConformance("a ladder", () => ladder(dedupe(), mask(), window()), { wishes: true })
strategyConformance("a pipeline", () => pipeline(dedupe(), cap({ tokens: 300 }), mask({ keep: 1 }), window()), { wishes: true })
strategyConformance("a pipeline of windows", () => pipeline(window({ keepLast: 4 }), truncate(), window()))
strategyConformance("a choice", () => choose(() => window()))
