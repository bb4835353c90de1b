import { inflateCooperatively } from '../../archive/inflate-cooperatively.ts'
import type { InflateBudget } from '../../archive/inflate-budget.ts'
import { joinBytes } from '@x/wire'
import { isFlowError, errorText } from '@x/flow-engine'
import { extensionOf, fileNameOf } from '@x/wire'

export interface UnpackedFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Returns the files of an archive, determined by its extension. Directories, hidden files, links, and names
 * outside the archive are skipped; nested archives are not unpacked.
 * @throws TypeError for a corrupt archive and for bzip2, which is not supported; FlowError `limit_exceeded`
 * over the budget, which counts the data as it is unpacked
 */
export async function unpack(
  path: string,
  bytes: Uint8Array,
  budget: InflateBudget,
): Promise<UnpackedFile[]> {
  switch (extensionOf(path)) {
    case 'zip': {
      const { readZipEntries } = await import('../../archive/read-zip.ts')
      return reading(path, () => readZipEntries(bytes, { budget, wanted: isWanted }))
    }
    case 'tar':
      return untar(path, bytes, budget)
    case 'bz2':
      throw new TypeError(`${fileNameOf(path)}: bzip2 archives are not supported; use zip or tgz`)
    default:
      return gunzip(path, bytes, budget)
  }
}

async function untar(
  path: string,
  bytes: Uint8Array,
  budget: InflateBudget,
): Promise<UnpackedFile[]> {
  const { readTar } = await import('../../archive/read-tar.ts')
  const files = await reading(path, () => readTar(bytes, budget))
  return files.filter(({ name }) => isWanted(name))
}

/** Unpacks a compressed tar file, or a single compressed file, whose name loses its `.gz`. */
async function gunzip(
  path: string,
  bytes: Uint8Array,
  budget: InflateBudget,
): Promise<UnpackedFile[]> {
  const { Gunzip } = await import('fflate')
  const pieces: Uint8Array[] = []
  await reading(path, () =>
    inflateCooperatively(bytes, (count) => {
      const stream = new Gunzip((piece) => {
        budget.spend(piece.length)
        count(piece.length)
        pieces.push(piece)
      })
      return (slice, isLast) => stream.push(slice, isLast)
    }),
  )
  const whole = joinBytes(pieces)
  if (isTar(whole)) return untar(path, whole, budget)
  return [{ name: fileNameOf(path).replace(/\.gz$/i, ''), bytes: whole }]
}

function isTar(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(257, 262)) === 'ustar'
}

async function reading<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // A limit error does not mean that the archive is corrupt.
    if (isFlowError(error)) throw error
    throw new TypeError(`Error unpacking ${fileNameOf(path)}: ${errorText(error)}`, {
      cause: error,
    })
  }
}

function isWanted(name: string): boolean {
  if (name.endsWith('/') || /^([a-z]:|[/\\])/i.test(name)) return false
  const parts = name.split(/[/\\]/).filter((part) => part !== '.' && part !== '')
  return parts.every((part) => !part.startsWith('.') && part !== '__MACOSX')
}
