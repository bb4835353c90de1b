import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { blockWith } from '../docs/blocks.ts'
import { freePort } from '../server/free-port.ts'
import { inFolder, startServer } from '../server/start-server.ts'

const PROMETHEUS = process.env['PROMETHEUS'] ?? 'prometheus'
const isInstalled = spawnSync(PROMETHEUS, ['--version']).status === 0
if (!isInstalled) console.log('skipped: no prometheus is installed; see PROMETHEUS')

/** SQLite has no pool. */
const WITH_POSTGRES = ['store_pool_waiting']
const TOKEN = 'a-token-for-the-scraper'
/** Scraped twice a second, with a token, by the rules of the guide. */
const configOf = (target: string): string => `
global: { scrape_interval: 500ms, evaluation_interval: 500ms }
rule_files: [rules.yml]
scrape_configs:
  - job_name: service
    authorization: { credentials: ${TOKEN} }
    static_configs: [{ targets: ['${target}'] }]
`

/** Data of an answer of Prometheus. */
async function askPrometheus<T>(url: string, path: string): Promise<T> {
  const response = await fetch(`${url}/api/v1/${path}`)
  return ((await response.json()) as { data: T }).data
}

/** Runs Prometheus until `use` ends; its output becomes a part of an error. */
async function withPrometheus(
  { folder, target }: { readonly folder: string; readonly target: string },
  use: (url: string) => Promise<void>,
): Promise<void> {
  const address = `127.0.0.1:${await freePort()}`
  const config = join(folder, 'prometheus.yml')
  await writeFile(config, configOf(target))
  await writeFile(
    join(folder, 'rules.yml'),
    await blockWith('docs/guides/operate.md', 'alert:', 'yaml'),
  )
  const parameters = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]
  const child = spawn(PROMETHEUS, parameters, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  try {
    await expect
      .poll(
        () =>
          fetch(`http://${address}/-/ready`).then(
            ({ ok }) => ok,
            () => false,
          ),
        {
          timeout: 20_000,
        },
      )
      .toBe(true)
    await use(`http://${address}`)
  } catch (error) {
    throw new Error(output, { cause: error })
  } finally {
    child.kill()
    await once(child, 'close')
  }
}

interface Target {
  readonly health: string
  readonly lastError: string
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly (Target & { readonly query: string })[] }[]
}

test.skipIf(!isInstalled)(
  'OP-6, OP-8 a Prometheus scrapes the server, and knows each metric of the alerts of the guide',
  { timeout: 60_000 },
  () =>
    inFolder(async (folder) => {
      const server = await startServer({
        SERVICE_CONFIG_DIR: folder,
        SERVICE_METRICS: 'true',
        SERVICE_METRICS_TOKEN: TOKEN,
      })
      try {
        const key = /^API key: (\S+)/m.exec(server.output())?.[1] ?? ''
        await fetch(`${server.url}/api/v1/run/echo`, {
          method: 'POST',
          headers: { 'x-api-key': key, 'content-type': 'application/json' },
          body: '{"input_value":"hello"}',
        })
        await withPrometheus({ folder, target: new URL(server.url).host }, async (url) => {
          const read = <T>(path: string) => askPrometheus<T>(url, path)
          const target = async (): Promise<Target | undefined> =>
            (await read<{ activeTargets: Target[] }>('targets')).activeTargets[0]
          await expect
            .poll(target, { timeout: 20_000 })
            .toMatchObject({ health: 'up', lastError: '' })

          const runs = encodeURIComponent('sum(flow_runs_total{outcome="succeeded"})')
          await expect
            .poll(() => read<{ result: { value: [number, string] }[] }>(`query?query=${runs}`))
            .toMatchObject({ result: [{ value: [expect.any(Number), '1'] }] })

          const described = await read<Record<string, unknown>>('metadata')
          const known = [...Object.keys(described), ...WITH_POSTGRES]
          const rules = async () => (await read<Rules>('rules')).groups.flatMap((one) => one.rules)
          await expect
            .poll(async () => new Set((await rules()).map(({ health }) => health)))
            .toEqual(new Set(['ok']))
          for (const { query } of await rules()) {
            const names = query.match(/\b(?:http|flow|store|process)_\w+/g) ?? []
            expect(names).not.toHaveLength(0)
            const families = names.map((name) => name.replace(/_(?:bucket|total)$/, ''))
            expect(known).toEqual(expect.arrayContaining(families))
          }
        })
      } finally {
        await server.end('SIGTERM')
      }
    }),
)
