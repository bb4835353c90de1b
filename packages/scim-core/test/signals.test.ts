import type { SessionsEnd } from '@x/scim-core'
import { createMemoryScimStore } from '@x/scim-core/memory'
import {
  createSignalReceiver,
  type SignalReceiver,
  type SignalReceiverOptions,
} from '@x/scim-core/signals'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { createScim, type Harness } from './support.ts'

const CAEP = 'https://schemas.openid.net/secevent/caep/event-type/'
const RISC = 'https://schemas.openid.net/secevent/risc/event-type/'
const VERIFICATION = 'https://schemas.openid.net/secevent/ssf/event-type/verification'
const ISSUER = 'https://idp.example'
const OTHER = 'https://other.example'
const AUDIENCE = 'https://app.example'

const { privateKey, publicKey } = await generateKeyPair('ES256')
const { privateKey: foreignKey } = await generateKeyPair('ES256')
const KEYS = { keys: [await exportJWK(publicKey)] }

let scim: Harness
let store: ReturnType<typeof createMemoryScimStore>
let ends: SessionsEnd[]
let refuses: boolean
let receiver: SignalReceiver
let ada: string

const open = (options: Partial<SignalReceiverOptions> = {}): void => {
  const shared = { jwks: KEYS, audience: AUDIENCE, authorization: 'Bearer push' }
  receiver = createSignalReceiver({
    transmitters: [
      { issuer: ISSUER, ...shared },
      { issuer: OTHER, ...shared },
    ],
    tenant: (issuer) => (issuer === ISSUER ? 'default' : 'globex'),
    store,
    runtime: scim.runtime,
    onSessionsEnd(end) {
      if (refuses) throw new Error('The database is away')
      ends.push(end)
    },
    ...options,
  })
}

beforeEach(async () => {
  store = createMemoryScimStore()
  scim = createScim({ store })
  ends = []
  refuses = false
  const body = { userName: 'ada@corp.example', externalId: 'e-ada', active: true }
  ada = (await scim.service.users.create('default', body)).id
  open()
})

const now = (): number => Math.floor(scim.runtime.now().getTime() / 1_000)
let made = 0

/** A signed token; values of null are left out. */
async function tokenOf(
  claims: Readonly<Record<string, unknown>> = {},
  { key = privateKey, typ = 'secevent+jwt' }: { key?: typeof privateKey; typ?: string } = {},
): Promise<string> {
  made += 1
  const whole = {
    iss: ISSUER,
    aud: AUDIENCE,
    iat: now(),
    jti: `jti-${made}`,
    sub_id: { format: 'email', email: 'Ada@corp.example' },
    events: { [`${CAEP}session-revoked`]: { event_timestamp: now() } },
    ...claims,
  }
  const given = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null))
  return new SignJWT(given).setProtectedHeader({ alg: 'ES256', typ }).sign(key)
}

async function push(body: string, authorization = 'Bearer push') {
  const headers = { authorization, 'content-type': 'application/secevent+jwt' }
  const response = await receiver.handle(new Request(AUDIENCE, { method: 'POST', headers, body }))
  const text = await response.text()
  return [response.status, text === '' ? '' : (JSON.parse(text) as { err: string }).err]
}

describe('signals', () => {
  test('DP-48 each kind of event and subject ends the sessions of the person', async () => {
    const subjects = [
      { format: 'email', email: 'ADA@corp.example' },
      { format: 'iss_sub', iss: ISSUER, sub: 'e-ada' },
      { format: 'opaque', id: ada },
      {
        format: 'complex',
        user: { format: 'opaque', id: ada },
        device: { format: 'opaque', id: 'd' },
      },
    ]
    for (const sub_id of subjects) expect(await push(await tokenOf({ sub_id }))).toEqual([202, ''])
    for (const uri of [
      `${CAEP}credential-change`,
      `${RISC}account-disabled`,
      `${RISC}account-purged`,
    ]) {
      const events = { [uri]: { subject: subjects[0] } }
      expect(await push(await tokenOf({ sub_id: null, events }))).toEqual([202, ''])
    }
    const end = { tenant: 'default', userId: ada, reason: 'signal' }
    expect(ends).toEqual(Array.from({ length: 7 }, () => end))
    expect((await scim.service.users.get('default', ada))?.active).toBe(true)
  })

  test('DP-48 others are acknowledged: unknown events, people, and a signal of another tenant', async () => {
    for (const claims of [
      { events: { [VERIFICATION]: { state: 'x' } } },
      { events: { 'https://example.com/other': {} } },
      { events: {} },
      { sub_id: { format: 'email', email: 'nobody@corp.example' } },
      { sub_id: { format: 'phone_number', phone_number: '+1' } },
      { sub_id: null },
      { iss: OTHER },
      { iss: OTHER, sub_id: { format: 'opaque', id: ada } },
    ])
      expect(await push(await tokenOf(claims))).toEqual([202, ''])
    expect(ends).toEqual([])
  })

  test('DP-48 refusals name their reason', async () => {
    const refused = async (err: string, body: string, authorization?: string) =>
      expect([err, await push(body, authorization)]).toEqual([err, [400, err]])
    await refused('invalid_request', 'no token')
    await refused('invalid_request', 'x'.repeat(70_000))
    await refused('invalid_request', await tokenOf({}, { typ: 'JWT' }))
    await refused('invalid_request', await tokenOf({ exp: now() + 60 }))
    await refused('invalid_request', await tokenOf({ exp: now() - 60 }))
    await refused('invalid_request', await tokenOf({ jti: null }))
    await refused('invalid_request', await tokenOf({ iat: null }))
    await refused('invalid_request', await tokenOf({ iat: now() + 310 }))
    await refused('invalid_request', await tokenOf({ iat: now() - 7 * 86_400 - 10 }))
    await refused('invalid_key', await tokenOf({}, { key: foreignKey }))
    await refused('invalid_issuer', await tokenOf({ iss: 'https://evil.example' }))
    await refused('invalid_audience', await tokenOf({ aud: 'https://elsewhere.example' }))
    await refused('authentication_failed', await tokenOf(), 'Bearer other')
    expect((await receiver.handle(new Request(AUDIENCE))).status).toBe(405)
    expect(ends).toEqual([])
  })

  test('DP-48 a signal acts once, and again only if it could not be carried out', async () => {
    const token = await tokenOf()
    refuses = true
    expect((await push(token))[0]).toBe(500)
    refuses = false
    expect(await Promise.all([push(token), push(token)])).toEqual([
      [202, ''],
      [202, ''],
    ])
    expect(await push(token)).toEqual([202, ''])
    expect(ends).toHaveLength(1)
  })

  test('DP-48 the host may find the person itself, and do more in the same transaction', async () => {
    const told: string[] = []
    open({
      resolve: ({ format }) => (format === 'opaque' ? ada : null),
      async onSignal({ event, userId, tenant }, transaction) {
        const { users } = transaction as ReturnType<typeof createMemoryScimStore>
        told.push(event, (await users.get(tenant, userId))?.userName ?? '')
      },
    })
    await push(await tokenOf())
    await push(await tokenOf({ sub_id: { format: 'opaque', id: 'their-id' } }))
    expect([told, ends.length]).toEqual([['session-revoked', 'ada@corp.example'], 1])
  })
})
