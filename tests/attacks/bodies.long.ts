// Runs each night (.ci/night).
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withService, type Service } from '../journeys/service.ts'
import { besideHealth, HEALTH, IN_TIME, sendRaw, useService } from './attack.ts'
import { keepsAnswering } from './keeps-answering.ts'

const MIB = 1024 * 1024
const CLIENT = { cookie: 'client_id=visitor' }

interface Operation {
  readonly method: string
  readonly path: string
}

const running = useService({ SERVICE_LOGIN_RATE_LIMIT: 'false' })

test('AB-51: every request body is bounded by the limit of its route', async () => {
  const service = running()
  const flow = await publicFlow(service)
  const routes = [
    ['/api/v1/login', 64 * 1024],
    ['/api/v1/refresh', 64 * 1024],
    ['/api/v1/logout', 64 * 1024],
    [`/api/v1/webhook/${flow}`, MIB],
    [`/api/v1/build_public_tmp/${flow}/flow`, MIB],
    ['/surfaces/demo/events', 64 * 1024],
  ] as const

  // AB-51: the announced length decides before a byte of the body is there.
  for (const [path, limit] of routes) {
    const headers = { ...CLIENT, 'content-type': 'application/json' }
    const announced = { ...headers, 'content-length': String(limit + 1) }
    const answer = await sendRaw(service.url, { path, headers: announced })
    expect([path, answer.status, answer.ms < IN_TIME]).toEqual([path, 413, true])
  }

  // AB-51: whatever the content type, and without a length, memory stays below the bounds.
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json', '']
  const senders = types.flatMap((type) =>
    ['/api/v1/login', `/api/v1/webhook/${flow}`, `/api/v1/build_public_tmp/${flow}/flow`].map(
      (path) => ({ path, type }),
    ),
  )
  interface Flood {
    readonly path: string
    readonly type: string
    readonly size?: number
  }
  const flood = ({ path, type, size = 64 * MIB }: Flood) =>
    sendRaw(service.url, {
      path,
      send: size,
      headers: {
        ...CLIENT,
        'transfer-encoding': 'chunked',
        ...(type === '' ? {} : { 'content-type': type }),
      },
    })
  const one = await besideHealth(service, () =>
    flood({ path: '/api/v1/login', type: 'a/b', size: 256 * MIB }),
  )
  expect(one.result.status).toBe(413)
  expect(one.grown).toBeLessThan(30)
  const twelve = await besideHealth(service, () => Promise.all(senders.map(flood)))
  expect(twelve.result.map(({ status }) => status)).toEqual(senders.map(() => 413))
  expect(twelve.grown).toBeLessThan(100)
  expect(twelve.slowest).toBeLessThan(HEALTH)
})

test('AB-51, AB-52: no operation reads a large unauthenticated body or more than 32 MB of JSON', async () => {
  const service = running()
  const operations = await allOperations(service)
  expect(operations.length).toBeGreaterThan(50)
  const huge = { 'content-length': String(2 ** 30 + 1), 'content-type': 'text/plain' }
  const slow: string[] = []
  const read: string[] = []
  for (const { method, path } of operations) {
    const stranger = await sendRaw(service.url, { method, path, headers: huge })
    const refused = stranger.status >= 307 && stranger.status < 500
    if (!refused || stranger.ms > 5000) slow.push(`${method} ${path}: ${stranger.status}`)

    const user = { ...huge, 'x-api-key': service.key }
    const known = await sendRaw(service.url, { method, path, headers: user })
    if (known.status < 307 || known.status >= 500) read.push(`${method} ${path}`)
  }
  expect(slow).toEqual([])
  expect(read).toEqual([])
})

test('AB-50: the upload without credentials is off by default', async () => {
  const service = running()
  const flow = await publicFlow(service)
  const answer = await upload(service, flow, 'x')
  expect([answer.status, answer.json()]).toEqual([404, { detail: 'Not Found' }])
  const huge = { 'content-length': String(2 ** 30) }
  const big = await sendRaw(service.url, { path: `/api/v1/upload/${flow}`, headers: huge })
  expect(big.status).toBe(404)
})

test('AB-50: once enabled, it accepts small files for public flows, up to a total per flow', () =>
  withService({ SERVICE_DEPRECATED_UPLOAD: 'true' }, (service) =>
    keepsAnswering(service, async () => {
      const [open, closed] = [await publicFlow(service), await privateFlow(service)]
      expect((await upload(service, open, 'hello')).status).toBe(201)
      expect((await upload(service, closed, 'hello')).status).toBe(404)
      expect((await upload(service, crypto.randomUUID(), 'hello')).status).toBe(404)
      const over = { 'content-length': String(11 * MIB), 'content-type': 'text/plain' }
      const large = await sendRaw(service.url, { path: `/api/v1/upload/${open}`, headers: over })
      expect(large.status).toBe(413)

      const statuses: number[] = []
      for (let i = 0; i < 12; i += 1) {
        const answer = await upload(service, open, String(i).padEnd(10 * MIB - 10, 'x'))
        statuses.push(answer.status)
      }
      expect(statuses.filter((status) => status === 201)).toHaveLength(10)
      expect(statuses.at(-1)).toBe(413)
      expect((await upload(service, await publicFlow(service), 'other flow')).status).toBe(201)
    }),
  ))

