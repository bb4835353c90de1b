import { isFileName } from '../../store/blob-store.ts'
import { joinName, splitName } from './file-names.ts'
import type { FileInput } from './files.ts'
import type { ServiceDependencies } from '../base/dependencies.ts'
import { refuse } from '../../refusal.ts'
import { createVisitorFiles } from './visitor-files.ts'

const MB = 1024 * 1024
/** Maximum bytes of one file. */
export const MAX_STRANGER_FILE = 10 * MB
/** Maximum storage per flow. */
const MAX_PER_FLOW = { bytes: 100 * MB, files: 1000 }
const RETENTION_MS = 24 * 3600 * 1000
const FOLDER = 'uploads'

/** Files uploaded by anonymous clients for a public flow, kept for a day. */
export interface AnonymousUploadService {
  /** @throws Refusal 404 unless the flow exists and is public */
  checkFlow(flowId: string): Promise<void>
  /**
   * Stores a file under its hash: `<flow id>/<hash>.<extension>`.
   * @throws Refusal 400 for an invalid name; 413 for a file over 10 MiB, or if the flow has reached 100 MiB
   */
  upload(flowId: string, file: FileInput): Promise<string>
  /** Removes files older than a day and expired visitor files; uploads and writes do this too. */
  sweep(): Promise<void>
}

/** The parts of a stored file's name: `<flow id>~<ms since 1970>~<bytes>~<hash>.<extension>`. */
interface StoredName {
  readonly stored: string
  readonly flowId: string
  readonly at: number
  readonly size: number
  readonly shown: string
}

export function createAnonymousUploadService(
  deps: Pick<ServiceDependencies, 'store' | 'files' | 'runtime' | 'settings'>,
): AnonymousUploadService {
  const { store, files, runtime } = deps
  const visitorFiles = createVisitorFiles(deps)
  const sweep = async (): Promise<StoredName[]> => {
    const oldest = runtime.now().getTime() - RETENTION_MS
    const all = (await files.list(FOLDER)).flatMap(readName)
    const old = all.filter(({ at }) => at < oldest)
    for (const { stored } of old) await files.remove(`${FOLDER}/${stored}`)
    return all.filter(({ at }) => at >= oldest)
  }
  const keep = async (flowId: string, { name, bytes }: FileInput): Promise<string> => {
    const shown = joinName(await hashOf(bytes), splitName(name).extension)
    const of = (await sweep()).filter((file) => file.flowId === flowId)
    if (of.some((file) => file.shown === shown)) return `${flowId}/${shown}`
    const total = of.reduce((sum, { size }) => sum + size, bytes.length)
    if (total > MAX_PER_FLOW.bytes || of.length >= MAX_PER_FLOW.files) {
      throw refuse(413, 'The flow has its 100MB of uploads of the last 24 hours. Try again later.')
    }
    const stored = [flowId, runtime.now().getTime(), bytes.length, shown].join('~')
    if (!isFileName(stored)) throw refuse(400, 'Invalid file name')
    await files.write(`${FOLDER}/${stored}`, bytes)
    return `${flowId}/${shown}`
  }
  /** Uploads are serialised, so that concurrent ones cannot exceed the limits together. */
  let last: Promise<unknown> = Promise.resolve()

  return {
    async checkFlow(flowId) {
      const flow = await store.flows.get(flowId)
      if (flow?.accessType !== 'PUBLIC') throw refuse(404, 'Flow not found')
    },
    async upload(flowId, file) {
      if (file.bytes.length > MAX_STRANGER_FILE) {
        throw refuse(413, 'File size is larger than the maximum file size 10MB.')
      }
      const kept = last.then(() => keep(flowId, file))
      last = kept.catch(() => undefined)
      return await kept
    },
    async sweep() {
      await sweep()
      await visitorFiles.sweep()
    },
  }
}

function readName(stored: string): StoredName[] {
  const [, flowId = '', at, size, shown = ''] =
    /^([\da-f-]{36})~(\d+)~(\d+)~([\da-f]{64}(?:\..*)?)$/s.exec(stored) ?? []
  return shown === '' ? [] : [{ stored, flowId, at: Number(at), size: Number(size), shown }]
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
