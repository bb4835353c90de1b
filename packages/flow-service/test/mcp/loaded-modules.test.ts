import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Tells which modules the subpath loads. */
const WATCHED = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs'
  export async function load(url, context, next) {
    writeSync(1, url + '\\\\n')
    return await next(url, context)
  }\`))
await import('@x/flow-service/mcp')
`

async function run(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '--eval', program],
    { cwd: fileURLToPath(new URL('../..', import.meta.url)), maxBuffer: 16 * 1024 * 1024 },
  )
  return stdout
}

test(
  'MC-90 MC-105 the subpath loads no routes, no stores, no services and no protocol library',
  { tags: ['long'] },
  async () => {
    const loaded = (await run(WATCHED)).trim().split('\n')
    expect(loaded.some((url) => url.includes('/src/mcp/streamable-http.ts'))).toBe(true)
    const foreign =
      /flow-service\/src\/(?:http|store|memory|services\/(?!crypto))|flow-components\/|@modelcontextprotocol|\/(?:ajv|zod)\//
    expect(loaded.filter((url) => foreign.test(url))).toEqual([])
  },
)