function upload(service: Service, flow: string, content: string) {
  const body = new FormData()
  body.set('file', new File([content], 'a.txt'))
  return service.call('POST', `/api/v1/upload/${flow}`, { key: null, body })
}

const publicFlow = (service: Service) => createFlow(service, 'PUBLIC')
const privateFlow = (service: Service) => createFlow(service, 'PRIVATE')

async function createFlow(service: Service, access: string): Promise<string> {
  const body = { name: `flow ${crypto.randomUUID()}`, access_type: access }
  const made = await service.call('POST', '/api/v1/flows/', {
    body: { ...body, data: { nodes: [], edges: [] } },
  })
  return (made.json() as { id: string }).id
}

/** Every operation of the server's own description that may carry a body, with made-up parameters. */
async function allOperations(service: Service): Promise<Operation[]> {
  const { paths } = (await service.call('GET', '/openapi.json')).json() as {
    paths: Record<string, Record<string, unknown>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map((method) => ({
        method: method.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, '2f3a9c1e-0000-4000-8000-00000000abcd'),
      })),
  )
}

test('AB-51: concurrent uploads are held in memory once each; forms with too many parts are refused', async () => {
  const service = running()
  const size = 32 * 1024 * 1024
  const { result, grown } = await besideHealth(service, () =>
    Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        const form = new FormData()
        form.append('file', new Blob([new Uint8Array(size)]), `large-${number}.bin`)
        const answer = await service.call('POST', '/api/v2/files', { body: form })
        return [answer.status, (answer.json() as { size?: number }).size]
      }),
    ),
  )
  expect(result).toEqual(Array.from({ length: 4 }, () => [201, size]))
  expect(grown).toBeLessThan(350)
  const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
  const parts = await service.call('POST', '/api/v2/files', {
    body: `${part.repeat(5_000)}--x--`,
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
  expect([parts.status, parts.json()]).toEqual([400, { detail: 'The form cannot be read' }])
})

test('AB-52: deeply nested JSON is refused before it is parsed', async () => {
  const service = running()
  const begun = performance.now()
  const nested = await service.call('POST', '/api/v1/flows/', {
    body: `{"name":"a","data":${'['.repeat(10_000_000)}${']'.repeat(10_000_000)}}`,
    headers: { 'content-type': 'application/json' },
  })
  expect(nested.status).toBe(422)
  expect(performance.now() - begun).toBeLessThan(20_000)
})

test('AB-51: both upload routes stream a 100 MB upload to disk', async () => {
  const service = running()
  const flow = await privateFlow(service)
  const size = 100 * MIB
  const sizes: unknown[] = []
  const { slowest, grown } = await besideHealth(service, async () => {
    for (const path of ['/api/v2/files', `/api/v1/files/upload/${flow}`]) {
      const { body, type } = streamedForm(size)
      const answer = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': service.key, 'content-type': type },
        body,
        duplex: 'half',
      })
      sizes.push(answer.status, ((await answer.json()) as { size?: number }).size)
    }
  })
  expect(sizes).toEqual([201, size, 201, undefined])
  expect(grown).toBeLessThan(60)
  expect(slowest).toBeLessThan(HEALTH)

  // Forms that break off, or are no forms, leave nothing.
  const before = await filesBelow(service.folder)
  for (const path of ['/api/v2/files', `/api/v1/files/upload/${flow}`]) {
    const cut = `--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${'y'.repeat(MIB)}`
    const headers = { 'content-type': 'multipart/form-data; boundary=x' }
    const answer = await service.call('POST', path, { body: cut, headers })
    expect([400, 422]).toContain(answer.status)
    const late = await service.call('POST', path, { body: `${cut}\r\n--x\r\nbroken`, headers })
    expect([400, 422]).toContain(late.status)
  }
  expect(await filesBelow(service.folder)).toEqual(before)
})

/** A form with one file, made while it is sent. */
function streamedForm(size: number): { body: ReadableStream<Uint8Array>; type: string } {
  const piece = new Uint8Array(MIB).fill(0x61)
  const encoder = new TextEncoder()
  let left = size
  let isBegun = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!isBegun) {
        isBegun = true
        const head =
          '--x\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n'
        controller.enqueue(encoder.encode(head))
      } else if (left > 0) {
        left -= piece.length
        controller.enqueue(piece.slice())
      } else {
        controller.enqueue(encoder.encode('\r\n--x--\r\n'))
        controller.close()
      }
    },
  })
  return { body, type: 'multipart/form-data; boundary=x' }
}

async function filesBelow(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'files'), { recursive: true })).toSorted()
}
