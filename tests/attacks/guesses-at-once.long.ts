// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import type { Service } from '../journeys/service.ts'
import { besideHealth, HEALTH_NOTED, stopwatch, useService } from './attack.ts'
import { countOf, GUESSED, mostGuesses, PASSWORD, signIn } from './guesses.ts'

const running = useService(GUESSED)

test('AB-60, AB-61: of 1,000 concurrent password guesses few are checked; the owner and file requests are served', async () => {
  const service = running()
  const file = await storeFile(service)
  const honest = { name: 'admin', password: PASSWORD, address: '198.51.100.7' }
  const beside: { owner: number; fileMs: number } = { owner: 0, fileMs: 0 }

  const attack = await besideHealth(service, async () => {
    const since = performance.now()
    const guesses = Promise.all(
      Array.from({ length: 1000 }, (_, i) =>
        signIn(service, { name: 'admin', password: `guess ${i}`, address: '203.0.113.1' }),
      ),
    )
    const elapsed = stopwatch(service)
    const download = await service.call('GET', file)
    beside.fileMs = elapsed()
    expect(download.text).toBe('contents')
    beside.owner = (await signIn(service, honest)).status
    const answers = await guesses
    // 20 at once, and those that the bucket has gained meanwhile.
    expect(countOf(answers, 401)).toBeLessThanOrEqual(mostGuesses(20, 1, since))
    return answers
  })
  expect(beside.owner).toBe(200)
  expect(beside.fileMs).toBeLessThan(HEALTH_NOTED)
  expect(countOf(attack.result, 401) + countOf(attack.result, 429)).toBe(1000)
  const refused = attack.result.find(({ status }) => status === 429)
  expect(Number(refused?.answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(attack.slowest).toBeLessThan(HEALTH_NOTED)
})

test('AB-60: addresses of one IPv6 network share one limit', async () => {
  const service = running()
  const guess = (i: number, address: string) =>
    signIn(service, { name: 'ipv6', password: `guess ${i}`, address })
  const many = async (address: (i: number) => string) => {
    const since = performance.now()
    const guesses = await Promise.all(Array.from({ length: 40 }, (_, i) => guess(i, address(i))))
    expect(countOf(guesses, 401)).toBeLessThanOrEqual(mostGuesses(20, 1, since))
    return guesses
  }

  const rotated = await many((i) => `2001:db8:1:2:${i.toString(16)}::${i + 1}`)
  expect(countOf(rotated, 401) + countOf(rotated, 429)).toBe(40)
  await many((i) => (i % 2 === 0 ? '203.0.113.99' : '::ffff:203.0.113.99'))
  const elsewhere = await guess(0, '2001:db8:1:3::1')
  expect(elsewhere.status).toBe(401)
})

/** The path of a file of a flow. */
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
