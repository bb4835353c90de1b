import type { ContentPart } from '../../models/chat-model.ts'
import type { ComponentContext } from '../define/context.ts'
import { decodeWindows, encodeBase64 } from '@x/wire'
import { extensionOf, fileNameOf, mimeTypeOf } from '@x/wire'
import { fileNotFound } from './file-not-found.ts'

const MAX_IMAGE_BYTES = 20 * 1024 * 1024
/** Limit for all images of a message together, because base64 adds a second copy in memory. */
const MAX_IMAGES_BYTES = 50 * 1024 * 1024
const MAX_FILES = 100
/** Maximum number of characters of all text files of a message together. */
const MAX_TEXT = 200_000

const IMAGES = new Set(['jpg', 'jpeg', 'png', 'bmp', 'gif', 'webp'])
const TEXTS = new Set(
  'txt text md mdx csv tsv json jsonl ndjson yaml yml toml ini xml html htm css log py sh sql js jsx ts tsx'.split(
    ' ',
  ),
)

/**
 * Reads the files of a message for a model: images as content parts with data URLs, text files as
 * text parts with at most 200,000 characters in total. The run gets a warning for every other file and every
 * truncated file.
 * @throws TypeError for a missing image or text file; RangeError for an image over 20 MiB, images over 50 MiB
 * together, or more than 100 files
 */
export async function readAttachments(
  files: readonly unknown[],
  ctx: ComponentContext,
): Promise<ContentPart[]> {
  if (files.length > MAX_FILES)
    throw new RangeError(
      `The message has ${files.length} files; a model reads at most ${MAX_FILES}`,
    )
  const parts: ContentPart[] = []
  let room = MAX_TEXT
  let imageRoom = MAX_IMAGES_BYTES
  for (const file of files) {
    // Sequential, so that the limits are checked before the next file is read.
    const one = await readAttachment(file, ctx)
    if (one === undefined) continue
    if ('leftOut' in one) {
      const name = fileNameOf(one.leftOut)
      const text = `The model was not shown the file ${name}: models read images (${[...IMAGES].join(', ')}) and text files. Read other files with a Read File component.`
      ctx.warn(text, one.leftOut)
    } else if ('url' in one) {
      imageRoom -= one.bytes
      if (imageRoom < 0) throw new RangeError('The images of the message are over 50 MiB together')
      parts.push({ type: 'image', url: one.url })
    } else {
      const name = fileNameOf(one.path)
      if (one.text.length > room) {
        const shown = room === 0 ? 'nothing' : `only the first ${room} characters`
        const text = `The model was shown ${shown} of the file ${name}: the text files of one message hold ${MAX_TEXT} together. Read long files with a Read File and a Split Text component.`
        ctx.warn(text, one.path)
      }
      if (room > 0 || one.text === '')
        parts.push({ type: 'text', text: `File ${name}:\n\n${one.text.slice(0, room)}` })
      room = Math.max(0, room - one.text.length)
    }
  }
  return parts
}

type Attachment =
  | { readonly url: string; readonly bytes: number }
  | { readonly path: string; readonly text: string }
  | { readonly leftOut: string }

async function readAttachment(
  file: unknown,
  { services, flowId, userId }: Pick<ComponentContext, 'services' | 'flowId' | 'userId'>,
): Promise<Attachment | undefined> {
  const { path, url } = pathAndUrl(file)
  if (url !== undefined) {
    if (/^data:image\/svg/i.test(url)) return { leftOut: path ?? 'image.svg' }
    return { url, bytes: url.length }
  }
  if (path === undefined || path === '') return undefined
  const extension = extensionOf(path)
  const isImage = IMAGES.has(extension)
  if (!isImage && !TEXTS.has(extension)) return { leftOut: path }
  const scope = { flowId, ...(userId === undefined ? {} : { userId }) }
  const bytes = (await services.files?.read(path, scope)) ?? null
  if (bytes === null) throw fileNotFound(path)
  if (!isImage) return { path, text: decode(bytes) }
  if (bytes.length > MAX_IMAGE_BYTES) throw new RangeError(`The image ${path} is over 20 MiB`)
  return { url: `data:${mimeTypeOf(path)};base64,${encodeBase64(bytes)}`, bytes: bytes.length }
}

/** Decodes the start of a text file, slightly more than is shown. */
function decode(bytes: Uint8Array): string {
  const start = bytes.subarray(0, MAX_TEXT * 4)
  if (start[0] === 0xff && start[1] === 0xfe) return new TextDecoder('utf-16le').decode(start)
  if (start[0] === 0xfe && start[1] === 0xff) return new TextDecoder('utf-16be').decode(start)
  try {
    // The last character may be incomplete.
    return new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
  } catch {
    return decodeWindows(start)
  }
}

function pathAndUrl(file: unknown): { path?: string; url?: string } {
  if (typeof file === 'string') return { path: file }
  if (typeof file !== 'object' || file === null) return {}
  const url: unknown = Reflect.get(file, 'url')
  const path: unknown = Reflect.get(file, 'path')
  return {
    ...(typeof url === 'string' && /^(data:image\/|https?:)/.test(url) ? { url } : {}),
    ...(typeof path === 'string' ? { path } : {}),
  }
}
