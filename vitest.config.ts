import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    isolate: false,
    maxWorkers: "100%",
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
  },
})
