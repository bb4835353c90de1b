import { expect, test } from 'vitest'
import {
  createScim,
  ENTERPRISE,
  GROUP,
  list,
  MESSAGES,
  TOKEN,
  USER,
  type Harness,
} from './support.ts'

/** Requests; raise it with SCIM_FUZZ_REQUESTS=100000. */
const REQUESTS = Number(process.env['SCIM_FUZZ_REQUESTS'] ?? 300)
const SEED = Number(process.env['SCIM_FUZZ_SEED'] ?? 42)

const NAMES = [
  'userName',
  'USERNAME',
  'name',
  'name.givenName',
  'emails',
  'emails.value',
  'emails[type eq "work"]',
  'emails[type eq "work"].value',
  'emails[primary eq true and value co "x"].display',
  'active',
  'title',
  'members',
  'members[value eq "u1"]',
  'members.value',
  'groups',
  'meta.created',
  'meta',
  'id',
  'schemas',
  'externalId',
  'displayName',
  'password',
  'manager',
  'department',
  ENTERPRISE,
  `${ENTERPRISE}:manager.value`,
  `${USER}:title`,
  'x509Certificates',
  'photos',
  'addresses[country pr]',
  '__proto__',
  'constructor',
  'constructor.prototype',
  'toString',
  '$ref',
  'a[b',
  'a]',
  '[]',
  '',
  '.',
  ':',
  'urn:',
  'x'.repeat(2_000),
  '🚀',
  'emails[0]',
  'emails[]',
  'name[',
  'emails[not (type pr)]',
  'emails[[x]]',
]
const TEXTS = [
  '',
  'a',
  'work',
  'true',
  'False',
  'u@x.example',
  'ÅΩ🚀',
  '\u0000',
  '\ud800',
  '%',
  "' or 1=1 --",
  '\\',
  '"',
  'null',
  '2031-01-01T00:00:00Z',
  '9'.repeat(400),
  'bulkId:a',
  'x'.repeat(70_000),
  '{}',
  '../../etc',
  'urn:x',
]
const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'pr', 'EQ', 'like', '']
const HEADERS = [
  'if-match',
  'if-none-match',
  'accept',
  'content-type',
  'x-forwarded-host',
  'prefer',
]

