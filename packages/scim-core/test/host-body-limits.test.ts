import { createScimService } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { expect, test, vi } from 'vitest'
import { BASE, TOKEN } from './support.ts'

/** A request whose body fails with a value of the host. */
function failing(thrown: unknown): Request {
  const body = new ReadableStream<Uint8Array>(
    {
      pull() {
        throw thrown
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/scim+json' }
  return new Request(`${BASE}/Users`, { method: 'POST', headers, body, duplex: 'half' })
}

const setUp = () => {
  const onError = vi.fn<(error: unknown) => void>()
  const auth = { kind: 'token', token: TOKEN } as const
  const store = createMemoryScimStore()
  return { onError, handler: createScimService({ store, baseUrl: BASE, auth, onError }).handle }
}

test.each([
  [{ status: 413, text: 'over the limit' }, 413, 'Payload Too Large'],
  [Object.assign(new Error('secret'), { statusCode: 408 }), 408, 'Request Timeout'],
  [Object.assign(new TypeError('secret'), { status: 400 }), 400, 'Bad Request'],
])(
  'HO-44: a body that the host ends with %o is answered with that status',
  async (thrown, status, detail) => {
    const { handler, onError } = setUp()
    const response = await handler(failing(thrown))
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ status: String(status), detail })
    expect(onError).not.toHaveBeenCalled()
  },
)

test('HO-44: any other failure of a body stays an error of the service', async () => {
  const { handler, onError } = setUp()
  expect((await handler(failing({ status: 503 }))).status).toBe(500)
  expect(onError).toHaveBeenCalledOnce()
})
