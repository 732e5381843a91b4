import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    isolate: false,
    testTimeout: 60_000,
  },
})
