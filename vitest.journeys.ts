import { defineConfig } from 'vitest/config'

/** Journeys that take longer than the tests of `npm test` may: `npm run test:journeys`. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@x/source'] } },
  test: {
    include: ['{packages,examples}/*/test/**/*.long.ts'],
    globalSetup: ['examples/reference-server/test/joined-server.ts'],
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each of them starts servers; side by side they would measure one another.
    fileParallelism: false,
    passWithNoTests: true,
    reporters: ['default', './tools/count-reporter.ts'],
  },
})
