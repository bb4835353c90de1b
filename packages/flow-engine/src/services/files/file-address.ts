import { isBlobKey } from '../../store/blob-store.ts'

/**
 * The areas of the blob store: files of users (v2), of flows (v1), of visitors of public flows, and
 * kept results of frozen vertices.
 */
export type FileSpace = 'users' | 'flows' | 'visitors' | 'frozen'

/** The address of a file, `<id>/<name>`, as uploads answer it and flows name it. */
export interface FileAddress {
  /** Id of a user, a flow, or the derived flow of a public build. */
  readonly id: string
  /** File name; files that runs write may lie in folders below, `a/b.txt`. */
  readonly name: string
}

/** The blob key of a file. Uploads, downloads, runs and deletion all take it from here. */
export function blobKeyOf(space: FileSpace, { id, name }: FileAddress): string {
  return `${folderKeyOf(space, id)}/${name}`
}

/** The blob key of all files under one id. */
export function folderKeyOf(space: FileSpace, id: string): string {
  return `${space}/${id}`
}

/** The address as text. */
export function formatAddress({ id, name }: FileAddress): string {
  return `${id}/${name}`
}

/** Reads `<id>/<name>`; null for a text without a folder, and for one that no file can have. */
export function parseAddress(path: string): FileAddress | null {
  const [id = '', ...names] = path.split('/')
  const isAddress = names.length > 0 && isRelativePath(path)
  return isAddress ? { id, name: names.join('/') } : null
}

/** Tells whether a path can be a file's name below a folder. */
export function isRelativePath(path: string): boolean {
  return isBlobKey(`${ROOM}${path}`)
}

/** As long as the folders that stand before a path: a space and two ids. */
const ROOM = `${'-'.repeat(100)}/`
