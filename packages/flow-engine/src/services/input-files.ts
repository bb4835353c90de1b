import { fromBase64 } from '../graph/values/base64.ts'
import type { Caller } from './caller.ts'
import { ChatInputError, type InputFile } from './chat-input.ts'
import { formatAddress } from './file-address.ts'
import type { FileService } from './files.ts'
import type { UserFileService } from './user-files.ts'

/** Files of one message. */
const MOST_FILES = 20
const MOST_BYTES = 20 * 1024 * 1024

export interface InputFilesOptions {
  readonly files: Pick<FileService, 'upload'>
  readonly userFiles: Pick<UserFileService, 'list'>
}

/**
 * Stores the files of a message as files of the flow; gives the paths that chat inputs take.
 * @throws ChatInputError
 */
export async function storeInputFiles(
  { files, userFiles }: InputFilesOptions,
  { caller, flowId }: { readonly caller: Caller; readonly flowId: string },
  given: readonly InputFile[],
): Promise<string[]> {
  const last = given.at(-1)
  if (last === undefined) return []
  if (given.length > MOST_FILES)
    throw wrong(last.param, `A message has at most ${MOST_FILES} images and files.`)
  const own = given.some(({ fileId }) => fileId !== undefined) ? await userFiles.list(caller) : []
  // Everything is read before anything is written.
  const read = given.map((file) => {
    if (file.fileId === undefined) return decodeFile(file)
    const record = own.find(({ id }) => id === file.fileId)
    if (record === undefined) throw wrong(file.param, `There is no file '${file.fileId}'.`)
    return record.path
  })
  const paths: string[] = []
  for (const one of read) {
    if (typeof one === 'string') paths.push(one)
    else paths.push(formatAddress({ id: flowId, name: await files.upload(flowId, one) }))
  }
  return paths
}

function decodeFile({ kind, param, url = '', filename }: InputFile) {
  const [, type = '', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
  if (!url.startsWith('data:'))
    throw wrong(param, 'Send the content itself, as a data: address, or a file_id.')
  if (data.length > (MOST_BYTES / 3) * 4 + 4)
    throw wrong(param, `A file has at most ${MOST_BYTES / 1024 / 1024} MB.`)
  const bytes = decode(data)
  if (bytes === undefined || bytes.length === 0)
    throw wrong(param, 'The data: address has no base64 content.')
  if (kind === 'image') {
    const found = imageType(bytes)
    if (found === undefined) throw wrong(param, 'An image is a PNG, JPEG, GIF or WebP.')
    return { name: `image.${found}`, bytes }
  }
  const name = safeName(filename ?? `file.${type.split('/')[1] ?? 'bin'}`)
  if (/\.pdf$/i.test(name) && !startsWith(bytes, '%PDF')) throw wrong(param, 'The file is no PDF.')
  return { name, bytes }
}

function decode(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

/** The part of a name after its last separator; never empty. */
function safeName(name: string): string {
  const base =
    name
      .replaceAll(/\p{Cc}/gu, '')
      .split(/[/\\]/)
      .at(-1) ?? ''
  return base === '' || base === '.' || base === '..' ? 'file' : base.slice(-100)
}

/** By the first bytes, whatever the address says. */
function imageType(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, '\x89PNG')) return 'png'
  if (startsWith(bytes, '\xff\xd8\xff')) return 'jpg'
  if (startsWith(bytes, 'GIF8')) return 'gif'
  return startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WEBP') ? 'webp' : undefined
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Array.from(text).every((char, index) => bytes[index] === char.charCodeAt(0))
}

function wrong(param: string, message: string): ChatInputError {
  return new ChatInputError({
    param,
    code: 'invalid_value',
    message: `Invalid value for '${param}'. ${message}`,
  })
}
