import { errors, jwtVerify, type JWTPayload, type JWTVerifyOptions } from 'jose'

/**
 * The claims of a token that one of the keys has signed, tried in their order.
 * @throws JOSEError of the last key
 */
export async function verifyWithAny(
  token: string,
  [key = new Uint8Array(), ...others]: readonly Uint8Array[],
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, key, options)).payload
  } catch (error) {
    const isOther = error instanceof errors.JWSSignatureVerificationFailed && others.length > 0
    if (!isOther) throw error
    return await verifyWithAny(token, others, options)
  }
}
