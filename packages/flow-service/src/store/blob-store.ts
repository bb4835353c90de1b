/**
 * Bytes by key. A key is a list of plain file names joined by `/` (no empty name, `.`, `..`, `\` or NUL; at
 * most 255 bytes of UTF-8 per name, 2,000 in total). A store rejects all other keys with a TypeError, so that
 * no key escapes its folder.
 */
export interface BlobStore {
  /** Writes or replaces atomically: readers see either the old or the new bytes. */
  write(key: string, data: Uint8Array): Promise<void>
  /** Writes only if the key does not exist; otherwise returns false. One of two concurrent calls wins. */
  create(key: string, data: Uint8Array): Promise<boolean>
  /** Opens a stage for chunked writes before the key is known. Without it uploads are held in memory. */
  stage?(): Promise<BlobStage>
  /** Null if the key does not exist. */
  read(key: string): Promise<Uint8Array | null>
  /**
   * Opens the bytes for sending; null if the key does not exist. Without it files are held in memory while
   * they are sent.
   */
  open?(key: string): Promise<BlobBody | null>
  /** Length in bytes; null if the key does not exist. */
  size(key: string): Promise<number | null>
  /**
   * Reads, changes and writes atomically: each of several concurrent calls for a key, also from other
   * processes that share the store, sees the result of the previous one. If `change` throws, the error is
   * rethrown and nothing is written. Returns the new length in bytes.
   */
  update(
    key: string,
    change: (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>,
  ): Promise<number>
  /** Names directly below a folder key, in code point order. */
  list(folder: string): Promise<string[]>
  /** False if the key did not exist. */
  remove(key: string): Promise<boolean>
  /** Removes everything below a folder key; does nothing if there is nothing. */
  removeFolder(folder: string): Promise<void>
}

/** Bytes of a store to be sent. */
export interface BlobBody {
  readonly size: number
  /** A stream is read to its end or cancelled. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>>
}

/** Bytes being written to a store; invisible to readers until they have a key. */
export interface BlobStage {
  /** Bytes written so far. */
  readonly size: number
  /** Resolves when the chunk may be reused. */
  write(piece: Uint8Array): Promise<void>
  /** Assigns a key unless it exists, in which case it returns false. Ends the writing. */
  create(key: string): Promise<boolean>
  /** Removes the bytes unless they have a key; idempotent. */
  discard(): Promise<void>
}

const encoder = new TextEncoder()
/** Maximum bytes of a key; file systems allow about 4,000, including the store's folder. */
const MAX_KEY = 2000

/** True if a key is valid, see BlobStore. */
export function isBlobKey(key: string): boolean {
  return key.length <= MAX_KEY && byteLength(key) <= MAX_KEY && key.split('/').every(isFileName)
}

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** True if a string is a valid file name: not a path, and accepted by file systems. */
export function isFileName(name: string): boolean {
  return (
    name !== '' &&
    name !== '.' &&
    name !== '..' &&
    !/[/\\\0]/.test(name) &&
    encoder.encode(name).length <= 255
  )
}
