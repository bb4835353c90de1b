import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Runs MCP Tools where no package of the protocol can be found. */
const PROGRAM = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  export async function resolve(name, context, next) {
    if (!name.startsWith('@modelcontextprotocol/')) return await next(name, context)
    throw Object.assign(new Error('Cannot find ' + name), { code: 'ERR_MODULE_NOT_FOUND' })
  }\`))
const { testComponent } = await import('@x/flow-engine/testing')
const { mcpTools } = await import('@x/flow-components')
const mcp_server = { name: 'here', config: { url: 'http://127.0.0.1:9/mcp' } }
const inputs = { mcp_server, tool: 'add' }
await testComponent(mcpTools, { output: 'response', inputs }).catch((error) =>
  console.log(JSON.stringify([error.code, error.detail ])))
`

test(
  'HO-8 the client of tool servers is loaded on the first call, and named where it is absent',
  { tags: ['long'] },
  async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '--eval', PROGRAM],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)) },
    )
    expect(JSON.parse(stdout)).toEqual([
      'missing_package',
      'The component MCP Tools needs the package @modelcontextprotocol/client. Install it: npm install @modelcontextprotocol/client',
    ])
  },
)
