import { expect, test, vi } from 'vitest'
import { createUserCalls } from '@x/test-kit'

/** A body that fails with a value of the host. */
function failing(thrown: unknown): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      pull() {
        throw thrown
      },
    },
    { highWaterMark: 0 },
  )
}

const OVER = { status: 413, text: 'over the limit of the host' }

test.each([
  ['JSON', '/api/v1/flows/', 'application/json', undefined],
  ['JSON of a known length', '/api/v1/flows/', 'application/json', '20'],
  ['a form', '/api/v1/login', 'application/x-www-form-urlencoded', undefined],
  ['an upload', '/api/v2/files', 'multipart/form-data; boundary=b', undefined],
])('HO-44: %s over the limit of the host is 413', async (_name, path, type, length) => {
  const onError = vi.fn<(error: unknown) => void>()
  const { request, engine } = await createUserCalls({ onError })
  const headers = {
    'content-type': type,
    ...(length !== undefined && { 'content-length': length }),
  }
  const init = { headers, body: failing(OVER), duplex: 'half' as const }
  expect(await request('POST', path, init)).toMatchObject({
    status: 413,
    body: { detail: 'Payload Too Large' },
  })
  expect(onError).not.toHaveBeenCalled()
  await engine.close()
})

test('HO-44: the OpenAI API answers in its own form', async () => {
  const { request, engine } = await createUserCalls()
  const headers = { 'content-type': 'application/json' }
  const init = { headers, body: failing(OVER), duplex: 'half' as const }
  const { status, body } = await request('POST', '/api/v1/responses', init)
  expect(status).toBe(413)
  expect(JSON.stringify(body)).toContain('Payload Too Large')
  await engine.close()
})

test('HO-44: a body that fails in another way is 500 and reported once', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  const { request, engine } = await createUserCalls({ onError })
  const headers = { 'content-type': 'application/json' }
  const init = { headers, body: failing(new Error('broken')), duplex: 'half' as const }
  expect((await request('POST', '/api/v1/flows/', init)).status).toBe(500)
  expect(onError).toHaveBeenCalledOnce()
  await engine.close()
})
