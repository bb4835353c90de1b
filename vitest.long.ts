import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { TAGS } from './tools/test-tags.ts'

/** What a test mentions that holds a time or an amount of memory to a limit. */
const MEASURES =
  /\b(?:besideHealth|keepsAnswering|stopwatch|processorMs|memoryOf|rss|bench\/soak|performance\.now|Date\.now)\b/

/** The first line of a file that runs in `.ci/night` only. */
const NIGHT = '// Runs each night (.ci/night).\n'
const isNight = process.env['NIGHT'] === '1'

/** Files of `npm test` with tests that it leaves out. */
const TAGGED = isNight ? /\btags: \['(?:long|night)'\]|\bsmallAndFull\(/ : /\btags: \['long'\]/

const long: string[] = []
const alone: string[] = []
const tagged: string[] = []
for (const path of testFiles()) {
  const text = readFileSync(new URL(path, import.meta.url), 'utf8')
  if (text.startsWith(NIGHT) && !isNight) continue
  if (!path.endsWith('.long.ts')) {
    if (TAGGED.test(text)) tagged.push(path)
  } else if (MEASURES.test(text)) alone.push(path)
  else long.push(path)
}

/** Side by side, after what is left out of a file that `npm test` runs. */
const together = { maxWorkers: 2, isolate: false, sequence: { groupOrder: 1 } }

/** Those that measure do not measure one another. */
const oneByOne = { maxWorkers: 1, sequence: { groupOrder: 2 } }

// Vitest takes the filter of a project, which its types have for the whole run only.
const onlyTagged: object = { tagsFilter: [isNight ? 'long || night' : 'long'] }
const byDay: object = isNight ? {} : { tagsFilter: ['!night'] }

/** The long set: journeys, attacks on the shipped server, takeovers between processes, and full sizes. */
export default defineConfig({
  ssr: { resolve: { conditions: ['@x/source'] } },
  test: {
    projects: [
      { name: 'long', include: long, ...together, ...byDay },
      { name: 'tagged', include: tagged, ...together, ...onlyTagged },
      { name: 'alone', include: alone, ...oneByOne, ...byDay },
    ].map((test) => ({
      extends: true as const,
      test: {
        ...test,
        exclude: configDefaults.exclude,
        tags: [...TAGS],
        globalSetup: [
          'tests/server/joined-server.ts',
          'packages/store-kysely/test/postgres-server.ts',
        ],
      },
    })),
    // Many of these hold a shared machine to times: what passes only on retry is listed, and is a fault to mend.
    retry: 1,
    // What is transformed once serves every project, and the stages of the check that come later.
    experimental: { fsModuleCache: true },
    // `expect.poll` waits for a condition; its default of one second is less than a busy machine needs.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 300_000,
    hookTimeout: 120_000,
    passWithNoTests: true,
    reporters: ['default', ['./tools/count-reporter.ts', { retries: 'listed' }]],
  },
})

function testFiles(): string[] {
  const parts = ['packages', 'internal', 'examples'].flatMap((group) =>
    readdirSync(new URL(group, import.meta.url)).flatMap((name) =>
      ['src', 'test'].map((part) => join(group, name, part)),
    ),
  )
  return [...parts, 'tests'].flatMap((folder) => {
    try {
      return readdirSync(new URL(folder, import.meta.url), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(?:test|long)\.ts$/.test(path) && !path.includes('node_modules'))
        .map((path) => join(folder, path))
    } catch {
      return []
    }
  })
}
