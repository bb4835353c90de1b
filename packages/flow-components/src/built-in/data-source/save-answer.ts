import type { ComponentContext } from '@x/flow-engine'
import type { Answer } from '../../web/send-request.ts'
import type { FileService } from '@x/flow-engine'

/** Tests whether the content type of a response is generic binary. */
export function isBinary({ headers }: Answer): boolean {
  const type = headers.get('content-type') ?? ''
  return type.includes('application/octet-stream') || type.includes('application/binary')
}

const EXTENSIONS = new Map([
  ['text/plain', '.txt'],
  ['application/json', '.json'],
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['application/octet-stream', '.bin'],
])

/** @throws TypeError without a file store */
export function answerStore({ services: { files } }: ComponentContext): FileService {
  if (files === undefined) throw new TypeError('Save to File needs a file store')
  return files
}

/** Saves the content of a response to the file store and returns its path. */
export async function saveAnswer(answer: Answer, ctx: ComponentContext): Promise<string> {
  const { flowId, userId } = ctx
  const scope = userId === undefined ? { flowId } : { flowId, userId }
  return answerStore(ctx).write(`${ctx.runtime.uuid()}-${fileName(answer)}`, answer.bytes, scope)
}

/** Returns the name from the response headers, else the last segment of the URL; never a path. */
function fileName(answer: Answer): string {
  const disposition = answer.headers.get('content-disposition') ?? ''
  const given = /filename="(.+?)"/.exec(disposition)?.[1]
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const extension = EXTENSIONS.get(type) ?? (isBinary(answer) ? '.bin' : '.txt')
  const last = new URL(answer.url).pathname.split('/').at(-1) ?? ''
  const name = given ?? `${last === '' ? 'response' : last}${extension}`
  return name.replaceAll(/[^\w.-]+/g, '_').replace(/^\.+/, '_')
}
