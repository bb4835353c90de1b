import { decodeBase64 } from '@x/wire'
import { DoorError, invalid } from './door-error.ts'
import type { SentFile } from './sent-file.ts'

export const MAX_FILES = 20
export const MAX_FILE_BYTES = 20 * 1024 * 1024

/** A file with its content. */
export interface FileBytes {
  readonly name: string
  readonly bytes: Uint8Array
}

const KNOWN: readonly (readonly [string, string])[] = [
  ['\x89PNG', 'png'],
  ['\xff\xd8\xff', 'jpg'],
  ['GIF8', 'gif'],
  ['%PDF', 'pdf'],
]

/**
 * The paths of the files of a message; everything is read before anything is written.
 * @param host `ownPath` of an address that the door has given for a file of the same flow and user
 * @throws DoorError `invalid_request`, `too_large`
 */
export async function storeSentFiles(
  files: readonly SentFile[],
  host: {
    ownPath(url: string): Promise<string | undefined>
    write(file: FileBytes): Promise<string>
  },
): Promise<string[]> {
  checkFileCount(files.length)
  const read: (string | FileBytes)[] = []
  for (const file of files)
    read.push((await host.ownPath(file.url)) ?? decodeDataUrl(file.url, file))
  const paths: string[] = []
  for (const one of read) paths.push(typeof one === 'string' ? one : await host.write(one))
  return paths
}

/** @throws DoorError `too_large` */
function checkFileCount(count: number): void {
  if (count > MAX_FILES)
    throw new DoorError('too_large', `A message has at most ${MAX_FILES} files.`)
}

/**
 * The content of a `data:` address. What an image is, its first bytes say.
 * @param param the member of the request, for errors
 * @throws DoorError `invalid_request`, `too_large`
 */
function decodeDataUrl(
  url: string,
  {
    param,
    mediaType,
    filename,
  }: {
    readonly param: string
    readonly mediaType?: string | undefined
    readonly filename?: string | undefined
  },
): FileBytes {
  const [, type = mediaType ?? '', data] = /^data:([^;,]*)(?:;[^,]*)?;base64,(.*)$/s.exec(url) ?? []
  if (data === undefined) throw invalid(`${param} must be a data: address in base64`)
  return fileOfBase64(data, { param, mediaType: type, filename })
}

export function fileOfBase64(
  data: string,
  {
    param,
    mediaType,
    filename,
  }: { readonly param: string; readonly mediaType: string; readonly filename?: string | undefined },
): FileBytes {
  if (data.length > (MAX_FILE_BYTES / 3) * 4 + 4) throw tooLarge(param)
  let bytes: Uint8Array
  try {
    bytes = decodeBase64(data)
  } catch (cause) {
    throw new DoorError('invalid_request', `${param} must be a data: address in base64`, { cause })
  }
  return nameFile(bytes, { param, mediaType, filename })
}

export function nameFile(
  bytes: Uint8Array,
  {
    param,
    mediaType,
    filename,
  }: { readonly param: string; readonly mediaType: string; readonly filename?: string | undefined },
): FileBytes {
  if (bytes.length > MAX_FILE_BYTES) throw tooLarge(param)
  const found = extensionOf(bytes)
  if (/^image\/(png|jpeg|gif|webp)$/i.test(mediaType) && (found === undefined || found === 'pdf'))
    throw invalid(`${param} must be a PNG, JPEG, GIF or WebP image, as its type says`)
  const base = safeName(filename)
  if (base !== undefined) return { name: base, bytes }
  const subtype = /^[a-z]+\/([a-z0-9]{1,10})$/i.exec(mediaType)?.[1] ?? 'bin'
  return { name: `file.${found ?? (subtype === 'plain' ? 'txt' : subtype)}`, bytes }
}

function extensionOf(bytes: Uint8Array): string | undefined {
  const known = KNOWN.find(([start]) => begins(bytes, start))
  if (known !== undefined) return known[1]
  return begins(bytes, 'RIFF') && begins(bytes.subarray(8), 'WEBP') ? 'webp' : undefined
}

function begins(bytes: Uint8Array, start: string): boolean {
  return Array.from(start).every((char, n) => bytes[n] === char.charCodeAt(0))
}

function safeName(name: string | undefined): string | undefined {
  const base = name
    ?.replaceAll(/\p{Cc}/gu, '')
    .split(/[/\\]/)
    .at(-1)
    ?.slice(-100)
  return base === undefined || base === '' || base === '.' || base === '..' ? undefined : base
}

function tooLarge(param: string): DoorError {
  return new DoorError('too_large', `${param} is larger than ${MAX_FILE_BYTES / 1024 / 1024} MB.`)
}
