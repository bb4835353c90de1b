import { errorText, isFlowError, limitExceeded } from '../../errors.ts'
import { extensionOf, fileNameOf } from '../mime-type.ts'

export interface UnpackedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

const MAX_BYTES = 256 * 1024 * 1024
const MAX_FILES = 10_000

/**
 * The files of an archive, by its extension; folders, hidden files and links are left out, names
 * that lead outside of the archive too. At most 10,000 files and 256 MiB.
 * @throws TypeError for a damaged archive and for bzip2, which nothing here reads; FlowError `limit_exceeded`
 */
export async function unpack(path: string, bytes: Uint8Array): Promise<UnpackedFile[]> {
  switch (extensionOf(path)) {
    case 'zip':
      return unzip(path, bytes)
    case 'tar':
      return untar(path, bytes)
    case 'bz2':
      throw new TypeError(
        `${fileNameOf(path)}: bzip2 archives cannot be read; pack the files as zip or tgz`,
      )
    default:
      return gunzip(path, bytes)
  }
}

async function unzip(path: string, bytes: Uint8Array): Promise<UnpackedFile[]> {
  const { unzipSync } = await import('fflate')
  const budget = createBudget()
  const entries = reading(path, () =>
    unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false
        budget(originalSize)
        return true
      },
    }),
  )
  return Object.entries(entries).map(([name, content]) => ({ name, bytes: content }))
}

async function untar(path: string, bytes: Uint8Array): Promise<UnpackedFile[]> {
  const { parseTar } = await import('nanotar')
  const budget = createBudget()
  const items = reading(path, () => parseTar(bytes))
  return items.flatMap(({ name, type, data }) => {
    const isFile = type === undefined || type === 'file' || type === 'contiguousFile'
    if (!isFile || data === undefined || !isWanted(name)) return []
    budget(data.length)
    return [{ name, bytes: data }]
  })
}

/** A packed tar file, or one packed file whose name loses its `.gz`. */
async function gunzip(path: string, bytes: Uint8Array): Promise<UnpackedFile[]> {
  const { Gunzip } = await import('fflate')
  const budget = createBudget()
  const chunks: Uint8Array[] = []
  const stream = new Gunzip((chunk) => {
    budget(chunk.length, 0)
    chunks.push(chunk)
  })
  reading(path, () => {
    for (let at = 0; at < bytes.length; at += 65_536) {
      stream.push(bytes.subarray(at, at + 65_536), at + 65_536 >= bytes.length)
    }
  })
  const whole = join(chunks)
  if (isTar(whole)) return untar(path, whole)
  return [{ name: fileNameOf(path).replace(/\.gz$/i, ''), bytes: whole }]
}

function isTar(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(257, 262)) === 'ustar'
}

function reading<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    // Over a limit, not damaged.
    if (isFlowError(error)) throw error
    throw new TypeError(`Error unpacking ${fileNameOf(path)}: ${errorText(error)}`, {
      cause: error,
    })
  }
}

/** Announced sizes count before anything is unpacked. */
function createBudget(): (bytes: number, files?: number) => void {
  let left = MAX_BYTES
  let files = MAX_FILES
  return (bytes, count = 1) => {
    left -= bytes
    files -= count
    if (left < 0) throw limitExceeded('archive bytes', `more than ${MAX_BYTES}`)
    if (files < 0) throw limitExceeded('archive files', `more than ${MAX_FILES}`)
  }
}

function isWanted(name: string): boolean {
  if (name.endsWith('/') || /^([a-z]:|[/\\])/i.test(name)) return false
  const parts = name.split(/[/\\]/).filter((part) => part !== '.' && part !== '')
  return parts.every((part) => !part.startsWith('.') && part !== '__MACOSX')
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
