import { needs } from '@x/test-kit/needs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFlow, echoGraph, graphOf } from '../journeys/flows.ts'
import { startService, type Service } from '../journeys/service.ts'
import { inFolder } from '../server/start-server.ts'
import { blocksOf } from './blocks.ts'
import { runBlock, statusesIn, withBlock, type CommandOptions } from './commands.ts'

const guide = (name: string): string => `docs/guides/${name}.md`
const commandsWith = async (page: string, part: string): Promise<string> => {
  const found = (await blocksOf(page, 'sh')).filter((block) => block.includes(part))
  if (found.length !== 1) throw new Error(`${page}: ${found.length} blocks with ${part}`)
  return found[0] ?? ''
}

describe('commands of the guides to a server that runs', needs('bash', 'curl'), () => {
  let service: Service
  let end: () => Promise<void>
  beforeAll(async () => {
    ;({ service, end } = await startService({
      SCIM_ENABLED: 'true',
      SCIM_TOKEN: 'a-long-random-secret',
      SERVICE_METRICS: 'true',
      SERVICE_METRICS_TOKEN: 'a-long-random-token',
    }))
  })
  afterAll(() => end())

  /** Runs a block with the address and key of the service; each answer has the status that it announces. */
  async function answered(block: string, options: Partial<CommandOptions> = {}): Promise<string> {
    const { replaced, environment } = options
    const { code, stderr, stdout, statuses } = await runBlock(block, {
      folder: service.folder,
      environment: { BASE: service.url, KEY: service.key, ...environment },
      replaced: {
        'http://127.0.0.1:7860': service.url,
        'https://flows.example.com': service.url,
        'https://NAME': service.url,
        YOUR_KEY: service.key,
        ...replaced,
      },
    })
    expect([code, stderr]).toEqual([0, ''])
    expect(statuses.map(String)).toEqual(
      statusesIn(block).map((status) => expect.stringMatching(status)),
    )
    return stdout
  }

  test('quick-start.md: the flow runs', async () => {
    expect(await answered(await commandsWith(guide('quick-start'), '/run/echo'))).toContain(
      'You said: hello',
    )
  })

  test('quick-start.md: a user is provisioned', async () => {
    const stdout = await answered(await commandsWith(guide('quick-start'), 'scim/v2/Users'))
    expect(stdout).toContain('"userName":"ada@example.com"')
  })

  test('scim-connect.md: the first request returns a list', async () => {
    await writeFile(join(service.folder, 'token.txt'), 'a-long-random-secret\n')
    const stdout = await answered(await commandsWith(guide('scim-connect'), 'startIndex=1'))
    expect(stdout).toMatch(
      /^\{"schemas":\["urn:ietf:params:scim:api:messages:2.0:ListResponse"\],"totalResults":/,
    )
  })

  test('deploy.md: the checks after a deployment', async () => {
    const stdout = await answered(await commandsWith(guide('deploy'), '/surfaces/demo/stream'))
    expect(stdout).toContain('{"status":"ready"}')
    expect(stdout).toContain('"version":"1.7.1"')
    expect(stdout).toContain('surfaceUpdate')
  })

  test('operate.md: the state of the server', async () => {
    const block = await commandsWith(guide('operate'), '| grep flow_')
    const piped = block.replace('| grep flow_', '')
    const stdout = await answered(piped, {
      environment: { SERVICE_METRICS_TOKEN: 'a-long-random-token' },
    })
    expect(stdout).toMatch(/^flow_/m)
  })

  test('durable-runs.md: a version is made, listed, run and activated', async () => {
    const { id: FLOW } = await createFlow(service, { name: 'Versions', data: echoGraph() })
    const path = `/api/v1/flows/${FLOW}/versions/`
    const made = await service.call('POST', path, { body: { description: 'first' } })
    const { id: VERSION } = made.json() as { id: string }
    const block = await commandsWith(guide('durable-runs'), '/activate')
    const stdout = await answered(block, { environment: { FLOW, VERSION } })
    expect(stdout).toContain('hello')
  })

  test('human-in-the-loop.md: a question is listed and answered', async () => {
    const { id } = await createFlow(service, {
      name: 'Asks',
      data: graphOf((flow) => {
        const input = flow.add('ChatInput')
        const asks = flow.add('HumanInput', { values: { decisions: ['Approve', 'Reject'] } })
        flow.connect(`${input}.message`, `${asks}.prompt`)
        flow.connect(`${asks}.branch_approve`, `${flow.add('ChatOutput')}.input_value`)
      }),
    })
    const built = await service.call('POST', `/api/v1/build/${id}/flow`, {
      body: { inputs: { input_value: 'An offer', session: 'talk' } },
    })
    const { job_id: JOB } = built.json() as { job_id: string }
    const pending = async () =>
      (await service.call('GET', '/api/v2/workflows/pending')).json() as { request_id: string }[]
    await expect.poll(pending).toHaveLength(1)
    const [question] = await pending()
    const block = await commandsWith(guide('human-in-the-loop'), '/resume')
    const [, sample = ''] = /"request_id": "([^"]+)"/.exec(block) ?? []
    const stdout = await answered(block, {
      environment: { JOB },
      replaced: { [sample]: question?.request_id ?? '' },
    })
    expect(stdout).toContain('Resume accepted')
  })
})

