import { readUuid } from '@x/wire'
import type { FileScope, FileService } from '@x/flow-engine'
import { FlowError } from '@x/flow-engine'
import type { BlobStore } from '../../store/blob-store.ts'
import {
  blobKeyOf,
  folderKeyOf,
  formatAddress,
  isRelativePath,
  parseAddress,
  type FileAddress,
  type FileSpace,
} from '../files/file-address.ts'
import { addressesIn } from '../files/graph-addresses.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { ownFlow } from '../base/own-flow.ts'
import type { RunOwnerInfo } from './run-owner-info.ts'
import type { FileChange, UserFileWriter } from '../files/user-file-writer.ts'
import type { VisitorFiles } from '../files/visitor-files.ts'

export interface RunFilesOptions extends Pick<ServiceDependencies, 'store' | 'files'> {
  readonly userFiles: UserFileWriter
  readonly visitorFiles: VisitorFiles
}

/** The resolved target of a path. */
interface Place {
  readonly space: FileSpace
  readonly address: FileAddress
}

/**
 * The files a run can access: those of the flow's owner and of the owner's flows, under the paths returned by
 * uploads. A path without such an id is a name among the owner's files. A public build can access the files
 * named in the stored graph and its visitor's folder, and writes only to that folder. All other files
 * are reported as not found.
 */
export function createRunFiles(options: RunFilesOptions, scope: RunOwnerInfo): FileService {
  const { files, store, userFiles, visitorFiles } = options
  const { isPublic, ownerId, storedFlowId } = scope
  let named: Promise<ReadonlySet<string>> | undefined
  const isNamed = async (path: string): Promise<boolean> => {
    named ??= store.flows.get(storedFlowId).then((flow) => addressesIn(flow?.data ?? null))
    return (await named).has(path)
  }
  const isOwnFlow = async (id: string, flowId: string): Promise<boolean> => {
    if (id === storedFlowId || (!isPublic && id === flowId)) return true
    return readUuid(id) !== undefined && (await ownFlow(store, ownerId, id)) !== null
  }
  const ofOwner = async (path: string, flowId: string): Promise<Place | null> => {
    const address = parseAddress(path)
    if (address?.id === ownerId) return { space: 'users', address }
    if (address !== null && (await isOwnFlow(address.id, flowId)))
      return { space: 'flows', address }
    if (!isRelativePath(path)) return null
    return { space: 'users', address: { id: ownerId, name: path } }
  }
  const ofVisitor = (path: string, flowId: string): Place | null => {
    const address = parseAddress(path)
    if (address?.id === flowId) return { space: 'visitors', address }
    return isRelativePath(path) ? { space: 'visitors', address: { id: flowId, name: path } } : null
  }
  const locate = async (path: string, { flowId }: FileScope): Promise<Place | null> =>
    isPublic && !(await isNamed(path)) ? ofVisitor(path, flowId) : ofOwner(path, flowId)
  const keyOf = ({ space, address }: Place): string =>
    space === 'visitors' ? visitorKey(storedFlowId, address) : blobKeyOf(space, address)
  const change = async (path: string, work: FileChange, { flowId }: FileScope): Promise<string> => {
    const place = isPublic ? ofVisitor(path, flowId) : await ofOwner(path, flowId)
    if (place === null) throw new TypeError(`The file name ${path} cannot be used`)
    const { space, address } = place
    const written = formatAddress(address)
    if (space === 'users') await userFiles.change(address, work)
    else if (space === 'visitors') await visitorFiles.change(storedFlowId, written, work)
    else await files.update(keyOf(place), work)
    return written
  }

  return {
    async read(path, at) {
      const place = await locate(path, at)
      if (place === null) return null
      const key = keyOf(place)
      checkSize(path, await files.size(key))
      return await files.read(key)
    },
    async exists(path, at) {
      const place = await locate(path, at)
      return place !== null && (await files.size(keyOf(place))) !== null
    },
    write: (path, data, at) => change(path, () => data, at),
    update: (path, work, at) =>
      change(
        path,
        (before) => {
          checkSize(path, before?.length ?? 0)
          return work(before)
        },
        at,
      ),
    async list(prefix, at) {
      const folder = prefix === '' ? (isPublic ? at.flowId : ownerId) : prefix.replace(/\/$/, '')
      const listed = isPublic
        ? ofVisitor(`${folder}/x`, at.flowId)
        : await locate(`${folder}/x`, at)
      if (listed === null || listed.address.id !== folder) return []
      return (await namesIn(files, listed, storedFlowId)).map((name) => `${folder}/${name}`)
    },
  }
}

/** Maximum bytes of a file a run reads, because it is held in memory completely. */
const MAX_BYTES = 100 * 1024 * 1024

/** @throws FlowError `limit_exceeded` */
function checkSize(path: string, bytes: number | null): void {
  if (bytes === null || bytes <= MAX_BYTES) return
  const size = Math.ceil(bytes / 2 ** 20)
  throw new FlowError(
    'limit_exceeded',
    `The file ${path} has ${size} MB; a flow reads files of at most ${MAX_BYTES / 2 ** 20} MB`,
  )
}

function visitorKey(storedFlowId: string, { id, name }: FileAddress): string {
  return blobKeyOf('visitors', { id: storedFlowId, name: `${id}/${name}` })
}

function namesIn(files: BlobStore, { space, address }: Place, flowId: string): Promise<string[]> {
  const folder = space === 'visitors' ? `${folderKeyOf(space, flowId)}/${address.id}` : null
  return files.list(folder ?? folderKeyOf(space, address.id))
}
