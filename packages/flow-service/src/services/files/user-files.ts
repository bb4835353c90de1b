import { isFileName, type BlobBody, type BlobStore } from '../../store/blob-store.ts'
import { isUniqueConflict } from '@x/flow-engine/store'
import type { UserFileRecord } from '../../store/user-files.ts'
import type { Caller } from '../base/caller.ts'
import { inParts } from '../records/in-parts.ts'
import { joinName, splitName } from './file-names.ts'
import { stageOf, type FileInput } from './files.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { openBlob } from './open-blob.ts'
import { refuse } from '../../refusal.ts'
import { createUserFileWriter, userFileKey } from './user-file-writer.ts'

/** Files of users. Files of other users are reported as not found. */
export interface UserFileService {
  /** Opens a stage for uploads that have no name yet; undefined if the store does not support it. */
  readonly stage: BlobStore['stage']
  /**
   * @param append requires bytes, not a stage
   * @throws Refusal 400
   */
  upload(caller: Caller, file: FileInput, append: boolean): Promise<UserFileRecord>
  /** Without the tool server list. */
  list(caller: Caller): Promise<UserFileRecord[]>
  /** The files of `list` in parts. */
  parts(caller: Caller): AsyncIterable<readonly UserFileRecord[]>
  /** @throws Refusal 404; 413 for more than `most` bytes */
  read(caller: Caller, id: string, most?: number): Promise<{ name: string; bytes: Uint8Array }>
  /** @throws Refusal 404 */
  open(caller: Caller, id: string): Promise<NamedBody>
  /**
   * Those of the ids that belong to the caller and have bytes, each opened when it is reached.
   * @throws Refusal 404 if there are none
   */
  openMany(caller: Caller, ids: readonly string[]): Promise<AsyncIterable<NamedBody>>
  /** @throws Refusal 400, 404, 409 */
  rename(caller: Caller, id: string, name: string): Promise<UserFileRecord>
  /** @throws Refusal 404, 500 if the bytes cannot be removed */
  remove(caller: Caller, id: string): Promise<UserFileRecord>
  /**
   * Returns the number of removed files.
   * @throws Refusal 404 if there are none
   */
  removeMany(caller: Caller, ids: readonly string[]): Promise<number>
  /** Removes everything; returns how many were removed and how many failed. */
  removeAll(caller: Caller): Promise<{ removed: number; failed: number }>
}

/** A file to send, under its display name. */
export interface NamedBody extends BlobBody {
  readonly name: string
}

const NOT_FOUND = 'File not found'
const MB = 1024 * 1024

export function createUserFileService(deps: ServiceDependencies): UserFileService {
  const { store, files, runtime } = deps
  const writer = createUserFileWriter(deps)
  const find = async (caller: Caller, id: string): Promise<UserFileRecord> => {
    const record = await store.userFiles.get(caller.id, id)
    if (record === null) throw refuse(404, NOT_FOUND)
    return record
  }
  const open = async (record: UserFileRecord): Promise<NamedBody | null> => {
    const opened = await openBlob(files, userFileKey(record))
    return opened && { ...opened, name: shownName(record) }
  }
  async function* openEach(records: readonly UserFileRecord[]): AsyncGenerator<NamedBody> {
    for (const record of records) {
      const opened = await open(record)
      if (opened !== null) yield opened
    }
  }
  const remove = (caller: Caller, records: readonly UserFileRecord[]) =>
    writer.remove(caller.id, records)

  return {
    stage: stageOf(files),
    async upload({ id }, { name, bytes, stage }, append) {
      try {
        if (append) return await writer.append(id, name, bytes)
        const content = stage ?? bytes
        if (name === serverListName(id)) return await writer.replace(id, name, content)
        return await writer.create(id, name, content)
      } finally {
        await stage?.discard()
      }
    },
    list: async ({ id }) => withoutServerList(id, await store.userFiles.list(id)),
    async *parts({ id }) {
      const { userFiles } = store
      for await (const records of inParts(userFiles.parts?.(id), () => userFiles.list(id)))
        yield withoutServerList(id, records)
    },
    async read(caller, id, most = Infinity) {
      const record = await find(caller, id)
      const size = await files.size(userFileKey(record))
      if (size !== null && size > most) {
        const has = `The file ${shownName(record)} has ${Math.ceil(size / MB)} MB`
        const hint = 'Download it without return_content'
        throw refuse(413, `${has}, but return_content returns at most ${most / MB} MB. ${hint}.`)
      }
      const bytes = await files.read(userFileKey(record))
      if (bytes === null) throw refuse(404, `${NOT_FOUND}: ${record.name}`)
      return { name: shownName(record), bytes }
    },
    async open(caller, id) {
      const record = await find(caller, id)
      const opened = await open(record)
      if (opened === null) throw refuse(404, `${NOT_FOUND}: ${record.name}`)
      return opened
    },
    async openMany(caller, ids) {
      const found: UserFileRecord[] = []
      for (const id of new Set(ids)) {
        const record = await store.userFiles.get(caller.id, id)
        if (record !== null && (await files.size(userFileKey(record))) !== null) found.push(record)
      }
      if (found.length === 0) throw refuse(404, 'No files found')
      return openEach(found)
    },
    async rename(caller, id, name) {
      await find(caller, id)
      // eslint-disable-next-line no-control-regex
      if (!isFileName(name) || /[\u0000-\u001f\u007f]/.test(name)) {
        throw refuse(400, 'Invalid file name')
      }
      try {
        const patch = { name, updatedAt: runtime.now() }
        const record = await store.userFiles.update(caller.id, id, patch)
        if (record === null) throw refuse(404, NOT_FOUND)
        return record
      } catch (error) {
        if (isUniqueConflict(error)) {
          throw refuse(409, 'You already have a file with this name', { cause: error })
        }
        throw error
      }
    },
    async remove(caller, id) {
      const record = await find(caller, id)
      if ((await remove(caller, [record])).failed > 0) {
        throw refuse(500, 'Failed to delete file from storage. Please try again.')
      }
      return record
    },
    async removeMany(caller, ids) {
      const all = await store.userFiles.list(caller.id)
      const wanted = new Set(ids)
      const records = all.filter((record) => wanted.has(record.id))
      if (records.length === 0) throw refuse(404, 'No files found')
      return (await remove(caller, records)).removed
    },
    removeAll: async (caller) => remove(caller, await store.userFiles.list(caller.id)),
  }
}

/** The file that contains a user's tool servers: it is replaced on upload and not listed. */
function serverListName(userId: string): string {
  return `_mcp_servers_${userId}.json`
}

function withoutServerList(userId: string, records: readonly UserFileRecord[]): UserFileRecord[] {
  return records.filter(({ path }) => path !== `${userId}/${serverListName(userId)}`)
}

/** The display name with the extension of the stored one. */
function shownName({ name, path }: UserFileRecord): string {
  return joinName(name, splitName(path.slice(path.indexOf('/') + 1)).extension)
}
