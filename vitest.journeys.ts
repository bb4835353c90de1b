import { defineConfig } from 'vitest/config'

/** Journeys, attacks on the shipped server and takeovers between processes, which take longer than `npm test` may. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@x/source'] } },
  test: {
    include: ['{packages,examples}/*/test/**/*.long.ts'],
    globalSetup: [
      'examples/reference-server/test/joined-server.ts',
      'examples/reference-server/test/postgres-server.ts',
    ],
    // A busy machine can disturb real servers and sockets; tests that pass only on retry are listed at the end.
    retry: 1,
    // `expect.poll` waits for a condition; its default of one second is less than a busy machine needs.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 120_000,
    // Each of them starts servers; side by side they would measure one another.
    fileParallelism: false,
    passWithNoTests: true,
    reporters: ['default', './tools/count-reporter.ts'],
  },
})
