import { expect, test } from 'vitest'
import { turnsDuring } from '@x/test-kit'
import { builtinComponents } from '@x/flow-components'
import { createRegistry } from '@x/flow-engine'
import { findWebhooks, withoutApiKeys } from './graph-text.ts'
import { withoutPasswords } from './without-passwords.ts'
import { withoutSecrets } from './without-secrets.ts'

const components = createRegistry(builtinComponents)

const field = (n: number) => ({
  name: 'api_key',
  password: n % 2 === 0,
  value: n % 3 === 0 ? `secret-${n}` : [`secret-${n}`, 'https://user:pass@host/?key=1'],
})
const node = (id: string, fields: number) => ({
  id,
  data: { type: 'Any', node: { template: Array.from({ length: fields }, (_, n) => field(n)) } },
})
/** Most of it is in one node. */
const LARGE = JSON.stringify({ nodes: [node('Webhook', 60_000), node('a', 9)], edges: [] })

test.each([
  ['hiding secrets', () => withoutSecrets(LARGE, components), 20],
  ['emptying passwords', () => withoutPasswords(LARGE, components), 10],
  ['removing API keys', () => withoutApiKeys(LARGE, components), 3],
  ['looking for webhooks', () => findWebhooks(LARGE), 2],
] as const)('AB-38 %s of a large graph gives others their turns', async (_name, work, least) => {
  expect((await turnsDuring<unknown>(work)).turns).toBeGreaterThanOrEqual(least)
})

test('AB-53 secrets in a large graph are hidden, wherever they are repeated', async () => {
  const secret = 'sk-'.padEnd(60, 'x')
  const graph = {
    nodes: [node('a', 20_000), { password: true, value: secret }, { text: `of ${secret}.` }],
  }
  const shown = (await withoutSecrets(JSON.stringify(graph), components)) ?? ''
  expect(shown).not.toMatch(/sk-xxx|user:pass|key=1|secret-/)
  expect(shown).toContain('"of ."')
})
