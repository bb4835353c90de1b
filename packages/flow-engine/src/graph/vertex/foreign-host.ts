import type { VariableOrigin } from '../../components/define/variable-value.ts'
import { own } from '@x/wire'
import type { PlanVertex } from '../plan/plan-graph.ts'

/** Fields that say where a component sends its key; `url` is often the page to read instead. */
const ADDRESS =
  /^(?:base_url|openai_api_base|api_base|mistral_api_base|azure_endpoint|api_endpoint|inference_endpoint|endpoint|opensearch_url|host)$/
const URL_IS_ADDRESS =
  /^(?:QdrantVectorStoreComponent|Weaviate|IBMwatsonxModel|WatsonxEmbeddingsComponent)$/

interface Target {
  readonly vertex: PlanVertex
  readonly raw: Readonly<Record<string, unknown>>
  /** Fields whose values come from variables. */
  readonly origins: ReadonlyMap<string, VariableOrigin>
  /** The vendor's own hosts; a leading dot matches all subdomains. */
  readonly hosts: readonly string[]
  readonly keyOrigin: VariableOrigin
}

/** The host of an address in the node that a key which was looked up may not go to. */
export function foreignHost({
  vertex,
  raw,
  origins,
  hosts,
  keyOrigin,
}: Target): string | undefined {
  for (const [name, field] of Object.entries(vertex.component.inputs)) {
    const isAddress =
      ADDRESS.test(name) || (name === 'url' && URL_IS_ADDRESS.test(vertex.component.type))
    if (!isAddress) continue
    const value = own(raw, name)
    if (vertex.incoming.some((edge) => edge.field === name) && value !== undefined)
      return hostOf(value)
    if (typeof value !== 'string' || value.trim() === '') continue
    const origin = origins.get(name)
    if (origin === 'environment' || (origin === 'user' && keyOrigin !== 'environment')) continue
    const host = hostOf(value)
    const isOwn = hosts.some((one) => (one.startsWith('.') ? host.endsWith(one) : host === one))
    if (!isOwn && host !== hostOf(field.options.default)) return host
  }
  return undefined
}

function hostOf(value: unknown): string {
  const text = typeof value === 'string' ? value : ''
  return URL.canParse(text) ? new URL(text).host : text.slice(0, 100)
}
