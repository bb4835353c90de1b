import type { BlobStage } from '../../store/blob-store.ts'
import type { UserFileRecord } from '../../store/user-files.ts'
import { blobKeyOf, formatAddress, type FileAddress } from './file-address.ts'
import { checkFileName, joinName, splitName } from './file-names.ts'
import { joinBytes } from '@x/wire'
import { createKeyedQueue } from '@x/wire'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { numberedName } from '../names/numbered-name.ts'
import { retryTaken } from '../records/retry.ts'

/** Keeps the bytes and records of a user's files consistent; each name belongs to one file. */
export interface UserFileWriter {
  /** Stores a new file; a name that is taken gets a number. @throws Refusal 400 */
  create(userId: string, name: string, content: FileContent): Promise<UserFileRecord>
  /**
   * Appends to the file with this display name, whatever its extension; creates it if missing.
   * @throws Refusal 400
   */
  append(userId: string, name: string, bytes: Uint8Array): Promise<UserFileRecord>
  /** Replaces the file with this name, or creates it under exactly this name. @throws Refusal 400 */
  replace(userId: string, name: string, content: FileContent): Promise<UserFileRecord>
  /** Changes the file at an address atomically; a new file appears in the user's list. */
  change(address: FileAddress, change: FileChange): Promise<void>
  /** Removes bytes, then records; if the storage fails, the record is kept. */
  remove(
    userId: string,
    records: readonly UserFileRecord[],
  ): Promise<{ removed: number; failed: number }>
}

/** The bytes, or the stage that contains them. */
export type FileContent = Uint8Array | BlobStage

/** Computes the new bytes from the old ones; null: there was no file. */
export type FileChange = (before: Uint8Array | null) => Uint8Array | Promise<Uint8Array>

/** Attempts at reading a size that other writers keep changing. */
const MAX_ATTEMPTS = 100

type WriterDependencies = Pick<
  ServiceDependencies,
  'store' | 'files' | 'runtime' | 'report' | 'userLimits'
>

const ONE_FILE = { kind: 'userFiles', added: 1 } as const

export function createUserFileWriter(deps: WriterDependencies): UserFileWriter {
  const queue = createKeyedQueue()
  const inTurn = <T>(userId: string, name: string, work: () => Promise<T>): Promise<T> => {
    checkFileName(name, name)
    return queue(formatAddress({ id: userId, name: splitName(name).stem }), work)
  }
  return {
    create: (userId, name, content) =>
      inTurn(userId, name, () => retried(() => insertFile(deps, { userId, name, content }))),
    append: (userId, name, bytes) =>
      inTurn(userId, name, () =>
        retried(async () => {
          const known = await deps.store.userFiles.findByName(userId, splitName(name).stem)
          if (known === null)
            return await insertFile(deps, { userId, name, content: bytes, exact: true })
          return await deps.userLimits.storing(userId, async (check) => {
            await check(bytes.length)
            await deps.files.update(userFileKey(known), (before) =>
              joinBytes(before === null ? [bytes] : [before, bytes]),
            )
            return await withSize(deps, known)
          })
        }),
      ),
    replace: (userId, name, content) =>
      inTurn(userId, name, () =>
        retried(async () => {
          const known = await deps.store.userFiles.findByName(userId, splitName(name).stem)
          if (known !== null) await removeRecords(deps, userId, [known])
          return await insertFile(deps, { userId, name, content, exact: true })
        }),
      ),
    change: (address, change) => changeFile(deps, address, change),
    remove: (userId, records) => removeRecords(deps, userId, records),
  }
}

/** The blob key of a record's bytes. */
export function userFileKey({ path, userId }: Pick<UserFileRecord, 'path' | 'userId'>): string {
  return blobKeyOf('users', { id: userId, name: path.slice(path.indexOf('/') + 1) })
}

interface NewFile {
  readonly userId: string
  readonly name: string
  readonly content: FileContent
  /** Do not number the display name. */
  readonly exact?: boolean
}

/**
 * Writes the bytes first, so that no record lacks them; they are removed again if the record cannot be
 * stored.
 */
