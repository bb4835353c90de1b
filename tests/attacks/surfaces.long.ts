// Runs each night (.ci/night).
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { besideHealth, HEALTH, HEALTH_NOTED } from './attack.ts'
import { useBuiltHost } from './built-host.ts'
import { sendInBytes } from './send-in-bytes.ts'

const host = useBuiltHost('surface-host.ts', ['surface-protocol', 'http-adapters'])

/** One abuse of the built package in its own process, while somebody else asks for `/health`. */
async function abuse<T>(name: string, body: string, most = HEALTH_NOTED): Promise<T> {
  const { result, slowest } = await besideHealth(host(), () => host().call<T>(name, body))
  expect(slowest).toBeLessThan(most)
  return result
}

const many = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(n))
const update = (...components: object[]) => ({ surfaceUpdate: { surfaceId: 's', components } })
const column = (id: string, explicitList: readonly string[]) => ({
  id,
  component: { Column: { children: { explicitList } } },
})
const boundText = (id: string) => ({
  id,
  component: { Text: { text: { path: `/v/${id}`, literalString: id } } },
})
const linesOf = (messages: readonly object[]): string =>
  messages.map((message) => JSON.stringify(message)).join('\n')

/** A way into the library: the problems it finds, and its milliseconds of processor time. */
interface Way {
  readonly problems: number
  readonly ms: number
}

interface Applied {
  readonly applied: number
  readonly limits: readonly string[]
  /** Milliseconds of processor time: of the slowest message, and of all. */
  readonly slowest: number
  readonly all: number
}

test('AB-1: endlessly repeated children do not block the server', async () => {
  const ids = many(50_000, (n) => `x${n}`)
  // The parser looks at no references.
  for (const [list, problems, most] of [
    [Array<string>(260_000).fill('x'), [1, 1, 1, 1], 1_000],
    [[...ids, ...ids], [101, 101, 101, 0], 1_000],
    [Array<string>(7_500).fill('x'), [101, 101, 101, 0], 200],
  ] as const) {
    const line = JSON.stringify(update(column('c', list)))
    const ways = await abuse<Way[]>('fourWays', line, 4 * most)
    expect(ways.map((way) => way.problems)).toEqual(problems)
    expect(ways.filter(({ ms }) => ms >= most)).toEqual([])
  }
})

test('AB-2: 9,000 bound fields below a chain of 40,000, and a chain that grows upwards, do not block the server', async () => {
  const chain = many(4, (part) =>
    update(
      ...many(10_000, (n) => {
        const at = part * 10_000 + n
        return { id: `c${at}`, component: { Card: { child: `c${at + 1}` } } }
      }),
    ),
  )
  const fields = many(9_000, (n) => `f${n}`)
  const end = update(column('c40000', fields), ...fields.map(boundText))
  const again = update(...fields.map(boundText))
  const down = await abuse<Applied>('apply', linesOf([...chain, end, again]), 2_000)
  expect(down).toMatchObject({ applied: 6, limits: [] })
  expect(down.slowest).toBeLessThan(1_000)
  const upwards = many(4_000, (n) =>
    update(column(`c${n}`, [n === 0 ? 'field' : `c${n - 1}`, `f${n}`]), boundText(`f${n}`)),
  )
  const up = await abuse<Applied>('apply', linesOf([update(boundText('field')), ...upwards]), 2_000)
  expect(up).toMatchObject({ applied: 4_001, limits: [] })
  expect(up.all).toBeLessThan(2_000)
})

test('AB-3: rendered surfaces fill a store up to its total limit only', async () => {
  const fill = (surfaceId: string): string => {
    const contents = [{ key: 'v', valueString: 'x'.repeat(1_000_000) }]
    const components = [{ id: 'root', component: { Text: { text: { path: '/v' } } } }]
    return linesOf([
      { surfaceUpdate: { surfaceId, components } },
      { beginRendering: { surfaceId, root: 'root' } },
      { dataModelUpdate: { surfaceId, contents } },
    ])
  }
  const { result, slowest, grown } = await besideHealth(host(), async () => {
    for (let n = 0; n < 400; n += 1) {
      const told = await host().call<string[]>('keep', fill(`s${n}`))
      if (told.length > 0) return { at: n, told }
    }
    return null
  })
  expect(result?.told).toEqual(['totalSize'])
  // 256 MiB of texts, each a megabyte.
  expect(result?.at).toBeGreaterThan(100)
  expect(slowest).toBeLessThan(HEALTH)
  expect(grown).toBeLessThan(1_500)
  const gone = JSON.stringify({ deleteSurface: { surfaceId: 's0' } })
  expect(await host().call('keep', `${gone}\n${fill('other')}`)).toEqual([])
})

test('AB-4: the history of a channel is bounded by its bytes', async () => {
  const { result, grown } = await besideHealth(host(), () => host().call('fillHistory', '1000'))
  expect(result).toEqual({ near: true, far: false })
  // A thousand messages of a megabyte are within the number that a channel keeps.
  expect(grown).toBeLessThan(700)
})

