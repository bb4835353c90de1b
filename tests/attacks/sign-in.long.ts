// Runs each night (.ci/night).
import { expect, test } from 'vitest'
import { processorMs, useService } from './attack.ts'
import { countOf, GUESSED, mostGuesses, PASSWORD, signIn } from './guesses.ts'

const running = useService(GUESSED)

test('AB-60: of 300 sign-ins from one address at most 100 are checked, plus 5 per second', async () => {
  const service = running()
  const since = performance.now()
  const guesses = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      signIn(service, { name: `nobody-${i}`, password: 'x', address: '203.0.113.2' }),
    ),
  )
  expect(countOf(guesses, 401)).toBeLessThanOrEqual(mostGuesses(100, 5, since))
  // A busy machine may have too many hashes waiting (AB-61).
  expect(guesses.filter(({ status }) => ![401, 429, 503].includes(status))).toEqual([])
  expect(countOf(guesses, 429)).toBeGreaterThan(0)
})

test('AB-61: sign-ins are refused while more than 100 hashes are queued', async () => {
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
})

test('AB-62: sign-ins with known and unknown names take the same time', async () => {
  const service = running()
  let turn = 0
  const work = async (names: readonly string[], { atOnce }: { readonly atOnce: boolean }) => {
    const before = processorMs(service)
    if (atOnce) await Promise.all(names.map(timed))
    else for (const name of names) await timed(name)
    return processorMs(service) - before
  }
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
  // Without a hash of its own an unknown name takes a twentieth.
  expect(Math.abs(a - b)).toBeLessThan(Math.max(20, 0.5 * Math.max(a, b)))

  // What the server does for them, which a busy machine does not change.
  const each = (count: number, name: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => name(at))
  for (const [atOnce, count, most] of [
    [false, 15, 0.15],
    [true, 24, 0.35],
  ] as const) {
    const ofKnown = await work(
      each(count, () => 'admin'),
      { atOnce },
    )
    const ofUnknown = await work(
      each(count, (at) => `nobody-${at}-${most}`),
      { atOnce },
    )
    expect(Math.abs(ofKnown - ofUnknown)).toBeLessThanOrEqual(
      Math.max(20 * count, most * Math.max(ofKnown, ofUnknown)),
    )
  }

  const many = await Promise.all(
    Array.from({ length: 24 }, (_, i) => timed(i % 2 === 0 ? 'admin' : `other-${i}`)),
  )
  const [c, d] = [0, 1].map((rest) => median(many.filter((_, i) => i % 2 === rest)))
  expect(Math.abs((c ?? 0) - (d ?? 0))).toBeLessThan(0.6 * Math.max(c ?? 0, d ?? 0) + 20)
})

function median(values: readonly number[]): number {
  return values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)] ?? 0
}
