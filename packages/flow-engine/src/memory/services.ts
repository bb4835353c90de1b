import type { FlowJson } from '../graph/flow/node-json.ts'
import type {
  ComponentServices,
  FileService,
  MessageRecord,
} from '../components/define/services.ts'
import { createMemoryVectorStore } from './vector-store.ts'
import { createKeyedQueue } from '@x/wire'
import { createRunMessages } from '../graph/messages/memory-messages.ts'
import { createMemoryKnowledge, type KnowledgeInit } from './knowledge.ts'

/** Initial contents of the services; all optional. */
export interface MemoryServicesInit {
  readonly messages?: readonly MessageRecord[]
  readonly variables?: Readonly<Record<string, string>>
  /** Files by path; strings are stored as UTF-8. */
  readonly files?: Readonly<Record<string, Uint8Array | string>>
  /** Flows by id or name. */
  readonly flows?: Readonly<Record<string, FlowJson>>
  /** Empty knowledge bases by name. The provider defaults to OpenAI. */
  readonly knowledge?: Readonly<Record<string, KnowledgeInit>>
}

/**
 * Creates in-memory messages, variables, files, flows, vectors and knowledge bases (section 1.3). They ignore
 * scopes: every user and flow sees the same data, except for knowledge bases, which belong to the user who
 * created them.
 */
export function createMemoryServices(init: MemoryServicesInit = {}): ComponentServices & {
  readonly files: FileService
} {
  const variables = new Map(Object.entries(init.variables ?? {}))
  const flows = new Map(Object.entries(init.flows ?? {}))
  const named = (name: string): FlowJson | undefined =>
    [...flows.values()].find((flow) => flow.id === name || flow.name === name)
  return {
    messages: createRunMessages(init.messages),
    variables: { get: (name) => Promise.resolve(variables.get(name) ?? null) },
    files: createMemoryFiles(init.files),
    flows: { get: (idOrName) => Promise.resolve(flows.get(idOrName) ?? named(idOrName) ?? null) },
    vectors: createMemoryVectors(),
    knowledge: createMemoryKnowledge(init.knowledge),
  }
}

function createMemoryFiles(init: MemoryServicesInit['files'] = {}): FileService {
  const files = new Map(
    Object.entries(init).map(([path, data]) => [
      path,
      typeof data === 'string' ? new TextEncoder().encode(data) : data.slice(),
    ]),
  )
  const queue = createKeyedQueue()
  return {
    read: (path) => Promise.resolve(files.get(path)?.slice() ?? null),
    update: (path, change) =>
      queue(path, async () => {
        const data = await change(files.get(path)?.slice() ?? null)
        files.set(path, data.slice())
        return path
      }),
    write(path, data) {
      files.set(path, data.slice())
      return Promise.resolve(path)
    },
    list: (prefix) =>
      Promise.resolve([...files.keys()].filter((path) => path.startsWith(prefix)).toSorted()),
  }
}

function createMemoryVectors(): NonNullable<ComponentServices['vectors']> {
  const stores = new Map<string, ReturnType<typeof createMemoryVectorStore>>()
  return {
    open(name, { userId }) {
      const key = JSON.stringify([userId ?? null, name])
      const store = stores.get(key) ?? createMemoryVectorStore()
      stores.set(key, store)
      return Promise.resolve(store)
    },
  }
}
