import { lazyHandler } from '@x/http-adapters'
import { expect, test, vi } from 'vitest'

const request = (signal?: AbortSignal): Request =>
  new Request('http://host.example/', signal === undefined ? {} : { signal })

test('HO-34 the first request opens, those that come meanwhile wait', async () => {
  let opened = 0
  const gate = deferred<void>()
  const handler = lazyHandler(async () => {
    opened += 1
    await gate.promise
    return () => new Response('served')
  })
  expect(opened).toBe(0)
  const answers = [handler(request(), {}), handler(request(), {})]
  gate.resolve()
  for (const answer of await Promise.all(answers)) expect(await answer.text()).toBe('served')
  expect(opened).toBe(1)
})

test('HO-34 a failed opening is 503 for those that wait, told once, and tried again', async () => {
  const errors: unknown[] = []
  let tries = 0
  const handler = lazyHandler(
    () => {
      tries += 1
      if (tries === 1) return Promise.reject(new Error('no database'))
      return Promise.resolve({ handler: () => new Response('served') })
    },
    { onError: (error) => errors.push(error) },
  )
  const refused = await Promise.all([handler(request(), {}), handler(request(), {})])
  for (const answer of refused) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(await answer.json()).toEqual({ detail: 'The service is not ready' })
  }
  expect(errors).toEqual([new Error('no database')])
  expect(await (await handler(request(), {})).text()).toBe('served')
})

test('HO-34 an aborted request leaves the others their opening', async () => {
  const gate = deferred<void>()
  const handler = lazyHandler(async () => {
    await gate.promise
    return () => new Response('served')
  })
  const left = new AbortController()
  const gone = handler(request(left.signal), {})
  const stays = handler(request(), {})
  left.abort(new Error('left'))
  await expect(gone).rejects.toThrow('left')
  gate.resolve()
  expect(await (await stays).text()).toBe('served')
})

test('HO-34 close ends what was opened, once, also while it opens', async () => {
  const gate = deferred<void>()
  let closed = 0
  const handler = lazyHandler(async () => {
    await gate.promise
    return { handler: () => new Response('served'), close: () => void (closed += 1) }
  })
  const answer = handler(request(), {})
  const closing = handler.close()
  gate.resolve()
  await closing
  await handler.close()
  expect((await answer).status).toBe(200)
  expect(closed).toBe(1)
  expect((await handler(request(), {})).status).toBe(503)
})

test('HO-34 nothing was opened: there is nothing to close', async () => {
  let opened = 0
  const handler = lazyHandler(async () => {
    opened += 1
    return () => new Response('served')
  })
  await handler.close()
  expect(opened).toBe(0)
})

test('HO-34 with a key a module that is evaluated again finds what was opened', async () => {
  let opened = 0
  const evaluate = () =>
    lazyHandler(
      async () => {
        opened += 1
        return () => new Response(`opened ${opened}`)
      },
      { key: 'lazy-handler.test' },
    )
  await evaluate()(request(), {})
  expect(await (await evaluate()(request(), {})).text()).toBe('opened 1')
  await evaluate().close()
  expect(await (await evaluate()(request(), {})).text()).toBe('opened 2')
  await evaluate().close()
})

test.each([
  [undefined, {}, 'lazyHandler: open must be a function'],
  [
    async () => () => new Response(),
    { keys: 'x' },
    'lazyHandler: unknown option "keys". Did you mean "key"?',
  ],
  [async () => () => new Response(), { key: '' }, 'lazyHandler: option "key" must be a name, got'],
  [
    async () => () => new Response(),
    { onError: true },
    'lazyHandler: option "onError" must be a function, got true',
  ],
])('HO-34 a wrong call is told: %o %o', (open, options, text) => {
  expect(() => lazyHandler(open as never, options as never)).toThrow(text)
})

test('HO-34 without onError the console says why opening failed', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const error = new Error('no database')
  const response = await lazyHandler(() => Promise.reject(error))(new Request('http://h/'), {})
  expect(response.status).toBe(503)
  expect(log.mock.calls).toEqual([['The handler has not opened:', error]])
  log.mockRestore()
})

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
