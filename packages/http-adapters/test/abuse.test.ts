import { afterEach, describe, expect, test } from 'vitest'
import { guardedMounts, headerMounts, SPELLINGS } from './guarded-mounts.ts'
import { send, type Running } from './loopback.ts'

const running: Running[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})
const kept = async (starting: Promise<Running>): Promise<Running> => {
  const server = await starting
  running.push(server)
  return server
}

describe.each(Object.entries(guardedMounts))('AB-20: guards of %s', (_name, start) => {
  test('no spelling of a path reaches behind them', async () => {
    const { port } = await kept(start({}))
    for (const path of SPELLINGS) {
      const { status, text } = await send(port, { path })
      expect([path, text.startsWith('ours')]).toEqual([path, false])
      expect([path, [403, 404].includes(status)]).toEqual([path, true])
    }
  })

  test('the asterisk is no spelling of the root', async () => {
    const { port } = await kept(start({}))
    expect((await send(port, { path: '*' })).text).not.toContain('ours')
  })

  test('what only looks like it is served as before', async () => {
    const { port } = await kept(start({}))
    for (const path of [
      '/api/.well-known/x',
      '/api/v1/..users',
      '/api/a%2Fb',
      '/api//x',
      '/api/x?a=/../b\\',
    ])
      expect([path, (await send(port, { path })).text.startsWith('ours /api')]).toEqual([
        path,
        true,
      ])
  })
})

describe.each(Object.entries(guardedMounts).filter(([name]) => name !== 'node'))(
  'AB-21: a mount of %s that normalizes',
  (_name, start) => {
    test.each([
      '/api/../private',
      '/api/x/../../private',
      '/api/%2e%2e/private',
      '/api\\..\\private',
    ])('%s never leaves it', async (path) => {
      const { port } = await kept(start({ dotSegments: 'normalize' }))
      expect((await send(port, { path })).text).not.toContain('ours')
      expect((await send(port, { path: '/api/x/../y' })).text).toBe('ours /api/y')
    })
  },
)

describe('AB-22: headers of both', () => {
  test.each(Object.entries(headerMounts))(
    '%s sends the cookies and the Vary of both',
    async (_name, start) => {
      const { port } = await kept(start())
      const { headers, text } = await send(port, { path: '/x' })
      expect(text).toBe('ours')
      expect(new Set(headers['set-cookie'])).toEqual(new Set(['a=1', 'b=2', 'c=3']))
      const names = String(headers['vary']).toLowerCase().split(/,\s*/).toSorted()
      expect(names).toEqual(['accept', 'origin'])
      expect(headers).toMatchObject({ 'x-both': 'handler', 'x-host': '1', 'x-handler': '1' })
    },
  )
})
