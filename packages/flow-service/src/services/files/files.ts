import { createKeyedQueue } from '@x/wire'
import { isGone } from '../records/is-gone.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { Caller } from '../base/caller.ts'
import { blobKeyOf, folderKeyOf, type FileSpace } from './file-address.ts'
import { checkFileName, joinName, splitName } from './file-names.ts'
import { contentTypeOf } from './media-types.ts'
import { refuse } from '../../refusal.ts'
import { openBlob } from './open-blob.ts'
import { removeFilesOf } from './remove-files.ts'
import {
  isFileName,
  type BlobBody,
  type BlobStage,
  type BlobStore,
} from '../../store/blob-store.ts'

/** A file to store. */
export interface FileInput {
  readonly name: string
  readonly bytes: Uint8Array
  /** Alternative to the bytes: they are already in the store, and are discarded when this ends. */
  readonly stage?: BlobStage
}

/** Files of flows. Flows of other users are reported as not found. */
export interface FileService {
  /** Opens a stage for uploads that have no name yet; undefined if the store does not support it. */
  readonly stage: BlobStore['stage']
  /** @throws Refusal 404 */
  checkFlow(caller: Caller, flowId: string): Promise<void>
  /**
   * Returns the name it was stored under.
   * @throws Refusal 400 for an invalid name, or if the flow has too many files; 404 if the flow was removed
   */
  upload(flowId: string, file: FileInput): Promise<string>
  /** @throws Refusal 400, 404 */
  download(flowId: string, name: string): Promise<BlobBody>
  /**
   * An image of one of the caller's flows or, under the caller's own id, of their files: the chat displays
   * both by address.
   * @throws Refusal 400, 404
   */
  image(caller: Caller, id: string, name: string): Promise<BlobBody & { contentType: string }>
  list(flowId: string): Promise<string[]>
  /** Succeeds even if there is no such file. */
  remove(flowId: string, name: string): Promise<void>
}

export function createFileService(deps: ServiceDependencies): FileService {
  const { store, files, runtime, settings } = deps
  const queue = createKeyedQueue()
  const open = async (id: string, name: string, space: FileSpace): Promise<BlobBody> => {
    const found = isFileName(name) ? await openBlob(files, blobKeyOf(space, { id, name })) : null
    if (found === null) throw refuse(404, `File ${name} not found in flow ${id}`)
    return found
  }
  const checkFlow = async (caller: Caller, flowId: string): Promise<void> => {
    if ((await ownFlow(store, caller.id, flowId)) === null) throw refuse(404, 'Flow not found')
  }

  const keep = async (flowId: string, { name, bytes, stage }: FileInput): Promise<string> => {
    const stamped = `${localStamp(runtime.now())}_${name}`
    checkFileName(name, stamped)
    const most = settings.maxFilesPerUser
    if (most > 0 && (await files.list(folderKeyOf('flows', flowId))).length >= most) {
      const limit = `${most.toLocaleString('en')} files (SERVICE_MAX_FILES_PER_USER)`
      throw refuse(400, `A flow may have ${limit}. Remove some first.`)
    }
    const { stem, extension } = splitName(stamped)
    return await withinQuota(deps, flowId, stage?.size ?? bytes.length, async () => {
      for (let k = 0; ; k += 1) {
        const candidate = k === 0 ? stamped : joinName(`${stem} (${k})`, extension)
        checkFileName(name, candidate)
        const key = fileKey(flowId, candidate)
        if (await (stage?.create(key) ?? files.create(key, bytes))) return candidate
      }
    })
  }

  return {
    stage: stageOf(files),
    checkFlow,
    async upload(flowId, file) {
      try {
        // One after the other, so that concurrent ones cannot exceed the limit together.
        const name = await queue(flowId, () => keep(flowId, file))
        if (!(await isGone(deps, () => store.flows.get(flowId)))) return name
        await removeFilesOf(deps, { flowIds: [flowId] })
        throw refuse(404, 'Flow not found')
      } finally {
        await file.stage?.discard()
      }
    },
    async download(flowId, name) {
      if (name.endsWith('.')) throw refuse(400, `Extension not found for file ${name}`)
      return await open(flowId, name, 'flows')
    },
    async image(caller, id, name) {
      if (id !== caller.id) await checkFlow(caller, id)
      const contentType = contentTypeOf(name)
      if (!contentType.startsWith('image')) {
        throw refuse(400, `Content type ${contentType} is not an image`)
      }
      const opened = await open(id, name, id === caller.id ? 'users' : 'flows')
      return { ...opened, contentType }
    },
    list: (flowId) => files.list(folderKeyOf('flows', flowId)),
    async remove(flowId, name) {
      if (!isFileName(name)) throw refuse(400, 'Invalid file name')
      await files.remove(fileKey(flowId, name))
    },
  }
}

/**
 * Files of a flow count towards its owner's quota; the store keeps no sum over all flows of a user.
 * @throws Refusal 413
 */
async function withinQuota<T>(
  { store, files, settings, userLimits }: ServiceDependencies,
  flowId: string,
  size: number,
  work: () => Promise<T>,
): Promise<T> {
  const flow = settings.maxStoredMbPerUser === 0 ? null : await store.flows.get(flowId)
  if (flow === null) return await work()
  return await userLimits.storing(flow.userId, async (check) => {
    let bytes = size
    for (const name of await files.list(folderKeyOf('flows', flowId)))
      bytes += (await files.size(fileKey(flowId, name))) ?? 0
    await check(bytes)
    return await work()
  })
}

/** The store's `stage`, bound to it. */
export function stageOf(files: BlobStore): BlobStore['stage'] {
  return files.stage && (() => files.stage?.() ?? Promise.reject(new TypeError('No stage')))
}

function fileKey(flowId: string, name: string): string {
  return blobKeyOf('flows', { id: flowId, name })
}

/** `YYYY-MM-DD_HH-MM-SS` in the server's local time. */
function localStamp(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-')
}
