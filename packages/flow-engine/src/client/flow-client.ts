import { createSystemRuntime, isObject, trimSlashes } from '@x/wire'
import type { NamedInputs, RunInput } from '../graph/context/run-options.ts'
import type { FlowJson } from '../graph/flow/flow-json.ts'
import type { FlowOutputs, ShapeOf } from '../graph/flow/typed-flow.ts'
import type { OptionsFor } from '../graph/run/typed-run.ts'
import { readFailure } from './read-failure.ts'
import { componentText, componentValue, isComponent, type Component } from './read-component.ts'

/** Options of a client of a flow service. */
export interface FlowClientOptions {
  /** Where the service is, with its base path, such as `https://flows.example`. */
  readonly url: string
  /** Sent as `x-api-key`. Default: none; cookies of the page are sent by `fetch` itself. */
  readonly apiKey?: string
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** What a run of a flow without types is given. */
export interface ClientRunOptions {
  /** Text of the Chat Input, or with its `type`. Files and components are given by `tweaks`. */
  input?: string | RunInput | undefined
  /** By node, the fields of inputs, prompts and webhooks. They are sent as tweaks. */
  inputs?: NamedInputs | undefined
  /** By node, other fields. */
  tweaks?: object | undefined
  /** Sent as headers, which have upper case names and Latin-1 values. */
  variables?: Readonly<Record<string, string | undefined>> | undefined
  /** The conversation; `''` is one of this run alone. Default: that of the flow. */
  sessionId?: string | undefined
  signal?: AbortSignal | undefined
}

/** The answer of a run. */
export interface ClientResult<F = FlowJson> {
  /** Of the first output node that has a text, else ''. */
  readonly text: string
  readonly sessionId: string
  /**
   * The value of a node's output: texts are a `Message`, objects `Data`, lists of rows a `DataFrame`. Undefined if it was
   * not computed.
   * @param node id or display name
   * @param name of the output. Default: the one that was computed
   */
  output<K extends OutputName<F>>(node: K, name?: string): OutputValue<F, K> | undefined
}

type OutputName<F> = [ShapeOf<F>] extends [never] ? string : keyof FlowOutputs<F>
type OutputValue<F, K> = K extends keyof FlowOutputs<F> ? FlowOutputs<F>[K] : unknown

/** Runs flows of a service over HTTP. */
export interface FlowClient {
  /**
   * Runs a stored flow: `client.run<typeof support>('support', { input })`, with `import type support` of a typed flow.
   * @param flow id or endpoint name
   * @throws FlowError with the status and detail of an answer other than 2xx; TypeError for options that cannot be sent, and
   * as `fetch` does
   */
  run<F = FlowJson>(
    flow: string,
    options: OptionsFor<F, ClientRunOptions>,
  ): Promise<ClientResult<F>>
}

/** Creates a client; needs nothing but `fetch`. */
export function createFlowClient({
  url,
  apiKey,
  fetch = (...request) => globalThis.fetch(...request),
}: FlowClientOptions): FlowClient {
  const base = trimSlashes(url)
  return {
    async run<F>(flow: string, given: OptionsFor<F, ClientRunOptions>): Promise<ClientResult<F>> {
      const { signal, variables = {}, ...options } = given as ClientRunOptions
      const headers = new Headers({ 'content-type': 'application/json' })
      if (apiKey !== undefined) headers.set('x-api-key', apiKey)
      for (const [name, value] of Object.entries(variables))
        if (value !== undefined) headers.set(`x-service-global-var-${name}`, value)
      const response = await fetch(`${base}/api/v1/run/${encodeURIComponent(flow)}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(bodyOf(options)),
        ...(signal === undefined ? {} : { signal }),
      })
      if (!response.ok) throw await readFailure(response)
      return resultOf<F>(await response.json())
    },
  }
}

const runtime = createSystemRuntime()

/** Browsers make UUIDs on pages over https alone. */
const freshSession = (): string =>
  Array.from(runtime.randomBytes(16), (byte) => byte.toString(16).padStart(2, '0')).join('')

function bodyOf({ input, inputs = {}, tweaks = {}, sessionId }: ClientRunOptions): object {
  const { value, type = 'chat', ...others } = typeof input === 'object' ? input : { value: input }
  const [unsent] = Object.entries(others).find(([, part]) => part !== undefined) ?? []
  if (unsent !== undefined) throw new TypeError(`run: input.${unsent} is not sent; use tweaks`)
  const fields = new Map(Object.entries(tweaks as Readonly<Record<string, unknown>>))
  for (const [node, values] of Object.entries(inputs)) {
    const before = fields.get(node)
    // Texts, apart from the data of a webhook, which is the JSON of a request.
    const texts = Object.entries(values).map(([name, field]) => [
      name,
      typeof field === 'string' ? field : JSON.stringify(field),
    ])
    fields.set(node, { ...(isObject(before) ? before : {}), ...Object.fromEntries(texts) })
  }
  return {
    ...(value == null ? {} : { input_value: value }),
    input_type: type,
    // All nodes: an output may be that of any node that is not connected.
    output_type: 'debug',
    ...(fields.size === 0 ? {} : { tweaks: Object.fromEntries(fields) }),
    ...(sessionId === undefined ? {} : { session_id: sessionId || freshSession() }),
  }
}

function resultOf<F>(answer: unknown): ClientResult<F> {
  const { session_id: sessionId, outputs } = isObject(answer) ? answer : {}
  const [run] = Array.isArray(outputs) ? (outputs as readonly unknown[]) : []
  const all = isObject(run) && Array.isArray(run['outputs']) ? run['outputs'] : []
  const components = all.filter(isComponent)
  return {
    text: textOf(components),
    sessionId: typeof sessionId === 'string' ? sessionId : '',
    output: (node, name) => {
      const found =
        components.find(({ component_id: id }) => id === node) ??
        components.findLast(({ component_display_name: shown }) => shown === node)
      const value = found === undefined ? undefined : componentValue(found, name)
      return value as OutputValue<F, typeof node> | undefined
    },
  }
}

function textOf(components: readonly Component[]): string {
  const outputs = components.filter(({ component_id: id }) => /^(Chat|Text|Data)Output/.test(id))
  const shown = components.filter(({ results }) => Object.keys(results).length > 0)
  for (const component of [...outputs, ...shown.toReversed(), ...components.toReversed()]) {
    const text = componentText(component)
    if (text !== undefined) return text
  }
  return ''
}
