import { isBlobKey } from '../../store/blob-store.ts'

/**
 * Areas of the blob store: files of users (v2), of flows (v1), of visitors of public flows, and results of
 * frozen vertices.
 */
export type FileSpace = 'users' | 'flows' | 'visitors' | 'frozen'

/** The address of a file, `<id>/<name>`, as returned by uploads and used in flows. */
export interface FileAddress {
  /** Id of a user, a flow, or the derived flow of a public build. */
  readonly id: string
  /** File name; files written by runs may be in subfolders, `a/b.txt`. */
  readonly name: string
}

/** The blob key of a file, used by uploads, downloads, runs and deletion. */
export function blobKeyOf(space: FileSpace, { id, name }: FileAddress): string {
  return `${folderKeyOf(space, id)}/${name}`
}

/** The blob key prefix of all files under one id. */
export function folderKeyOf(space: FileSpace, id: string): string {
  return `${space}/${id}`
}

/** Formats an address as a string. */
export function formatAddress({ id, name }: FileAddress): string {
  return `${id}/${name}`
}

/** Parses `<id>/<name>`; null for strings without a folder or with an invalid name. */
export function parseAddress(path: string): FileAddress | null {
  const [id = '', ...names] = path.split('/')
  const isAddress = names.length > 0 && isRelativePath(path)
  return isAddress ? { id, name: names.join('/') } : null
}

/** True if a path can be a file name below a folder. */
export function isRelativePath(path: string): boolean {
  return isBlobKey(`${ROOM}${path}`)
}

/** As long as the folders in front of a path: a space and two ids. */
const ROOM = `${'-'.repeat(100)}/`