test('AB-8: a pattern of an untrusted catalogue runs in linear time or is refused', async () => {
  const send = (pattern: string, value: string) =>
    abuse('inlineCatalog', JSON.stringify({ pattern, value }))
  expect(await send('^(a+)+$', `${'a'.repeat(9_000)}!`)).toBe(false)
  expect(await send('^(a+)+$', 'a'.repeat(9_000))).toBe(true)
  expect(await send('(?=a)a', 'a')).toBe('invalid_catalog')
  expect(await send('(a)\\1', 'aa')).toBe('invalid_catalog')
})

describe('AB-9: conversions', () => {
  interface Converted {
    readonly messages: number
    readonly limits: readonly string[]
    readonly count: number
    /** Milliseconds of processor time. */
    readonly ms: number
  }
  const entry = (surfaceId: string, n: number) => ({
    dataModelUpdate: { surfaceId, path: '/d', contents: [{ key: `k${n}`, valueString: 'x' }] },
  })
  const later = (path: string, value: unknown) => ({
    version: 'v0.9',
    updateDataModel: { surfaceId: 's', path, value },
  })
  const deep = (depth: number): string => '[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth)

  test('20,000 updates before the surface begins do not block the server', async () => {
    const begin = { beginRendering: { surfaceId: 's', root: 'r' } }
    const forward = linesOf([...many(20_000, (n) => entry('s', n)), begin])
    const forwards = await abuse<Converted>('convert', forward, 1_000)
    expect(forwards).toMatchObject({ messages: 20_001, count: 0 })
    expect(forwards.ms).toBeLessThan(1_000)
    const root = { surfaceId: 's', components: [{ id: 'root', component: 'Divider' }] }
    const back = linesOf([
      { version: 'v0.9', createSurface: { surfaceId: 's', catalogId: 'urn:c' } },
      ...many(20_000, (n) => later(`/k${n}`, n)),
      { version: 'v0.9', updateComponents: root },
    ])
    const backwards = await abuse<Converted>('convert', back, 1_000)
    expect(backwards.messages).toBeGreaterThan(0)
    expect(backwards.ms).toBeLessThan(1_000)
  })

  test('deeply nested JSON and endless surfaces are bounded', async () => {
    const nested = JSON.stringify(later('/a', 'here')).replace('"here"', deep(2_000))
    const found = { messages: 0, limits: ['jsonDepth'], count: 1 }
    expect(await abuse('convert', nested)).toMatchObject(found)
    const surfaces = linesOf(many(3_000, (n) => entry(`s${n}`, n)))
    const { limits, count } = await abuse<Converted>('convert', surfaces)
    expect(limits).toEqual(['surfaces'])
    expect(count).toBeLessThanOrEqual(1_000)
  })
})

test('AB-10: data that looks like a component is not rendered as one', async () => {
  const fake = { componentId: 'x', properties: { label: 'evil' }, scope: '', id: 'x' }
  for (const type of ['Button', 5]) {
    const page = await abuse<string>('html', JSON.stringify({ ...fake, type }))
    expect(page).toBe('<div class="sf-box" data-id="box" data-type="Box"></div>')
  }
})

test('AB-11: the client waits before reconnecting to a server that disconnects after each frame with retry: 0', async () => {
  const times: number[] = []
  const server = createServer((_request, reply) => {
    times.push(performance.now())
    reply.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.write('retry: 0\ndata: {"deleteSurface":{"surfaceId":"s"}}\n\n', () => reply.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    // It ends with the process.
    host()
      .call('view', `http://127.0.0.1:${port}/`)
      .catch(() => undefined)
    const { slowest } = await besideHealth(host(), async () => {
      await expect.poll(() => times.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(5)
    })
    expect(slowest).toBeLessThan(HEALTH)
    // 100 ms at least, give or take the chance.
    for (const [n, time] of times.slice(1).entries())
      expect(time - (times[n] ?? 0)).toBeGreaterThan(75)
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('AB-12: streams aborted before they begin leak no resources', async () => {
  expect(await abuse('signals', '200')).toBe(0)
  const { hostname, port, host: name } = new URL(host().url)
  const open = async (): Promise<number> => {
    const text = await host().call<string>('metrics')
    return Number(/^http_streams_open\{[^}]*\} (\d+)$/m.exec(text)?.[1])
  }
  for (let n = 0; n < 300; n += 1) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.write(`GET /stream HTTP/1.1\r\nhost: ${name}\r\naccept: text/event-stream\r\n\r\n`)
    if (n % 3 === 0) await once(socket, 'data')
    socket.destroy()
  }
  await expect.poll(open).toBe(0)
})

test('AB-13: a line of 0.9 MB in chunks of one byte is scanned once and does not block the server', async () => {
  const bytes = `{"a":"${'x'.repeat(900_000)}"}\n`
  const { result, slowest, grown } = await besideHealth(host(), () =>
    sendInBytes(host().url, bytes, { path: '/lines' }),
  )
  const read = JSON.parse(/\{.*\}/.exec(result.text)?.[0] ?? '') as {
    parts: number
    read: number
    ms: number
  }
  expect([result.status, read]).toMatchObject([200, { parts: bytes.length, read: 1 }])
  expect(slowest).toBeLessThan(HEALTH_NOTED)
  expect(grown).toBeLessThan(60)
  // Scanned anew for each byte it would take minutes.
  expect(read.ms).toBeLessThan(30_000)
})
