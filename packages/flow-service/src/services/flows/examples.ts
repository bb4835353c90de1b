import type { Runtime } from '@x/wire'
import type { ShownFlow } from './flow-text.ts'

/** An example flow in the format of a flow's JSON file. */
export interface ExampleFlow {
  /** A UUID. */
  readonly id: string
  readonly name: string
  readonly description: string
  readonly icon?: string
  readonly iconBgColor?: string
  readonly gradient?: string
  readonly tags?: readonly string[]
  readonly data: { readonly nodes: readonly unknown[]; readonly edges: readonly unknown[] }
}

/** The graph of an example. */
export interface ExampleDump {
  readonly data: Record<string, unknown>
  readonly is_component: boolean
  readonly name: string
  readonly description: string
  readonly endpoint_name: null
}

/** The bundled examples, the same for every user. */
export interface ExampleService {
  /** The examples as flows. */
  list(): readonly ShownFlow[]
  /** The graphs in the format of the editor's starter project gallery. */
  dumps(): ExampleDump[]
}

export function createExampleService(
  load: () => readonly ExampleFlow[],
  runtime: Runtime,
): ExampleService {
  const folderId = runtime.uuid()
  let flows: readonly ExampleFlow[] | undefined
  const loaded = (): readonly ExampleFlow[] => (flows ??= load())
  let shown: readonly ShownFlow[] | undefined
  const updatedAt = runtime.now()
  return {
    list: () => (shown ??= loaded().map((example) => showExample(example, folderId, updatedAt))),
    dumps: () =>
      loaded().map(({ name, description, data }) => ({
        data: { viewport: null, ...data },
        is_component: false,
        name,
        description,
        endpoint_name: null,
      })),
  }
}

function showExample(example: ExampleFlow, folderId: string, updatedAt: Date): ShownFlow {
  return {
    id: example.id,
    userId: null,
    folderId,
    name: example.name,
    description: example.description,
    icon: example.icon ?? null,
    iconBgColor: example.iconBgColor ?? null,
    gradient: example.gradient ?? null,
    data: JSON.stringify(example.data),
    isComponent: false,
    webhook: false,
    endpointName: null,
    tags: example.tags ?? null,
    locked: false,
    mcpEnabled: false,
    actionName: null,
    actionDescription: null,
    accessType: 'PRIVATE',
    fsPath: null,
    updatedAt,
  }
}
