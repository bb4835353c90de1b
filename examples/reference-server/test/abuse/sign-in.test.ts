import { expect, test } from 'vitest'
import type { Service } from '../journeys/service.ts'
import { besideHealth, useService } from './attack.ts'

const PASSWORD = 'the password of the superuser'
/** Addresses count as the proxy of the tests gives them. */
const running = useService({
  SERVICE_SUPERUSER_PASSWORD: PASSWORD,
  SERVICE_NEW_USER_IS_ACTIVE: 'true',
  SERVICE_TRUST_PROXY: 'true',
})

interface Guess {
  readonly name: string
  readonly password: string
  readonly address: string
}

async function signIn(service: Service, { name, password, address }: Guess) {
  const begun = performance.now()
  const answer = await service.call('POST', '/api/v1/login', {
    key: null,
    body: new URLSearchParams({ username: name, password }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': address,
    },
  })
  return { answer, status: answer.status, ms: performance.now() - begun }
}

const countOf = (statuses: readonly { status: number }[], status: number): number =>
  statuses.filter((one) => one.status === status).length

test(
  'AB-60, AB-61: of 1,000 guesses at once few are looked at, while the owner and files are served',
  { timeout: 120_000 },
  async () => {
    const service = running()
    const file = await storeFile(service)
    const honest = { name: 'admin', password: PASSWORD, address: '198.51.100.7' }
    const beside: { owner: number; fileMs: number } = { owner: 0, fileMs: 0 }

    const attack = await besideHealth(service, async () => {
      const guesses = Promise.all(
        Array.from({ length: 1000 }, (_, i) =>
          signIn(service, { name: 'admin', password: `guess ${i}`, address: '203.0.113.1' }),
        ),
      )
      const begun = performance.now()
      const download = await service.call('GET', file)
      beside.fileMs = performance.now() - begun
      expect(download.text).toBe('contents')
      beside.owner = (await signIn(service, honest)).status
      return await guesses
    })
    expect(beside.owner).toBe(200)
    expect(beside.fileMs).toBeLessThan(5000)
    expect(countOf(attack.result, 401)).toBeLessThanOrEqual(20)
    expect(countOf(attack.result, 401) + countOf(attack.result, 429)).toBe(1000)
    const refused = attack.result.find(({ status }) => status === 429)
    expect(Number(refused?.answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(attack.slowest).toBeLessThan(5000)
  },
)

test(
  'AB-60: of 300 names from one address at most 130 are looked at',
  { timeout: 120_000 },
  async () => {
    const service = running()
    const guesses = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        signIn(service, { name: `nobody-${i}`, password: 'x', address: '203.0.113.2' }),
      ),
    )
    expect(countOf(guesses, 401)).toBeLessThanOrEqual(130)
    expect(countOf(guesses, 429)).toBeGreaterThanOrEqual(170)
  },
)

test(
  'AB-61: more than a hundred waiting hashes are refused, for a second',
  { timeout: 120_000 },
  async () => {
    const service = running()
    const guesses = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        signIn(service, { name: `n${i}`, password: 'x', address: `192.0.2.${i + 1}` }),
      ),
    )
    const full = guesses.filter(({ status }) => status === 503)
    expect(full.length).toBeGreaterThan(0)
    expect(full[0]?.answer.headers.get('retry-after')).toBe('1')
    expect(countOf(guesses, 401) + full.length).toBe(200)
    const later = { name: 'admin', password: PASSWORD, address: '198.51.100.8' }
    expect((await signIn(service, later)).status).toBe(200)
  },
)

test('AB-62: known and unknown names take the same time', { timeout: 120_000 }, async () => {
  const service = running()
  let turn = 0
  const timed = async (name: string): Promise<number> => {
    turn += 1
    const address = `198.18.${Math.floor(turn / 200)}.${turn % 200}`
    return (await signIn(service, { name, password: 'wrong', address })).ms
  }
  const known: number[] = []
  const unknown: number[] = []
  for (let i = 0; i < 15; i += 1) {
    known.push(await timed('admin'))
    unknown.push(await timed(`stranger-${i}`))
  }
  const [a, b] = [median(known), median(unknown)]
  expect(Math.abs(a - b)).toBeLessThan(Math.max(20, 0.15 * Math.max(a, b)))

  const many = await Promise.all(
    Array.from({ length: 24 }, (_, i) => timed(i % 2 === 0 ? 'admin' : `other-${i}`)),
  )
  const [c, d] = [0, 1].map((rest) => median(many.filter((_, i) => i % 2 === rest)))
  expect(Math.abs((c ?? 0) - (d ?? 0))).toBeLessThan(0.35 * Math.max(c ?? 0, d ?? 0) + 20)
})

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0
}

/** The path of a file of a flow. */
test('AB-60: addresses of one IPv6 network share one limit', { timeout: 60_000 }, async () => {
  const service = running()
  const guess = (i: number, address: string) =>
    signIn(service, { name: 'ipv6', password: `guess ${i}`, address })
  const many = (address: (i: number) => string) =>
    Promise.all(Array.from({ length: 40 }, (_, i) => guess(i, address(i))))

  const rotated = await many((i) => `2001:db8:1:2:${i.toString(16)}::${i + 1}`)
  expect(countOf(rotated, 401)).toBeLessThanOrEqual(20)
  expect(countOf(rotated, 401) + countOf(rotated, 429)).toBe(40)
  const mapped = await many((i) => (i % 2 === 0 ? '203.0.113.99' : '::ffff:203.0.113.99'))
  expect(countOf(mapped, 401)).toBeLessThanOrEqual(20)
  const elsewhere = await guess(0, '2001:db8:1:3::1')
  expect(elsewhere.status).toBe(401)
})

async function storeFile(service: Service): Promise<string> {
  const made = await service.call('POST', '/api/v1/flows/', {
    body: { name: 'with a file', data: { nodes: [], edges: [] } },
  })
  const body = new FormData()
  body.set('file', new File(['contents'], 'a.txt'))
  const { id } = made.json() as { id: string }
  const stored = await service.call('POST', `/api/v1/files/upload/${id}`, { body })
  return `/api/v1/files/download/${(stored.json() as { file_path: string }).file_path}`
}
