import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChatModel, ComponentServices, Embedder, RunHooks, Runtime } from '@x/flow-engine'
import { isFlowError } from '@x/flow-engine'
import { findChatModel, findEmbedder } from '@x/flow-engine/models'
import { createMemoryServices } from '@x/flow-engine/memory'
import { createCassette, type TapeEntry } from '@x/flow-engine/testing'
import type { RecordedEntry, RecordedTape } from './recording.ts'

/** A request of a replay that is not on the tape. */
export interface Miss {
  /** `answer`: a question that nobody has answered. */
  readonly kind: TapeEntry['kind'] | 'answer'
  readonly vertexId: string
  readonly request: unknown
}

/** The services and hooks of a run that is recorded or replayed. */
export interface Taped {
  readonly services: ComponentServices
  readonly hooks: RunHooks
  readonly misses: readonly Miss[]
  /** What is left on the tape. */
  unused(): TapeEntry[]
  toJSON(): RecordedTape
}

export interface TapedOptions {
  /** A tape to replay; without one, requests are made and recorded. */
  readonly tape?: RecordedTape
  readonly runtime: Runtime
  /** Of the host, under those of the tape. */
  readonly services?: ComponentServices
  readonly variables: ComponentServices['variables']
  readonly environment: Readonly<Record<string, string>>
  /** For recording: how components reach servers. */
  readonly fetch?: typeof fetch
}

/** Puts a tape between a flow and everything that it asks. */
export function createTaped(options: TapedOptions): Taped {
  const { tape, runtime, fetch: realFetch } = options
  const place = new AsyncLocalStorage<string>()
  const misses: Miss[] = []
  const owners: string[] = []
  const isReplay = tape !== undefined
  const cassette = createCassette(isReplay ? { tape, mode: 'replay' } : { mode: 'record' })
  const vertexId = (): string => place.getStore() ?? ''
  const real = { services: realServices(options), runtime }
  const missed = (kind: Miss['kind'], request: unknown, error: unknown): void => {
    if (isFlowError(error) && error.code === 'cassette_miss')
      misses.push({ kind, vertexId: vertexId(), request })
  }
  const counted = (): void => {
    owners.push(vertexId())
  }
  const chatModel = (model: ChatModel | undefined): ChatModel => {
    const taped = cassette.model(model)
    return {
      name: model?.name ?? 'recorded',
      async *stream(request) {
        counted()
        try {
          yield* taped.stream(request)
        } catch (error) {
          const { signal: _, ...asked } = request
          missed('model', asked, error)
          throw error
        }
      },
    }
  }
  const embedder = (given: Embedder | undefined): Embedder => {
    const taped = cassette.embedder(given)
    return {
      async embed(texts, signal) {
        counted()
        try {
          return await taped.embed(texts, signal)
        } catch (error) {
          missed('embedding', { texts }, error)
          throw error
        }
      },
    }
  }
  const tapedFetch = cassette.fetch(realFetch)
  const services: ComponentServices = {
    ...createMemoryServices(),
    ...options.services,
    ...(options.variables === undefined ? {} : { variables: options.variables }),
    environment: options.environment,
    models: {
      chatModel: async (spec) => chatModel(isReplay ? undefined : await findChatModel(real, spec)),
      embedder: async (spec) => embedder(isReplay ? undefined : await findEmbedder(real, spec)),
    },
    fetch: async (input, init) => {
      counted()
      try {
        return await tapedFetch(input, init)
      } catch (error) {
        const { url, method } = new Request(input, init)
        missed('request', { method, url }, error)
        throw error
      }
    },
  }
  return {
    services,
    hooks: {
      onVertexStart:
        ({ vertexId: id }) =>
        (work) =>
          place.run(id, work),
    },
    misses,
    unused: () => cassette.unused(),
    toJSON: () => {
      const { version, entries } = cassette.toJSON()
      const named = entries.map((entry, at): RecordedEntry => {
        const owner = owners[at] ?? ''
        return owner === '' ? entry : { ...entry, vertexId: owner }
      })
      return { version, entries: named }
    },
  }
}

/** What recorded models are made from: the host's models, or those of the vendors. */
function realServices({ services, environment, fetch: real }: TapedOptions): ComponentServices {
  return { ...services, environment, ...(real === undefined ? {} : { fetch: real }) }
}
