/**
 * Bytes under keys. A key is a list of plain file names joined by `/` (no empty name, `.`, `..`,
 * `\` or NUL in it; at most 255 bytes of UTF-8 each, 2,000 in all); a store refuses every other key with a
 * TypeError, so that no key leaves its place.
 */
export interface BlobStore {
  /** Writes or replaces; a reader sees the old bytes or the new ones, never a part. */
  write(key: string, data: Uint8Array): Promise<void>
  /** Writes only where there is nothing; false when there is. Of two concurrent calls one wins. */
  create(key: string, data: Uint8Array): Promise<boolean>
  /**
   * Takes bytes that come a piece at a time, before they have a key. Without it uploads are held in
   * memory.
   */
  stage?(): Promise<BlobStage>
  /** Null when there is nothing. */
  read(key: string): Promise<Uint8Array | null>
  /** Length in bytes; null when there is nothing. */
  size(key: string): Promise<number | null>
  /**
   * Reads, changes and writes as one step: of concurrent calls for one key, also from other
   * processes that share the store, each sees what the one before has written. What `change` throws
   * is thrown, and nothing is written. Gives the new length in bytes.
   */
  update(
    key: string,
    change: (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
  ): Promise<number>
  /** Names directly under a folder key, in code point order. */
  list(folder: string): Promise<string[]>
  /** False when there was nothing. */
  remove(key: string): Promise<boolean>
  /** Removes everything under a folder key; nothing there is fine. */
  removeFolder(folder: string): Promise<void>
}

/** Bytes on their way into a store; invisible to readers until they have a key. */
export interface BlobStage {
  /** Bytes up to now. */
  readonly size: number
  /** Resolves when the piece may be used again. */
  write(piece: Uint8Array): Promise<void>
  /** Gives what was written a key, where there is nothing yet; false when there is. Ends the writing. */
  create(key: string): Promise<boolean>
  /** Leaves nothing behind but what has a key; again is fine. */
  discard(): Promise<void>
}

const encoder = new TextEncoder()
/** Bytes of a key; a file system takes about 4,000, the folder of the store among them. */
const MAX_KEY = 2000

/** Tells whether a key is well-formed, see BlobStore. */
export function isBlobKey(key: string): boolean {
  return key.length <= MAX_KEY && byteLength(key) <= MAX_KEY && key.split('/').every(isFileName)
}

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/**
 * Tells whether a string can be the name of a file in a folder: no path, and nothing a file system
 * refuses.
 */
export function isFileName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/\\\0]/.test(name) &&
    encoder.encode(name).length <= 255
  )
}
