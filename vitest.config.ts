import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    isolate: false,
    setupFiles: ["test/setup.ts"],
    testTimeout: 60_000,
  },
})
