import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const source = fileURLToPath(new URL("packages/ligature/src", import.meta.url))

export default defineConfig({
  // Examples import the published name; here it is the source, so that nothing stale is tested.
  resolve: {
    alias: [
      { find: /^ligature-mcp$/, replacement: fileURLToPath(new URL("packages/mcp/src/index.ts", import.meta.url)) },
      { find: /^ligature-gateway$/, replacement: fileURLToPath(new URL("packages/gateway/src/index.ts", import.meta.url)) },
      { find: /^ligature$/, replacement: `${source}/index.ts` },
      { find: /^ligature\/sessions$/, replacement: `${source}/registry/sessions.ts` },
      { find: /^ligature\/rules$/, replacement: `${source}/rules/book/index.ts` },
      { find: /^ligature\/(.*)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  test: {
    include: ["packages/*/test/**/*.test.ts"],
    isolate: false,
    maxWorkers: "100%",
    setupFiles: ["packages/ligature/test/setup.ts"],
    testTimeout: 60_000,
  },
})
