import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

/** An OpenID provider on loopback: whoever asks gets a code, and the claims that a test has set. */
export interface IdentityProvider {
  readonly issuer: string
  /** Of the next identity. */
  claims: JWTPayload
  nonce: string
  /** Its answers to the browser name it (RFC 9207); false. */
  namesIssuer: boolean
  /** Texts that it answers at paths instead, such as the page of a broken proxy; none. */
  readonly instead: Map<string, string>
  /** What the last code was exchanged with. */
  lastExchange: URLSearchParams
  close(): void
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }
  const answers = {
    '/.well-known/openid-configuration': async () => ({
      issuer: provider.issuer,
      authorization_endpoint: `${provider.issuer}/authorize`,
      token_endpoint: `${provider.issuer}/token`,
      jwks_uri: `${provider.issuer}/jwks`,
      end_session_endpoint: `${provider.issuer}/logout`,
      authorization_response_iss_parameter_supported: provider.namesIssuer,
    }),
    '/jwks': async () => ({ keys: [jwk] }),
    '/token': async () => ({
      access_token: 'access',
      token_type: 'Bearer',
      id_token: await new SignJWT({ nonce: provider.nonce, ...provider.claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer(provider.issuer)
        .setAudience('client')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    }),
  }
  const answer = async (message: IncomingMessage, reply: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of message) parts.push(part as Buffer)
    if (message.url === '/token')
      provider.lastExchange = new URLSearchParams(Buffer.concat(parts).toString())
    const path = message.url ?? ''
    const instead = provider.instead.get(path)
    reply.setHeader('content-type', 'application/json')
    reply.end(instead ?? JSON.stringify(await answers[path as keyof typeof answers]()))
  }
  const server = createServer((message, reply) => void answer(message, reply))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const provider: IdentityProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims: { sub: 'subject-1' },
    nonce: '',
    namesIssuer: false,
    instead: new Map(),
    lastExchange: new URLSearchParams(),
    close: () => server.close(),
  }
  return provider
}
