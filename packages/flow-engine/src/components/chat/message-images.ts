import { toBase64 } from '../../graph/values/base64.ts'
import type { ContentPart } from '../../models/chat-model.ts'
import type { ComponentContext } from '../define/context.ts'
import { fileNotFound } from './file-not-found.ts'
import { mimeTypeOf } from '../web/mime-type.ts'

const MAX_IMAGE_BYTES = 20 * 1024 * 1024

/**
 * The images among a message's files as content parts with data URLs (CO-1, CO-33). Other files are
 * left out.
 * @throws TypeError for an image that does not exist, RangeError for one over 20 MiB
 */
export async function readImages(
  files: readonly unknown[],
  ctx: Pick<ComponentContext, 'services' | 'flowId' | 'userId'>,
): Promise<ContentPart[]> {
  const parts = await Promise.all(files.map((file) => readImage(file, ctx)))
  return parts.filter((part) => part !== undefined)
}

/** Whether a file of a message is an image, by its name. */
function isImagePath(path: string): boolean {
  return /\.(jpe?g|png|bmp|gif|webp)$/i.test(path)
}

async function readImage(
  file: unknown,
  { services, flowId, userId }: Pick<ComponentContext, 'services' | 'flowId' | 'userId'>,
): Promise<ContentPart | undefined> {
  const { path, url } = pathAndUrl(file)
  if (url !== undefined) return { type: 'image', url }
  if (path === undefined || !isImagePath(path)) return undefined
  const scope = { flowId, ...(userId === undefined ? {} : { userId }) }
  const bytes = (await services.files?.read(path, scope)) ?? null
  if (bytes === null) throw fileNotFound(path)
  if (bytes.length > MAX_IMAGE_BYTES) throw new RangeError(`The image ${path} is over 20 MiB`)
  return { type: 'image', url: `data:${mimeTypeOf(path)};base64,${toBase64(bytes)}` }
}

function pathAndUrl(file: unknown): { path?: string; url?: string } {
  if (typeof file === 'string') return { path: file }
  if (typeof file !== 'object' || file === null) return {}
  const url: unknown = Reflect.get(file, 'url')
  const path: unknown = Reflect.get(file, 'path')
  if (typeof url === 'string' && /^(data:image\/|https?:)/.test(url)) return { url }
  return typeof path === 'string' ? { path } : {}
}
