import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import {
  createReadiness,
  readinessAnswer,
} from '../../examples/reference-server/src/operate/readiness.ts'
import { inFolder, startServer } from '../server/start-server.ts'

const statusOf = async (url: string): Promise<[number, unknown]> => {
  const response = await fetch(url)
  return [response.status, await response.json()]
}

describe('OP-13 health', () => {
  test('SIGTERM ends readiness first; the server keeps answering for SERVICE_DRAIN_SECONDS', () =>
    inFolder(async (folder) => {
      const server = await startServer({ SERVICE_CONFIG_DIR: folder, SERVICE_DRAIN_SECONDS: '4' })
      expect(await statusOf(`${server.url}/health`)).toEqual([200, { status: 'ok' }])
      await expect
        .poll(() => statusOf(`${server.url}/health/ready`))
        .toEqual([200, { status: 'ready' }])

      const ended = server.end('SIGTERM')
      await expect
        .poll(() => statusOf(`${server.url}/health/ready`), { interval: 50 })
        .toEqual([503, { status: 'not ready', failed: 'stopping' }])
      const alive = await fetch(`${server.url}/health`)
      expect([alive.status, alive.headers.get('connection')]).toEqual([200, 'close'])
      expect(await ended).toEqual({ code: 0, signal: null })
      const { port, hostname } = new URL(server.url)
      const refused = connect(Number(port), hostname)
      const [error] = (await once(refused, 'error')) as [NodeJS.ErrnoException]
      expect(error.code).toBe('ECONNREFUSED')
    }))

  test('readiness names only the part that fails or hangs', async () => {
    let database = (): Promise<unknown> => Promise.reject(new Error('password of the database'))
    let now = 0
    const readiness = createReadiness(
      { database: () => database(), queue: () => Promise.resolve() },
      () => now,
    )
    const answer = await readinessAnswer(readiness)
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'not ready', failed: 'database' },
    ])
    let asked = 0
    database = () => {
      asked += 1
      return new Promise(() => undefined)
    }
    expect([await readiness.failing(), asked]).toEqual(['database', 0])
    now += 1001
    const failing = await Promise.all([readiness.failing(), readiness.failing()])
    expect([failing, asked]).toEqual([['database', 'database'], 1])
  })
})
