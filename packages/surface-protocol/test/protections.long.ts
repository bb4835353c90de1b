// Runs each night (.ci/night).
import { describe, expect, test } from 'vitest'
import { createSurfaceStore, validateClientMessage, validateMessage } from '@x/surface-protocol'
import { v1 } from '@x/surface-protocol/v1'
import { KEYS as clientV08 } from '../src/message/v08/client-message.ts'
import { MEMBERS as serverV08 } from '../src/message/v08/read-message.ts'
import { KINDS as clientV09 } from '../src/message/v09/client-message-v09.ts'
import { MEMBERS as serverV09 } from '../src/message/v09/read-message-v09.ts'
import { KINDS as clientV1 } from '../src/message/v1/client-message-v1.ts'
import { MEMBERS as serverV1 } from '../src/message/v1/read-message-v1.ts'
import { costOf } from './cost.ts'

/** Milliseconds that a message of a quarter of a megabyte may take; it takes a twentieth. */
const BOUND = 500

const deep = (depth: number): unknown => {
  let value: unknown = 'x'
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value }
  return value
}
const many = <T>(count: number, of: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => of(n))
const keys = (count: number) => Object.fromEntries(many(count, (n) => [`k${n}`, n]))
const listing = (version: string) =>
  many(500, (n) =>
    version === '0.8'
      ? {
          id: `c${n}`,
          component: {
            Column: { children: { explicitList: many(30, (k) => `c${(n + k) % 500}`) } },
          },
        }
      : { id: `c${n}`, component: 'Column', children: many(30, (k) => `c${(n + k) % 500}`) },
  )

/** Hostile replacements of any member: about a quarter of a megabyte each. */
const nasty = (version: string): readonly unknown[] => [
  'a'.repeat(250_000),
  `/${'a/'.repeat(125_000)}`,
  `${'~'.repeat(125_000)}!`,
  '${'.repeat(75_000),
  many(6500, () => 'x'),
  many(30_000, () => ({})),
  deep(5_000),
  keys(20_000),
  many(1500, (n) => ({ key: `k${n}`, valueString: 'x' })),
  { a: many(25_000, () => ({ path: '/a' })) },
  listing(version),
  many(750, (n) => ({ id: 'same', component: version === '0.8' ? { Text: { text: n } } : 'Text' })),
]

interface Dialect {
  readonly version: '0.8' | '0.9.1' | typeof v1
  readonly name: string
  readonly server: Readonly<Record<string, readonly string[]>>
  readonly client: readonly string[]
}

const dialects: readonly Dialect[] = [
  { version: '0.8', name: '0.8', server: serverV08, client: clientV08 },
  { version: '0.9.1', name: '0.9.1', server: serverV09, client: clientV09 },
  { version: v1, name: '1.0', server: serverV1, client: clientV1 },
]

/** From the readers' own tables: a kind of message or a member that is added is tried too. */
describe.each(dialects)('AB-93: messages of version $name', ({ version, name, server, client }) => {
  const envelope = name === '0.8' ? {} : { version: `v${name}` }
  const rest = { surfaceId: 's', root: 'c0', catalogId: 'x', id: 'r' }

  test.each(Object.keys(server))('every member of %s costs what it weighs', async (kind) => {
    const slow: string[] = []
    for (const member of server[kind] ?? []) {
      for (const [index, value] of nasty(name).entries()) {
        const known = Object.entries(rest).filter(([key]) => server[kind]?.includes(key) === true)
        const message = { ...envelope, [kind]: { ...Object.fromEntries(known), [member]: value } }
        const cost = await costOf(() => {
          validateMessage(message, { version })
          createSurfaceStore({ version } as object).apply(message)
        })
        if (cost > 2 * BOUND) slow.push(`${member} with value ${index}: ${Math.round(cost)} ms`)
      }
    }
    expect(slow).toEqual([])
  })

  test.each([...client])('a client that says %s cannot hold the server', async (kind) => {
    const slow: string[] = []
    for (const [index, value] of nasty(name).entries()) {
      const action = {
        name: 'a',
        surfaceId: 's',
        sourceComponentId: 'c',
        timestamp: '',
        context: value,
      }
      for (const payload of [value, action, { value }]) {
        const message = { ...envelope, [kind]: payload }
        const cost = await costOf(() => validateClientMessage(message, { version } as never))
        if (cost > BOUND) slow.push(`value ${index}: ${Math.round(cost)} ms`)
      }
    }
    expect(slow).toEqual([])
  })
})
