import { needs } from '@x/test-kit/needs'
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createBuildJobs, type BuildJobs } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { createFlow, defineComponent, field, output } from '@x/flow-engine'
import { expect, test } from 'vitest'
import { postgresDatabase } from '../../packages/store-kysely/test/databases.ts'
import { joinSources } from '../../tools/join-sources.mjs'
import { blockWith, load } from './blocks.ts'

const FOLDER = new URL('../../examples/reference-server/dist/docs/', import.meta.url)

/** Runs a build with the block, then ends itself as a container does. */
const PROGRAM = `
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { createFlow } from '@x/flow-engine'
import { build } from './durable-build.ts'

const flow = createFlow()
flow.connect(flow.add(chatInput).outputs.message, flow.add(chatOutput).inputs.input_value)
console.log(await build(flow.toJSON(), 'ada'))
process.kill(process.pid, 'SIGTERM')
`

test(
  'DR-90: the program of the durable runs guide builds on PostgreSQL and exits with 0 on SIGTERM',
  needs('postgres'),
  async () => {
    const database = await postgresDatabase()
    try {
      await mkdir(FOLDER, { recursive: true })
      const block = await blockWith('docs/guides/durable-runs.md', 'openPostgres')
      await writeFile(new URL('durable-build.ts', FOLDER), block)
      await writeFile(new URL('durable-main.ts', FOLDER), PROGRAM)
      const joined = fileURLToPath(new URL('durable-main.js', FOLDER))
      await joinSources(fileURLToPath(new URL('durable-main.ts', FOLDER)), joined)
      const { stdout } = await promisify(execFile)(process.execPath, [joined], {
        env: { ...process.env, DATABASE_URL: database.address },
        timeout: 100_000,
      })
      const lines = stdout.trim().split('\n')
      expect(lines).toContain('0 vertices_sorted')
      expect(lines.at(-2)).toMatch(/^\d+ end$/)
      expect(lines.at(-1)).toBe('succeeded')
    } finally {
      await database.close()
    }
  },
)

type Handler = (request: Request) => Promise<Response>
type Inbox = (jobs: BuildJobs, userId: string) => Promise<Handler>

test('DR-90: the inbox of the human-in-the-loop guide shows a question and accepts its answer', async () => {
  const asks = defineComponent({
    type: 'Asks',
    suspends: true,
    inputs: { offer: field.message({ required: true }) },
    outputs: {
      said: output.message({
        async run(_, ctx) {
          const options = [{ actionId: 'approve', label: 'Approve it' }]
          const given = await ctx.suspend<{ action_id: string }>('?', { options, prompt: 'Well?' })
          return given.action_id
        },
      }),
    },
  })
  const flow = createFlow()
  const asked = flow.add(asks)
  flow
    .connect(flow.add(chatInput).outputs.message, asked.inputs.offer)
    .connect(asked.outputs.said, flow.add(chatOutput).inputs.input_value)
  const jobs = createBuildJobs()
  const { id } = await jobs.start({ flow, input: 'An offer', resumable: true, userId: 'ada' })
  await expect.poll(() => jobs.pending({ userId: 'ada' })).toHaveLength(1)
  const [question] = await jobs.pending({ userId: 'ada' })

  const code = await blockWith('docs/guides/human-in-the-loop.md', 'questionSurface')
  const { inbox } = await load<{ inbox: Inbox }>('inbox', code)
  const handler = await inbox(jobs, 'ada')
  const shown = await shownTo(handler, 'Approve it')
  expect(shown).toContain('Well?')
  const [, button = ''] = /"id":"([^"]+)","component":\{"Button"/.exec(shown) ?? []
  const [, name = ''] = /"action":\{"name":"([^"]+)"/.exec(shown) ?? []
  const userAction = {
    name,
    surfaceId: 'approval',
    sourceComponentId: button,
    timestamp: new Date(0).toISOString(),
    context: { requestId: question?.requestId, actionId: 'approve' },
  }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ userAction })
  const answer = await handler(new Request(ADDRESS, { method: 'POST', headers, body }))
  expect(answer.status).toBe(202)
  expect((await jobs.result(id)).text()).toBe('approve')
  await jobs.close({ timeoutMs: 0 })
})

const ADDRESS = 'https://app.example/inbox'

/** What a new viewer gets, up to a text. */
async function shownTo(handler: Handler, last: string): Promise<string> {
  const leave = new AbortController()
  const headers = { accept: 'application/jsonl' }
  const response = await handler(new Request(ADDRESS, { headers, signal: leave.signal }))
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!text.includes(last)) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done) throw new Error(`The stream has ended early: ${text}`)
    text += value
  }
  leave.abort()
  return text
}
