import { compareText } from '@x/wire'
import { refuse } from '../../refusal.ts'
import { contentTypeOf } from './media-types.ts'

/** Pictures by folder and file name. */
export interface ProfilePictures {
  list(): Promise<readonly { readonly folder: string; readonly name: string }[]>
  /** Null if it does not exist; nothing outside the folder is ever read. */
  read(folder: string, name: string): Promise<Uint8Array | null>
}

/** Profile pictures: the host's first, then the bundled ones. */
export interface ProfilePictureService {
  /** `folder/name`, folders and names sorted. */
  list(): Promise<string[]>
  /** @throws Refusal 400, 404 */
  read(folder: string, name: string): Promise<{ bytes: Uint8Array; contentType: string }>
}

export function createProfilePictureService(
  own: ProfilePictures | undefined,
  bundled: ProfilePictures,
): ProfilePictureService {
  const sources = own === undefined ? [bundled] : [own, bundled]
  return {
    async list() {
      for (const source of sources) {
        const pictures = await source.list()
        if (pictures.length > 0) {
          return pictures.map(({ folder, name }) => `${folder}/${name}`).toSorted(compareText)
        }
      }
      return []
    },
    async read(folder, name) {
      if (folder.includes('..') || name.includes('..')) {
        throw refuse(400, "Path traversal patterns ('..') are not allowed in folder or file names")
      }
      const folders = await foldersOf(sources)
      if (!folders.includes(folder)) {
        throw refuse(400, `Folder must be one of: ${folders.join(', ')}`)
      }
      if (/[/\\]/.test(name)) {
        throw refuse(400, "File name cannot contain path separators ('/' or '\\')")
      }
      for (const source of sources) {
        const bytes = await source.read(folder, name)
        if (bytes !== null) return { bytes, contentType: contentTypeOf(name) }
      }
      throw refuse(404, `Profile picture ${folder}/${name} not found`)
    },
  }
}

async function foldersOf(sources: readonly ProfilePictures[]): Promise<string[]> {
  const lists = await Promise.all(sources.map((source) => source.list()))
  const folders = new Set(lists.flat().map(({ folder }) => folder))
  return [...folders].toSorted(compareText)
}
