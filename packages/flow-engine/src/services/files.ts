import type { ServiceKit } from './kit.ts'
import type { Caller } from './caller.ts'
import { blobKeyOf, folderKeyOf, type FileSpace } from './file-address.ts'
import { checkFileName, joinName, splitName } from './file-names.ts'
import { contentTypeOf } from './media-types.ts'
import { refuse } from './refusal.ts'
import { isFileName } from '../store/blob-store.ts'

/** A file to be kept. */
export interface FileInput {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Files of flows (files-flow.md); flows of others are as if they did not exist. */
export interface FileService {
  /** @throws Refusal 404 */
  checkFlow(caller: Caller, flowId: string): Promise<void>
  /** The name it was stored under. */
  upload(flowId: string, file: FileInput): Promise<string>
  /** @throws Refusal 400, 404 */
  download(flowId: string, name: string): Promise<Uint8Array>
  /**
   * An image of a flow of the caller's, or under the caller's own id, one of their files: the chat
   * shows both by their address.
   * @throws Refusal 400, 404
   */
  image(
    caller: Caller,
    id: string,
    name: string,
  ): Promise<{ bytes: Uint8Array; contentType: string }>
  list(flowId: string): Promise<string[]>
  /** Also fine when there is no such file. */
  remove(flowId: string, name: string): Promise<void>
}

export function createFileService({ store, files, runtime }: ServiceKit): FileService {
  const read = async (id: string, name: string, space: FileSpace): Promise<Uint8Array> => {
    const bytes = isFileName(name) ? await files.read(blobKeyOf(space, { id, name })) : null
    if (bytes === null) throw refuse(404, `File ${name} not found in flow ${id}`)
    return bytes
  }
  const checkFlow = async (caller: Caller, flowId: string): Promise<void> => {
    const flow = await store.flows.get(flowId)
    if (flow?.userId !== caller.id) throw refuse(404, 'Flow not found')
  }

  return {
    checkFlow,
    async upload(flowId, { name, bytes }) {
      const stamped = `${localStamp(runtime.now())}_${name}`
      checkFileName(name, stamped)
      const { stem, extension } = splitName(stamped)
      for (let k = 0; ; k += 1) {
        const candidate = k === 0 ? stamped : joinName(`${stem} (${k})`, extension)
        checkFileName(name, candidate)
        if (await files.create(fileKey(flowId, candidate), bytes)) return candidate
      }
    },
    async download(flowId, name) {
      if (name.endsWith('.')) throw refuse(400, `Extension not found for file ${name}`)
      return await read(flowId, name, 'flows')
    },
    async image(caller, id, name) {
      if (id !== caller.id) await checkFlow(caller, id)
      const contentType = contentTypeOf(name)
      if (!contentType.startsWith('image')) {
        throw refuse(400, `Content type ${contentType} is not an image`)
      }
      return { bytes: await read(id, name, id === caller.id ? 'users' : 'flows'), contentType }
    },
    list: (flowId) => files.list(folderKeyOf('flows', flowId)),
    async remove(flowId, name) {
      if (!isFileName(name)) throw refuse(400, 'Invalid file name')
      await files.remove(fileKey(flowId, name))
    },
  }
}

function fileKey(flowId: string, name: string): string {
  return blobKeyOf('flows', { id: flowId, name })
}

/** `YYYY-MM-DD_HH-MM-SS` in the server's local time. */
function localStamp(now: Date): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '-')
}
