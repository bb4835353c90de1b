import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { scimVariables } from '../../examples/reference-server/src/settings/scim-variables.ts'
import { variables } from '../../examples/reference-server/src/settings/variables.ts'
import { inFolder, startServer } from '../server/start-server.ts'

const deployed = (name: string): Promise<string> =>
  readFile(new URL(`../../examples/deploy/${name}`, import.meta.url), 'utf8')
const GUIDE = new URL('../../docs/guides/deploy.md', import.meta.url)

/** What a server gives running requests and jobs after it has drained. */
const PATIENCE_SECONDS = 8

const known = new Set(['NODE_ENV', ...Object.keys(variables), ...Object.keys(scimVariables)])
const namesIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:SERVICE|SCIM|OIDC)_[A-Z_]*[A-Z]\b/g)].map(([name]) => name)

describe('deploy files', () => {
  test.each([
    'Dockerfile',
    'compose.yaml',
    'flows.service',
    'kubernetes.yaml',
    'nginx.conf',
    'Caddyfile',
  ])('%s names only variables that the server reads', async (name) => {
    expect(namesIn(await deployed(name)).filter((variable) => !known.has(variable))).toEqual([])
  })

  test('the guide names only variables that the server reads', async () => {
    const named = namesIn(await readFile(GUIDE, 'utf8'))
    expect(named.length).toBeGreaterThan(5)
    expect(named.filter((variable) => !known.has(variable))).toEqual([])
  })

  test('the grace periods are longer than the server takes to stop', async () => {
    const files = await Promise.all(
      ['compose.yaml', 'flows.service', 'kubernetes.yaml'].map((name) => deployed(name)),
    )
    const graces = files.map((text) =>
      Number(
        /(?:stop_grace_period|TimeoutStopSec|terminationGracePeriodSeconds)\D+(\d+)/.exec(
          text,
        )?.[1],
      ),
    )
    const drains = files.map((text) => Number(/SERVICE_DRAIN_SECONDS\D+(\d+)/.exec(text)?.[1]))
    for (const [index, grace] of graces.entries())
      expect(grace).toBeGreaterThan((drains[index] ?? Infinity) + PATIENCE_SECONDS)
  })

  test('a server with the settings of the image becomes ready, drains and exits with 0', () =>
    inFolder(async (folder) => {
      const [, block = ''] =
        /^ENV (NODE_ENV[\s\S]*?[^\\])$/m.exec(await deployed('Dockerfile')) ?? []
      const settings = Object.fromEntries(
        [...block.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
      )
      expect(settings).toMatchObject({ HOST: '0.0.0.0', SERVICE_CONFIG_DIR: '/data' })
      const server = await startServer({
        ...settings,
        HOST: '127.0.0.1',
        PORT: '0',
        SERVICE_CONFIG_DIR: join(folder, 'data'),
        SERVICE_DRAIN_SECONDS: '1',
      })
      const ready = await fetch(`${server.url}/health/ready`)
      expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }])
      expect((await fetch(`${server.url}/api/v1/version`)).status).toBe(200)
      expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
    }))
})
