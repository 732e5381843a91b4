/** The memory store against the suite of all stores. */
import { memoryHome, memoryStore } from "../../src/store/index.ts"
import { storeConformance } from "./conformance.ts"

storeConformance("memory", async () => {
  const home = memoryHome()
  return { open: (now) => memoryStore({ now, home }), dispose: async () => {} }
})