async function insertFile(
  deps: WriterDependencies,
  { userId, name, content, exact = false }: NewFile,
): Promise<UserFileRecord> {
  const { files, store } = deps
  await deps.userLimits.check(userId, ONE_FILE)
  const isBytes = content instanceof Uint8Array
  const size = isBytes ? content.length : content.size
  // Checked before the bytes are stored, and again when they are counted.
  await deps.userLimits.storing(userId, (check) => check(size))
  const { stem, extension } = splitName(name)
  const shown = exact ? stem : await freeName(deps, userId, stem)
  for (let k = 0; ; k += 1) {
    const stored = joinName(k === 0 ? shown : `${shown} (${k})`, extension)
    checkFileName(shown, stored)
    const path = formatAddress({ id: userId, name: stored })
    if ((await store.userFiles.findByPath(userId, path)) !== null) continue
    const key = userFileKey({ userId, path })
    if (!(await (isBytes ? files.create(key, content) : content.create(key)))) continue
    return await insertRecord(deps, { userId, name: shown, path, size })
  }
}

async function insertRecord(
  { store, files, runtime, userLimits }: WriterDependencies,
  facts: Pick<UserFileRecord, 'userId' | 'name' | 'path' | 'size'>,
): Promise<UserFileRecord> {
  const now = runtime.now()
  const record = { ...facts, id: runtime.uuid(), provider: null, createdAt: now, updatedAt: now }
  try {
    await userLimits.storing(facts.userId, async (check) => {
      await check(facts.size)
      await userLimits.within(facts.userId, ONE_FILE, () => store.userFiles.insert(record))
    })
    return record
  } catch (error) {
    await files.remove(userFileKey(facts))
    throw error
  }
}

async function freeName(
  { store }: WriterDependencies,
  userId: string,
  stem: string,
): Promise<string> {
  return numberedName(stem, new Set(await store.userFiles.names(userId, stem)))
}

/** The record is stored last, so that a failing run leaves no list entry. */
async function changeFile(
  deps: WriterDependencies,
  address: FileAddress,
  change: FileChange,
): Promise<void> {
  const { store, files, userLimits } = deps
  const { id: userId } = address
  const path = formatAddress(address)
  await userLimits.storing(userId, async (check) => {
    const size = await files.update(blobKeyOf('users', address), async (before) => {
      const after = await change(before)
      await check(after.length - (before?.length ?? 0))
      return after
    })
    await retried(async () => {
      const known = await store.userFiles.findByPath(userId, path)
      if (known !== null) return await withSize(deps, known)
      const record = await newRecord(deps, { address, path, size })
      await userLimits.within(userId, ONE_FILE, () => store.userFiles.insert(record))
      return await withSize(deps, record)
    })
  })
}

/** The record of a file created by a run. */
async function newRecord(
  deps: WriterDependencies,
  { address, path, size }: { address: FileAddress; path: string; size: number },
): Promise<UserFileRecord> {
  const { stem } = splitName(address.name.slice(address.name.lastIndexOf('/') + 1))
  const now = deps.runtime.now()
  return {
    id: deps.runtime.uuid(),
    userId: address.id,
    name: await freeName(deps, address.id, stem),
    path,
    size,
    provider: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** The record with the file's actual size, as another writer may have changed it meanwhile. */
async function withSize(
  { store, files, runtime }: WriterDependencies,
  record: UserFileRecord,
): Promise<UserFileRecord> {
  let current = record
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const size = (await files.size(userFileKey(record))) ?? 0
    if (attempt > 0 && size === current.size) break
    const patch = { size, updatedAt: runtime.now() }
    current = (await store.userFiles.update(record.userId, record.id, patch)) ?? current
  }
  return current
}

/** Retries if another process took the name meanwhile. */
function retried<T>(work: () => Promise<T>): Promise<T> {
  return retryTaken(['userFile.name', 'userFile.path'], work)
}

async function removeRecords(
  { store, files, report }: WriterDependencies,
  userId: string,
  records: readonly UserFileRecord[],
): Promise<{ removed: number; failed: number }> {
  const gone: string[] = []
  for (const record of records) {
    try {
      await files.remove(userFileKey(record))
      gone.push(record.id)
    } catch (error) {
      report(error, { file: record.id })
    }
  }
  const removed = await store.userFiles.remove(userId, gone)
  return { removed: removed.length, failed: records.length - gone.length }
}