describe('commands of the guides that start a server', needs('bash', 'openssl'), () => {
  const inScratch = (use: (options: CommandOptions) => Promise<void>) =>
    inFolder((folder) => use({ folder, environment: { SERVICE_CONFIG_DIR: join(folder, 'data') } }))

  test.each([
    ['quick-start', 'SCIM_ENABLED=true', 'a-long-random-secret'],
    ['scim-connect', 'openssl rand', null],
  ])('%s.md: the server accepts the token', (name, part, token) =>
    inScratch(async (options) => {
      const block = await commandsWith(guide(name), part)
      const replaced = { 'https://NAME': 'https://app.example' }
      await withBlock(block, { ...options, replaced }, async (url) => {
        const sent = token ?? (await readFile(join(options.folder, 'token.txt'), 'utf8')).trim()
        const headers = { authorization: `Bearer ${sent}` }
        expect((await fetch(`${url}/api/v1/scim/v2/Users`, { headers })).status).toBe(200)
        expect((await fetch(`${url}/api/v1/scim/v2/Users`)).status).toBe(401)
      })
    }),
  )

  test('visual-editor.md: the editor is served', () =>
    inScratch(async (options) => {
      const editor = join(options.folder, 'langflow/frontend')
      await mkdir(editor, { recursive: true })
      await writeFile(join(editor, 'index.html'), '<title>The editor</title>')
      const starts = (await blocksOf(guide('visual-editor'), 'sh')).filter((block) =>
        block.includes('npm start'),
      )
      expect(new Set(starts).size).toBe(1)
      await withBlock(starts[0] ?? '', options, async (url) => {
        expect(await (await fetch(url)).text()).toContain('The editor')
        expect((await fetch(`${url}/console`)).status).toBe(200)
      })
    }))

  test.each([
    ['deploy', /^[\w-]{43}\n[^]*SERVICE_SECRET_KEY/],
    ['operate', /SERVICE_SECRET_KEY/],
  ])('%s.md: settings are checked without a start', (name, printed) =>
    inScratch(async (options) => {
      const block = await commandsWith(guide(name), 'npm start -- --check')
      const { code, stdout } = await runBlock(block, options)
      expect([code, stdout]).toEqual([0, expect.stringMatching(printed)])
    }),
  )

  test('troubleshooting.md: a wrong setting ends the start with the line that the page shows', () =>
    inScratch(async (options) => {
      const page = guide('troubleshooting')
      const block = await commandsWith(page, 'mysql://db')
      const { code, stdout, stderr } = await runBlock(block, options)
      expect([code, stdout]).toEqual([1, ''])
      expect(await readFile(new URL(`../../${page}`, import.meta.url), 'utf8')).toContain(
        stderr.trim(),
      )
    }))
})
