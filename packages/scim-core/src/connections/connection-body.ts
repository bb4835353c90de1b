import { readText } from '@x/wire'

const BODY_BYTES = 65_536

/** The JSON object of a request; empty when there is no body. @throws TypeError */
export async function readConnectionBody(
  request: Request,
): Promise<Readonly<Record<string, unknown>>> {
  const text = await textOf(request)
  if (text.trim() === '') return {}
  const body = parse(text)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new TypeError('The body must be a JSON object')
  }
  return body as Readonly<Record<string, unknown>>
}

async function textOf(request: Request): Promise<string> {
  try {
    return await readText(request, BODY_BYTES, { fatal: true })
  } catch {
    throw new TypeError(`The body must be text of at most ${BODY_BYTES} bytes`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('The body is not JSON')
  }
}
