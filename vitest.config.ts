import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    isolate: false,
    maxWorkers: "100%",
    setupFiles: ["packages/ligature/test/setup.ts"],
    testTimeout: 60_000,
  },
})
