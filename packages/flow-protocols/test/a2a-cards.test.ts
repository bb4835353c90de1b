import { AgentCard, verifyAgentCardSignature } from '@a2a-js/sdk'
import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { serve } from '@x/test-kit'
import { createA2aHandler, type A2aOptions } from '../src/a2a.ts'
import { components, echoFlow } from './flows.ts'

const open: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

// The SDK tells it about each signature that is wrong.
beforeEach(() => {
  vi.spyOn(console, 'debug').mockImplementation(() => undefined)
})

type SigningKey = NonNullable<A2aOptions['signingKey']>

const pairs = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ES384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
} as const

function keyOf(alg: keyof typeof pairs): SigningKey {
  const jwk = pairs[alg]().privateKey.export({ format: 'jwk' })
  return { ...jwk, kid: 'one', alg } as SigningKey
}

async function serveAgent(signingKey?: A2aOptions['signingKey']) {
  const handler = createA2aHandler({
    flow: echoFlow(),
    components,
    auth: () => ({ userId: 'ada' }),
    ...(signingKey === undefined ? {} : { signingKey }),
  })
  const server = await serve(handler)
  open.push(async () => {
    await handler.close()
    await server.close()
  })
  const at = `${server.url}/api/a2a/.well-known`
  const card = async (version: string) =>
    (await (
      await fetch(`${at}/agent-card.json`, { headers: { 'a2a-version': version } })
    ).json()) as object
  return { card, keys: () => fetch(`${at}/agent-keys.json`) }
}

describe('signed cards', () => {
  test.each(['ES256', 'ES384', 'RS256', 'EdDSA'] as const)(
    'DO-76: the SDK accepts a card signed with %s by its key, and no changed one',
    async (alg) => {
      const signingKey = keyOf(alg)
      const { card, keys } = await serveAgent(signingKey)
      const verify = verifyAgentCardSignature(async (kid, jku) => {
        const { keys: found } = (await (await fetch(jku ?? '')).json()) as {
          keys: (JsonWebKey & { kid: string })[]
        }
        const key = found.find((one) => one.kid === kid)
        if (key === undefined) throw new Error('unknown key')
        return key
      })
      const signed = AgentCard.fromJSON(await card('1.0'))
      await expect(verify(signed)).resolves.toBeUndefined()
      await expect(verify({ ...signed, name: 'Other' })).rejects.toThrow('No valid signatures')
      const answer = await keys()
      expect(answer.headers.get('cache-control')).toBe('max-age=3600')
      expect(await answer.text()).not.toContain(String(signingKey['d']))
      expect(await card('0.3')).not.toHaveProperty('signatures')
    },
  )

  test('DO-76: without a key there is no signature; a wrong one is refused by name', async () => {
    const { card, keys } = await serveAgent()
    expect((await keys()).status).toBe(404)
    expect(AgentCard.fromJSON(await card('1.0')).signatures).toEqual([])
    const key = keyOf('ES256')
    const { d: _, ...shown } = key
    for (const [wrong, text] of [
      [shown, 'd is missing'],
      [{ ...key, kid: undefined }, 'kid'],
      [{ ...key, alg: 'HS256' }, 'alg of the key must be one of ES256'],
      [{ ...key, alg: 'RS256' }, 'of type RSA'],
    ] as const)
      await expect(serveAgent(wrong as typeof key)).rejects.toThrow(text)
  })
})
