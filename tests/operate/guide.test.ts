import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readSettings } from '../../examples/reference-server/src/settings/read-settings.ts'
import { scimVariables } from '../../examples/reference-server/src/settings/scim-variables.ts'
import { variables } from '../../examples/reference-server/src/settings/variables.ts'
import { inFolder, startServer } from '../server/start-server.ts'

const guide = readFileSync(new URL('../../docs/guides/operate.md', import.meta.url), 'utf8')
const METRIC = /\b(?:http|flow|surface|store|process)_[a-z_]+[a-z]\b/g

test(
  'OP-8 the operating guide names existing metrics and known variables only',
  { tags: ['long'] },
  () =>
    inFolder(async (SERVICE_CONFIG_DIR) => {
      const SERVICE_BUDGETS = '[{"per":"user","window":"day","tokens":1000000}]'
      const server = await startServer({
        SERVICE_CONFIG_DIR,
        SERVICE_METRICS: 'true',
        SERVICE_BUDGETS,
      })
      const text = await (await fetch(`${server.url}/metrics`)).text()
      await server.end('SIGTERM')
      const served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name))
      // A pool is what PostgreSQL alone has.
      served.add('store_pool_waiting')
      const named = [...guide.matchAll(METRIC)].map(([name]) => name.replace(/_bucket$/, ''))
      expect(named.length).toBeGreaterThan(10)
      expect(named.filter((name) => !served.has(name))).toEqual([])
      const known = [...Object.keys(variables), ...Object.keys(scimVariables)]
      const settings = [...guide.matchAll(/\b(?:SERVICE|SCIM|OIDC)_[A-Z_]+\b/g)].map(
        ([name]) => name,
      )
      expect(settings.filter((name) => !known.includes(name))).toEqual([])
    }),
)

test('the settings in its shell blocks are valid', () => {
  const blocks = [...guide.matchAll(/```sh\n([^]*?)```/g)].map(([, block = '']) => block)
  const pairs = blocks.flatMap((block) => [...block.matchAll(/\b(SERVICE_\w+)=(\S+)/g)])
  expect(pairs.length).toBeGreaterThan(3)
  const env = Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]))
  expect(readSettings(env).warnings).toEqual([])
})
