import type { Runtime } from '@x/wire'
import { decodeJwt, decodeProtectedHeader, errors, jwtVerify, type JWTPayload } from 'jose'
import { finderOf, verified } from '../oauth/issuer-keys.ts'
import { JWT_ALGORITHMS } from '../oauth/jwt-auth.ts'
import type { KeySource } from '../oauth/key-source.ts'
import { SignalError } from './signal-error.ts'
import type { SignalTransmitter } from './signals.ts'

const AHEAD_SECONDS = 300
const AGE_SECONDS = 7 * 86_400

/** The claims of a signed token of one of the transmitters. @throws SignalError, KeysUnavailable */
export async function verifySignal(
  token: string,
  {
    sources,
    runtime,
  }: { readonly sources: ReadonlyMap<SignalTransmitter, KeySource>; readonly runtime: Runtime },
): Promise<{
  readonly transmitter: SignalTransmitter
  readonly claims: JWTPayload & { readonly jti: string }
}> {
  const read = readUnverified(token)
  const found = [...sources].find(([{ issuer }]) => issuer === read.iss)
  if (found === undefined) throw new SignalError('invalid_issuer', 'The issuer is not known.')
  const [transmitter, source] = found
  const claims = await verified(source, async (keys) => {
    const { payload } = await jwtVerify(token, finderOf(keys), {
      audience: transmitter.audience,
      algorithms: [...JWT_ALGORITHMS],
      currentDate: runtime.now(),
    })
    return payload
  }).catch((error: unknown) => {
    throw refusalOf(error)
  })
  const { jti, iat, exp } = claims
  const now = runtime.now().getTime() / 1_000
  if (exp !== undefined) throw wrong('A signal has no exp.')
  if (typeof jti !== 'string' || jti === '') throw wrong('jti is missing.')
  if (iat === undefined || iat > now + AHEAD_SECONDS || iat < now - AGE_SECONDS)
    throw wrong('iat is more than five minutes ahead or seven days old.')
  return { transmitter, claims: { ...claims, jti } }
}

const wrong = (message: string): SignalError => new SignalError('invalid_request', message)

function readUnverified(token: string): JWTPayload {
  try {
    const { typ } = decodeProtectedHeader(token)
    if (typ?.toLowerCase().replace(/^application\//, '') === 'secevent+jwt') return decodeJwt(token)
  } catch {
    throw wrong('The body is no signed token.')
  }
  throw wrong('typ must be secevent+jwt.')
}

function refusalOf(error: unknown): unknown {
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'aud'
      ? new SignalError('invalid_audience', 'The signal is for another receiver.')
      : wrong(`${error.claim} is not accepted.`)
  if (error instanceof errors.JWTExpired) return wrong('A signal has no exp.')
  if (error instanceof errors.JOSEError)
    return new SignalError('invalid_key', 'The signature is not of the issuer.')
  return error
}
