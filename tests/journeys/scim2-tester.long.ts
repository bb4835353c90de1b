import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startExample } from '../../tools/start-example.ts'
import { withService } from './service.ts'

/** A Python that has the packages of the guide on conformance. */
const PYTHON = process.env['SCIM2_TESTER_PYTHON'] ?? 'python3'
const TOKEN = 'a-long-random-secret'

const isThere = ((): boolean => {
  try {
    execFileSync(PYTHON, ['-c', 'import scim2_cli'], { stdio: 'ignore' })
    return true
  } catch {
    console.log(`skipped: ${PYTHON} has no scim2_cli; see SCIM2_TESTER_PYTHON`)
    return false
  }
})()

/** The number of checks with each result, and the lines of those that did not succeed. */
async function check(url: string): Promise<{ counts: Record<string, number>; others: string[] }> {
  const { stdout } = await promisify(execFile)(
    PYTHON,
    ['-c', 'from scim2_cli import cli; cli()', '--url', url, 'test'],
    {
      env: { ...process.env, SCIM_CLI_HEADERS: `Authorization: Bearer ${TOKEN}` },
      maxBuffer: 16 * 1024 * 1024,
    },
  )
  const lines = stdout.split('\n').filter((line) => /^[A-Z]+ /.test(line))
  const counts: Record<string, number> = {}
  for (const line of lines) {
    const [result = ''] = line.split(' ')
    counts[result] = (counts[result] ?? 0) + 1
  }
  return { counts, others: lines.filter((line) => !line.startsWith('SUCCESS ')) }
}

test.skipIf(!isThere)('scim2-tester passes against the shipped server', () =>
  withService(
    {
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: TOKEN,
      SCIM_USER_NAME: 'any',
      SCIM_DELETE_USER: 'remove',
      SCIM_EMPTY_MEMBERS: 'omit',
    },
    async ({ url }) => {
      expect(await check(`${url}/api/v1/scim/v2`)).toEqual({ counts: { SUCCESS: 138 }, others: [] })
    },
  ),
)

test.skipIf(!isThere)('SH-79 scim2-tester passes with resource types that it writes', async () => {
  const example = await startExample(new URL('../../examples/resource-types/', import.meta.url), {
    SCIM_TOKEN: TOKEN,
    UNKNOWN_IDS: 'keep',
  })
  try {
    const { counts, others } = await check(`${example.url}/scim/v2`)
    expect(others).toEqual([])
    expect(counts['SUCCESS']).toBeGreaterThan(200)
  } finally {
    await example.stop()
  }
})
