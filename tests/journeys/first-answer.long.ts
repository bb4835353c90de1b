import { expect, test } from 'vitest'
import { withService } from './service.ts'

test('after the first start the bundled flow runs with the printed key', () =>
  withService({}, async (service) => {
    const answer = await service.call('POST', '/api/v1/run/echo', {
      body: { input_value: 'hello' },
    })

    expect(answer.status).toBe(200)
    expect(answer.text).toContain('hello')
    expect((await service.call('POST', '/api/v1/run/echo', { key: null })).status).toBe(403)
    await service.restart({ signal: 'SIGKILL' })
    const again = await service.call('POST', '/api/v1/run/echo', {
      body: { input_value: 'again' },
    })
    expect(again.text).toContain('again')
  }))
