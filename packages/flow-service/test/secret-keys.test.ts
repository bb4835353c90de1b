import { createFlowService, UnreadableSecretsError } from '@x/flow-service'
import { createMemoryBlobStore, createMemoryFlowStore } from '@x/flow-service/memory'
import { cheapHasher } from '@x/test-kit'
import { describe, expect, test } from 'vitest'

const [OLD, NEW, THIRD] = ['old', 'new', 'third'].map(
  (name) => `${name} key of 32 characters or more`,
)
const PASSWORD = 'a password of sixteen'

function installation() {
  const store = createMemoryFlowStore()
  const files = createMemoryBlobStore()
  const reported: unknown[] = []
  const open = (...secretKey: (string | undefined)[]) => {
    const engine = createFlowService({
      store,
      files,
      passwords: cheapHasher,
      secretKey: secretKey.map(String),
      onError: (error) => void reported.push(error),
    })
    const call = async (method: string, path: string, token: string, body?: unknown) => {
      const init = { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const request = new Request(`http://host.example/api/v1${path}`, { ...init, headers })
      const response = await engine.handler(request)
      return { status: response.status, json: (await response.json()) as Record<string, unknown> }
    }
    const signIn = async () => {
      const body = new URLSearchParams({ username: 'admin', password: PASSWORD })
      const request = new Request('http://host.example/api/v1/login', { method: 'POST', body })
      const response = await engine.handler(request)
      return ((await response.json()) as { access_token: string }).access_token
    }
    return { engine, call, signIn }
  }
  const fill = async () => {
    const { engine, call, signIn } = open(OLD)
    await engine.services.users.create({
      username: 'admin',
      password: PASSWORD,
      isActive: true,
      isSuperuser: true,
    })
    const token = await signIn()
    const variable = { name: 'KEY', value: 'a secret', type: 'Generic', default_fields: [] }
    expect((await call('POST', '/variables/', token, variable)).status).toBe(201)
    const server = { url: 'http://127.0.0.1:9/mcp', headers: { authorization: 'Bearer s' } }
    expect((await call('POST', '/../v2/mcp/servers/tools', token, server)).status).toBe(200)
    await engine.close()
    return token
  }
  return { store, open, fill, reported }
}

const valueOf = async (
  call: ReturnType<ReturnType<typeof installation>['open']>['call'],
  token: string,
) => {
  const { json } = await call('GET', '/variables/', token)
  return (json as unknown as { value: unknown }[])[0]?.value
}

describe('secret keys', () => {
  test('HO-52 HO-55 tokens and values of an earlier key work; encrypted again they do without it', async () => {
    const { open, fill, store } = installation()
    const token = await fill()
    const both = open(NEW, OLD)
    expect(await valueOf(both.call, token)).toBe('a secret')
    const fresh = await both.signIn()
    const pages: number[] = []
    const onProgress = ({ reencrypted }: { reencrypted: number }): void =>
      void pages.push(reencrypted)
    const done = await both.engine.services.secrets.reencrypt({ onProgress })
    expect(done).toEqual({ reencrypted: 2, left: 0, unreadable: [] })
    expect(pages.at(-1)).toBe(2)
    expect((await both.engine.services.secrets.reencrypt()).reencrypted).toBe(0)
    await both.engine.close()
    const after = open(NEW)
    expect(await valueOf(after.call, fresh)).toBe('a secret')
    const admin = await store.users.findByUsername('admin')
    expect(await after.engine.services.mcpServers.get(admin?.id ?? '', 'tools')).toMatchObject({
      headers: { authorization: 'Bearer s' },
    })
    expect((await after.call('GET', '/variables/', token)).status).toBe(401)
    await after.engine.close()
  })

  test('HO-53 HO-55 values that no key opens are told once, and are left as they are', async () => {
    const { open, fill, reported } = installation()
    await fill()
    const { engine } = open(THIRD)
    await expect.poll(() => reported).toHaveLength(1)
    expect(reported[0]).toBeInstanceOf(UnreadableSecretsError)
    expect(String(reported[0])).toBe(
      'UnreadableSecretsError: 1 variable, 1 tool server were encrypted with another secret key and cannot be read. Start with the old key in SERVICE_SECRET_KEY_PREVIOUS, or store them again.',
    )
    const { reencrypted, unreadable } = await engine.services.secrets.reencrypt()
    expect([reencrypted, unreadable.map(({ kind, name }) => `${kind} ${name}`)]).toEqual([
      0,
      ['variable KEY', 'toolServer tools'],
    ])
    await engine.close()
    const again = open(NEW, THIRD, OLD)
    expect(await again.engine.services.secrets.unreadable()).toEqual([])
    await again.engine.close()
    expect(reported).toHaveLength(1)
  })

  test('HO-55 a value that changes meanwhile is looked at again', async () => {
    const { open, fill, store } = installation()
    await fill()
    const { engine } = open(NEW, OLD)
    const { sealed } = store
    let isFirst = true
    const exchange: NonNullable<typeof sealed>['exchange'] = async (value, by) => {
      const isLost = isFirst
      isFirst = false
      return !isLost && (await before?.(value, by)) === true
    }
    const before = sealed?.exchange.bind(sealed)
    Object.assign(sealed ?? {}, { exchange })
    expect(await engine.services.secrets.reencrypt()).toEqual({
      reencrypted: 2,
      left: 0,
      unreadable: [],
    })
    await engine.close()
  })

  test('HO-52 each of at most four keys has 32 characters', () => {
    const { open } = installation()
    expect(() => open(NEW, 'short')).toThrow(
      'createFlowService: option "secretKey.1" must have at least 32 characters, got 5 characters',
    )
    expect(() => open(NEW, OLD, OLD, OLD, OLD)).toThrow('must have one to four secrets, got 5')
  })
})
