import { isBodyTooLarge, isObject, readText } from '@x/wire'
import { invalid, PortalError } from './portal-error.ts'

const BODY_BYTES = 65_536

/** The JSON object of a request, empty without a body. @throws PortalError invalid, too_large */
export async function readBody(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const text = await readText(request, BODY_BYTES, { fatal: true }).catch((error: unknown) => {
    if (isBodyTooLarge(error))
      throw new PortalError(413, 'too_large', `The body has more than ${BODY_BYTES} bytes.`)
    throw invalid('The body cannot be read as UTF-8.')
  })
  if (text.trim() === '') return {}
  const value = parse(text)
  if (!isObject(value)) throw invalid('The body must be a JSON object.')
  return value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('The body is not JSON.')
  }
}