/** A generator of pseudo-random numbers (mulberry32), so that a failure can be run again. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

function createFuzzer(random: () => number, ids: readonly string[]) {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  const chance = (p: number): boolean => random() < p
  const many = <T>(make: () => T, most = 4): T[] =>
    Array.from({ length: Math.floor(random() * most) }, make)
  const id = (): string =>
    pick([...ids, 'u1', 'ghost', '%00', '%zz', '..', pick(TEXTS.slice(0, -4))])

  const value = (depth = 0): unknown => {
    const kind = Math.floor(random() * (depth > 3 ? 5 : 8))
    if (kind === 0) return pick([null, true, false, 0, -1, 1.5, 1e308])
    if (kind <= 3) return pick([...TEXTS, ...ids])
    if (kind === 4) return chance(0.5) ? `m${Math.floor(random() * 50)}@x.example` : pick(NAMES)
    if (kind === 5) return many(() => value(depth + 1))
    return object(depth + 1)
  }
  const object = (depth = 0): object =>
    Object.fromEntries(
      many(
        () => [pick([...NAMES, 'value', 'type', 'primary', 'display', 'op', 'path']), value(depth)],
        6,
      ),
    )
  const filter = (depth = 0): string => {
    const kind = Math.floor(random() * (depth > 4 ? 2 : 6))
    if (kind === 0) return `${pick(NAMES)} pr`
    if (kind === 1)
      return `${pick(NAMES)} ${pick(OPERATORS)} ${chance(0.8) ? JSON.stringify(pick(TEXTS.slice(0, -4))) : pick(['5', 'true', 'bare', "'x'", '1e999', '-', '"'])}`
    if (kind === 2) return `not (${filter(depth + 1)})`
    if (kind === 3) return `(${filter(depth + 1)}`
    if (kind === 4)
      return `${pick(NAMES)}[${filter(depth + 1)}]${pick(['', '.value', '.value eq "x"', '.'])}`
    return `${filter(depth + 1)} ${pick(['and', 'or', 'xor'])} ${filter(depth + 1)}`
  }
  const operation = (): unknown =>
    chance(0.05)
      ? value()
      : {
          op: pick(['add', 'replace', 'remove', 'Add', 'REPLACE', 'move', 5]),
          ...(chance(0.8) && { path: chance(0.2) ? `emails[${filter(3)}]` : pick(NAMES) }),
          ...(chance(0.85) && { value: value() }),
        }
  const resource = (): object => ({
    ...(chance(0.7) && { userName: `m${Math.floor(random() * 50)}@x.example` }),
    ...(chance(0.5) && { displayName: pick(TEXTS) }),
    ...(chance(0.3) && { schemas: pick([[USER], [GROUP], value()]) }),
    ...object(),
  })
  const bulk = (): object => ({
    schemas: [`${MESSAGES}:BulkRequest`],
    failOnErrors: pick([undefined, 1, 3, value()]),
    Operations: many(() =>
      chance(0.1)
        ? value()
        : {
            method: pick(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']),
            path: pick(['/Users', '/Groups', `/Users/${id()}`, '/Groups/bulkId:a', 'x']),
            bulkId: pick(['a', 'b', undefined, value()]),
            data: chance(0.5) ? resource() : { Operations: many(operation) },
          },
    ),
  })
  const query = (): string => {
    const parts = many(
      () =>
        `${pick(['filter', 'sortBy', 'sortOrder', 'startIndex', 'count', 'attributes', 'excludedAttributes', 'cursor', 'x'])}=${encodeURIComponent(chance(0.4) ? filter() : toWellFormed(pick([...NAMES, ...TEXTS.slice(0, -4), '5', '-1', 'descending'])))}`,
    )
    return parts.length === 0 ? pick(['', '?', '?&', '?%', '?filter=%zz']) : `?${parts.join('&')}`
  }
  const path = (): string =>
    pick([
      '/Users',
      '/Groups',
      `/Users/${encode(id())}`,
      `/Groups/${encode(id())}`,
      `/Users/${encode(id())}`,
      '/.search',
      '/Users/.search',
      '/',
      '/Schemas',
      '/ResourceTypes/User',
      '/Me',
      '/Bulk',
      '/ServiceProviderConfig',
      `/${encode(pick(TEXTS.slice(0, -4)))}`,
    ]) + query()
  const body = (): string => {
    const made = pick([
      () => resource(),
      () => ({ schemas: [`${MESSAGES}:PatchOp`], Operations: many(operation) }),
      () => ({ Operations: many(operation) }),
      bulk,
      () => ({
        schemas: [`${MESSAGES}:SearchRequest`],
        filter: filter(),
        count: value(),
        sortBy: pick(NAMES),
      }),
      () => value(),
    ])()
    const text = JSON.stringify(made) ?? ''
    return chance(0.03)
      ? text.slice(0, Math.floor(random() * text.length))
      : chance(0.02)
        ? '['.repeat(5_000)
        : text
  }
  const headers = (): Record<string, string> => {
    const extra = many(
      () => [pick(HEADERS), pick(['*', 'W/"1"', 'x', 'application/json', 'text/html; q=0', 'W/"'])],
      3,
    )
    return {
      authorization: chance(0.97) ? `Bearer ${TOKEN}` : pick(['', 'Bearer', 'x y']),
      'content-type': 'application/scim+json',
      ...Object.fromEntries(extra),
    }
  }
  const method = (): string =>
    pick(['GET', 'GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE', 'OPTIONS'])
  return { method, path, body, headers }
}

const encode = (text: string): string =>
  text.startsWith('%') ? text : encodeURIComponent(toWellFormed(text))
const toWellFormed = (text: string): string => text.replaceAll(/[\ud800-\udfff]/g, '?')

async function seedData(scim: Harness): Promise<string[]> {
  const ids = [
    await scim.user('m1@x.example', { emails: [{ value: 'w', type: 'work' }] }),
    await scim.user('m2@x.example'),
  ]
  return [...ids, await scim.group('g1', ids), await scim.group('g2')]
}

test(
  `SC-24 SC-77 ${REQUESTS} random requests: no 5xx, no hang, clean prototypes`,
  { timeout: 600_000 },
  async () => {
    const scim = createScim({
      bulk: true,
      etag: true,
      cursor: true,
      resolveMe: () => 'me',
      deleteUser: 'remove',
      limits: { bodyBytes: 300_000 },
    })
    const fuzz = createFuzzer(createRandom(SEED), await seedData(scim))
    const prototypes = [
      Object.prototype,
      Array.prototype,
      Function.prototype,
      String.prototype,
    ].map((one) => [one, Reflect.ownKeys(one).length] as const)
    const failures: unknown[] = []
    for (let n = 0; n < REQUESTS; n += 1) {
      const method = fuzz.method()
      const path = fuzz.path()
      const withBody = method === 'POST' || method === 'PUT' || method === 'PATCH'
      const init = { headers: fuzz.headers(), ...(withBody && { body: fuzz.body() }) }
      const { status, body } = await scim.send(method, path, init)
      const inner = list(body['Operations']).map((result) => String(Reflect.get(result, 'status')))
      if ((status >= 500 && status !== 501) || inner.some((code) => code.startsWith('5'))) {
        failures.push({ n, method, path, init, status, body, errors: scim.errors })
      }
      scim.payloads.length = 0
      scim.events.length = 0
    }
    expect(failures.slice(0, 2)).toEqual([])
    expect(scim.errors).toEqual([])
    expect(prototypes.every(([one, count]) => Reflect.ownKeys(one).length === count)).toBe(true)
    expect(Object.keys(Object.prototype)).toEqual([])
  },
)
