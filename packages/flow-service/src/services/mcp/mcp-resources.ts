import { encodeBase64 } from '@x/wire'
import { invalidParams } from '../../mcp/json-rpc.ts'
import type { ListedResource, ResourceContent } from '../../mcp/mcp-server.ts'
import { isFileName, type BlobStore } from '../../store/blob-store.ts'
import type { FlowRecord } from '../../store/flows.ts'
import type { Caller } from '../base/caller.ts'
import { blobKeyOf, folderKeyOf } from '../files/file-address.ts'
import { contentTypeOf } from '../files/media-types.ts'
import type { UserFileService } from '../files/user-files.ts'

/** Maximum number of resources of one server. */
const MAX_RESOURCES = 1000

export interface McpResourcesOptions {
  readonly files: Pick<BlobStore, 'list' | 'read' | 'size'>
  readonly userFiles: Pick<UserFileService, 'list' | 'read'>
  readonly maxBytes: number
}

/** The resources one server offers. */
export interface ResourceScope {
  readonly caller: Caller
  /** The flows whose files are included. */
  readonly flows: () => Promise<readonly FlowRecord[]>
  /** Includes the user's files. */
  readonly ofUser: boolean
  /** Base of file URLs. */
  readonly base: string
}

/** Files as resources. */
export interface McpResources {
  list(scope: ResourceScope): Promise<ListedResource[]>
  /** @throws RpcError if the file is too large */
  read(scope: ResourceScope, uri: string): Promise<ResourceContent | null>
}

export function createMcpResources(options: McpResourcesOptions): McpResources {
  const { files, userFiles, maxBytes } = options
  const readFile = async ({ flows }: ResourceScope, id: string, name: string) => {
    if (!isFileName(name) || !(await flows()).some((flow) => flow.id === id)) return null
    const key = blobKeyOf('flows', { id, name })
    if (((await files.size(key)) ?? 0) > maxBytes) throw tooLarge()
    const bytes = await files.read(key)
    return bytes === null ? null : { name, bytes }
  }
  const readUserFile = async ({ caller, ofUser }: ResourceScope, id: string) => {
    const record = ofUser ? (await userFiles.list(caller)).find((file) => file.id === id) : null
    if (!record) return null
    if (record.size > maxBytes) throw tooLarge()
    const { bytes } = await userFiles.read(caller, id)
    return { name: baseName(record.path), bytes }
  }
  return {
    async list(scope) {
      const found: ListedResource[] = []
      for (const flow of await scope.flows()) {
        if (found.length >= MAX_RESOURCES) break
        for (const name of await files.list(folderKeyOf('flows', flow.id)))
          found.push({
            uri: flowFileUri(scope.base, flow.id, name),
            name,
            description: `File in flow: ${flow.name}`,
            mimeType: contentTypeOf(name),
          })
      }
      const own = scope.ofUser ? await userFiles.list(scope.caller) : []
      for (const { id, path } of own) {
        const name = baseName(path)
        const uri = `${scope.base}/api/v2/files/${id}`
        found.push({ uri, name, description: 'File of the user', mimeType: contentTypeOf(name) })
      }
      return found.slice(0, MAX_RESOURCES)
    },
    async read(scope, uri) {
      const ofFlow = FLOW_FILE.exec(uri)
      const ofUser = USER_FILE.exec(uri)
      const file =
        ofFlow !== null
          ? await readFile(scope, ofFlow[1] ?? '', decode(ofFlow[2] ?? ''))
          : ofUser !== null
            ? await readUserFile(scope, ofUser[1] ?? '')
            : null
      return file === null ? null : contentOf(uri, file.name, file.bytes)
    },
  }
}

/** The URL of a flow's file. */
export function flowFileUri(base: string, flowId: string, name: string): string {
  return `${base}/api/v1/files/download/${flowId}/${encodeURIComponent(name)}`
}

const ID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
/** The base is not compared, since clients may reach the service under another name. */
const BASE = String.raw`^https?:\/\/[^/?#\\]+(?:\/[^?#\\]*)?\/api`
const FLOW_FILE = new RegExp(`${BASE}/v1/files/download/(${ID})/([^/?#\\\\]+)$`)
const USER_FILE = new RegExp(`${BASE}/v2/files/(${ID})$`)

/** "" is not a valid file name. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const TEXTS = /^text\/|^application\/(json|xml|x-yaml)$/

function contentOf(uri: string, name: string, bytes: Uint8Array): ResourceContent {
  const mimeType = contentTypeOf(name)
  if (TEXTS.test(mimeType)) return { uri, mimeType, text: new TextDecoder().decode(bytes) }
  return { uri, mimeType, blob: encodeBase64(bytes) }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function tooLarge() {
  return invalidParams('Resource too large')
}
