import { readFileSync } from 'node:fs'
import { createScimHandler } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import { describe, expect, test } from 'vitest'

const guide = (name: string): string =>
  readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8')

describe('SH-81 guides for hosts', () => {
  test.each([
    ['scim-own-tables', ['createScanStore', '`want`', 'Prisma', 'Drizzle', 'Kysely', 'Plain SQL']],
    ['scim-hooks', ['onUserWrite', 'onGroupWrite', 'beforeCommit', 'ScimReentryError']],
    ['scim-events-out', ['outbox: true', 'createWebhooks', 'createSecurityEvents', 'replay']],
    ['scim-resource-types', ['defineResourceType', 'createCatalogueStore']],
    [
      'scim-authentication',
      [
        'createScimConnections',
        'createJwtAuth',
        'createTokenEndpoint',
        'createIntrospectionAuth',
        'Entra',
        'Okta',
      ],
    ],
    ['scim-roll-out', ['expand', 'contract']],
  ])('%s mentions %j', (name, words) => {
    const text = guide(name)
    expect(words.filter((word) => !text.toLowerCase().includes(word.toLowerCase()))).toEqual([])
  })
})

/** The part of a guide below a heading, up to the next one of its level. */
function section(text: string, heading: string): string {
  const [, below = ''] = text.split(`\n${heading}\n`)
  const level = heading.split(' ')[0] ?? ''
  return below.split(new RegExp(`\n${level} `))[0] ?? ''
}

/** The cells of the rows of the first table. */
function rowsOf(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('| '))
  return lines
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\||\|$/g, '').trim()))
}

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** The paths that a cell names; those after the first may be shortened. */
function pathsOf(cell: string): string[] {
  const named = Array.from(cell.matchAll(/`([^`]+)`/g), ([, path = '']) => path)
  const stem = named[0]?.replace(/\.\w+$/, '') ?? ''
  return named.map((path) =>
    path.startsWith('.') ? stem + path : path.replace('…:User', ENTERPRISE),
  )
}

describe('SH-82 connecting Entra and Okta', () => {
  const text = guide('scim-connect')
  const providers = { 'Microsoft Entra ID': 'Entra', Okta: 'Okta' } as const

  test.each(Object.keys(providers))('%s: every attribute of the table can be set', async (name) => {
    const auth = { kind: 'token' as const, token: 'a-token-for-the-guide' }
    const baseUrl = 'https://app.example/scim/v2'
    const handle = createScimHandler({ store: createMemoryScimStore(), baseUrl, auth })
    const send = async (method: string, path: string, body: object) => {
      const headers = {
        authorization: `Bearer ${auth.token}`,
        'content-type': 'application/scim+json',
      }
      const answer = await handle(
        new Request(baseUrl + path, { method, headers, body: JSON.stringify(body) }),
      )
      return { status: answer.status, body: (await answer.json()) as { readonly id: string } }
    }
    const { body } = await send('POST', '/Users', { userName: 'ada@corp.example' })
    const rows = rowsOf(section(section(text, `## ${name}`), '### Attributes of users'))
    expect(rows.map((row) => row[2]).filter((order) => order !== '')).toEqual(['1'])
    const paths = rows.flatMap(([, ours = '']) => pathsOf(ours))
    expect(paths.length).toBeGreaterThan(9)
    const results = await Promise.all(
      paths.map(async (path) => {
        const value = path.includes('mail') || path === 'userName' ? 'eve@corp.example' : 'x'
        const typed = path === 'active' ? 'False' : path.endsWith(':manager') ? body.id : value
        const { status } = await send('PATCH', `/Users/${body.id}`, {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'add', path, value: path === 'locale' ? 'en-US' : typed }],
        })
        return { path, status }
      }),
    )
    expect(results.filter(({ status }) => status !== 200)).toEqual([])
  })

  test.each([
    [
      'Microsoft Entra ID',
      [
        'SystemForCrossDomainIdentityManagementCredentialValidationUnavailable',
        'SystemForCrossDomainIdentityManagementCredentialValidationFailure',
        'SystemForCrossDomainIdentityManagementServiceIncompatible',
        'DuplicateTargetEntries',
        'EncounteredQuarantineException',
        'EncounteredEscrowProportionThreshold, EncounteredBaseEscrowThreshold, EncounteredTotalEscrowThreshold',
        'TooManyDeletes',
        'Conflict, EntryConflict',
        'InvalidAnchor',
        'Unauthorized, InsufficientRights, NotPermitted, MethodNotAllowed',
        'MandatoryFieldsMissing, MissingValues',
        'SchemaAttributeNotFound, SchemaPropertyCanOnlyAcceptValue',
        'SystemForCrossDomainIdentityManagementMultipleEntriesInResponse',
        'TooManyRequests',
        'InternalServerError, UnprocessableEntity, WebExceptionProtocolError, Timeout',
        'ImportSkipped, EntrySynchronizationSkipped, DuplicateSourceEntries',
        'You appear to have entered invalid credentials',
      ],
    ],
    [
      'Okta',
      [
        'Automatic provisioning of user … failed',
        'Matching user not found',
        'Error while verifying if user … exists',
        'Error while trying to push profile update',
        'No results for users returned',
        'Error authenticating',
        'Unable to update Group Push mapping',
        'does not support importing user schema',
      ],
    ],
  ])('%s: each message is listed with its cause and audit line', (name, messages) => {
    const part = section(text, `## ${name}`)
    const rows = rowsOf(section(part, '### Messages'))
    expect(rows.map(([shown = '']) => shown.replaceAll('`', '')).toSorted()).toEqual(
      messages.toSorted(),
    )
    expect(rows.filter(([, cause, line]) => (cause ?? '').length < 20 || !line)).toEqual([])
    expect(rowsOf(section(part, '### Screens')).length).toBeGreaterThan(3)
  })

  test('Provision on demand is described step by step, quarantine with its cause and end', () => {
    const entra = section(text, '## Microsoft Entra ID')
    const steps = section(entra, '### Provision on demand').match(/^\d\. .+$/gm) ?? []
    expect(steps.join('\n')).toMatch(/GET \/Users[^]*POST \/Users[^]*PATCH \/Users/)
    expect(section(entra, '### Quarantine')).toMatch(/when[^]*ends/)
  })
})
