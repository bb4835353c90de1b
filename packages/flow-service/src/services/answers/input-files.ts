import { type Runtime, decodeBase64 } from '@x/wire'
import { isSuccess, sendRequest } from '@x/flow-components/internal'
import { errorText } from '@x/flow-engine'
import type { Caller } from '../base/caller.ts'
import { ChatInputError, type InputFile } from './chat-input.ts'
import { formatAddress } from '../files/file-address.ts'
import type { FileService } from '../files/files.ts'
import type { UserFileService } from '../files/user-files.ts'

/** Maximum number of files per message. */
const MAX_FILES = 20
const MAX_BYTES = 20 * 1024 * 1024

export interface InputFilesOptions {
  readonly files: Pick<FileService, 'upload'>
  readonly userFiles: Pick<UserFileService, 'list'>
  readonly runtime: Runtime
  /** Fetches `http(s)` URLs; undefined rejects them. */
  readonly fetch?: typeof fetch | undefined
}

/**
 * Stores the files of a message as files of the flow and returns their paths for the chat input.
 * @throws ChatInputError
 */
export async function storeInputFiles(
  { files, userFiles, fetch, runtime }: InputFilesOptions,
  { caller, flowId }: { readonly caller: Caller; readonly flowId: string },
  given: readonly InputFile[],
): Promise<string[]> {
  const last = given.at(-1)
  if (last === undefined) return []
  if (given.length > MAX_FILES)
    throw wrong(last.param, `A message has at most ${MAX_FILES} images and files.`)
  const own = given.some(({ fileId }) => fileId !== undefined) ? await userFiles.list(caller) : []
  // Everything is read before anything is written.
  const read: (string | NamedBytes)[] = []
  for (const file of given) {
    if (file.fileId !== undefined) {
      const record = own.find(({ id }) => id === file.fileId)
      if (record === undefined) throw wrong(file.param, `There is no file '${file.fileId}'.`)
      read.push(record.path)
    } else if (fetch !== undefined && /^https?:/i.test(file.url ?? ''))
      read.push(await fetchFile(file, { fetch, runtime }))
    else read.push(decodeFile(file))
  }
  const paths: string[] = []
  for (const one of read) {
    if (typeof one === 'string') paths.push(one)
    else paths.push(formatAddress({ id: flowId, name: await files.upload(flowId, one) }))
  }
  return paths
}

interface NamedBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Timeout of the whole exchange, in milliseconds. */
const FETCH_MS = 10_000

async function fetchFile(
  { kind, param, url = '', filename }: InputFile,
  { fetch, runtime }: { readonly fetch: typeof globalThis.fetch; readonly runtime: Runtime },
): Promise<NamedBytes> {
  const { signal } = new AbortController()
  const limits = { timeoutMs: FETCH_MS, maxBytes: MAX_BYTES }
  const answer = await sendRequest(url, limits, { runtime, signal, services: { fetch } }).catch(
    (error: unknown) => {
      throw wrong(param, `The address could not be read: ${errorText(error)}.`)
    },
  )
  if (!isSuccess(answer))
    throw wrong(param, `The address could not be read: status ${answer.status}.`)
  const last = URL.parse(url)?.pathname.split('/').at(-1)
  return nameFile({ kind, param, filename: filename ?? last }, answer.bytes)
}

function decodeFile({ kind, param, url = '', filename }: InputFile): NamedBytes {
  const [, type = '', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? []
  if (!url.startsWith('data:'))
    throw wrong(param, 'Send the content itself, as a data: address, or a file_id.')
  if (data.length > (MAX_BYTES / 3) * 4 + 4)
    throw wrong(param, `A file has at most ${MAX_BYTES / 1024 / 1024} MB.`)
  const bytes = decode(data)
  if (bytes === undefined || bytes.length === 0)
    throw wrong(param, 'The data: address has no base64 content.')
  return nameFile(
    { kind, param, filename: filename ?? `file.${type.split('/')[1] ?? 'bin'}` },
    bytes,
  )
}

/** The file type is determined by the first bytes. */
function nameFile(
  { kind, param, filename }: Pick<InputFile, 'kind' | 'param' | 'filename'>,
  bytes: Uint8Array,
): NamedBytes {
  if (kind === 'image') {
    const found = imageType(bytes)
    if (found === undefined) throw wrong(param, 'An image is a PNG, JPEG, GIF or WebP.')
    return { name: `image.${found}`, bytes }
  }
  const name = safeName(filename ?? 'file')
  if (/\.pdf$/i.test(name) && !startsWith(bytes, '%PDF')) throw wrong(param, 'The file is no PDF.')
  return { name, bytes }
}

function decode(text: string): Uint8Array | undefined {
  try {
    return decodeBase64(text)
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

/** Determined by the first bytes, whatever the URL claims. */
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
