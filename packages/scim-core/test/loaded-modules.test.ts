import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Writes a line when `jose` is looked for, by whichever module. */
const WATCHED = `
import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(\`
  import { writeSync } from 'node:fs'
  export async function resolve(specifier, context, next) {
    if (specifier === 'jose') writeSync(1, 'jose ')
    return next(specifier, context)
  }\`))
const { createScimService, createScimTokens, defineResourceType } = await import('@x/scim-core')
const { createMemoryScimStore } = await import('@x/scim-core/memory')
const { createScimConnections } = await import('@x/scim-core/connections')
const { createWebhooks, createSecurityEvents } = await import('@x/scim-core/outbound')
const store = createMemoryScimStore()
const scim = createScimService({
  store, outbox: true, baseUrl: 'https://a.example/scim', auth: { kind: 'token', token: 't' },
})
await scim.users.create('default', { userName: 'a@b.example' })
await createWebhooks({ store: store.outbox, secretKey: 'k'.repeat(32) }).deliverDue()
console.log('served')
`

async function run(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', '--conditions=@x/source', '--input-type=module', '--eval', program],
    { cwd: fileURLToPath(new URL('..', import.meta.url)) },
  )
  return stdout
}

test(
  'SH-1 SH-2 a service without OAuth and Security Event Tokens never loads jose',
  { tags: ['long'] },
  async () => {
    expect(await run(WATCHED)).toBe('served\n')
    const signing = `${WATCHED}
    const { createJwtAuth } = await import('@x/scim-core/oauth')
    console.log(typeof createJwtAuth)`
    expect(await run(signing)).toMatch(/^served\n(?:jose )+function\n$/)
  },
)

test('SH-1 the entry points export what hosts need', async () => {
  const namesOf = async (entry: Promise<object>): Promise<string[]> => Object.keys(await entry)
  expect(await namesOf(import('@x/scim-core'))).toEqual(
    expect.arrayContaining([
      'defineResourceType',
      'createCatalogueStore',
      'ScimReentryError',
      'isScimReentry',
      'SCIM_PROFILES',
    ]),
  )
  expect(await namesOf(import('@x/scim-core/memory'))).toEqual(
    expect.arrayContaining(['createMemoryResourceStore', 'createMemoryConnectionStore']),
  )
  expect(await namesOf(import('@x/scim-core/scan'))).toContain('createScanStore')
  expect((await namesOf(import('@x/scim-core/outbound'))).toSorted()).toEqual([
    'OUTBOX_EVENTS',
    'WebhookSignatureError',
    'createSecurityEvents',
    'createWebhooks',
    'createWebhooksHandler',
    'verifyWebhook',
  ])
  expect((await namesOf(import('@x/scim-core/oauth'))).toSorted()).toEqual([
    'createIntrospectionAuth',
    'createJwtAuth',
    'createTokenEndpoint',
  ])
  expect((await namesOf(import('@x/scim-core/connections'))).toSorted()).toEqual([
    'createConnectionsHandler',
    'createScimConnections',
  ])
  expect(await namesOf(import('@x/scim-core/testing'))).toEqual(
    expect.arrayContaining([
      'defineTokenStoreContract',
      'defineOutboxStoreContract',
      'defineResourceStoreContract',
      'defineConnectionStoreContract',
    ]),
  )
})
