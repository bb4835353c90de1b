import { builtinComponents } from '@x/flow-components'
import {
  createRegistry,
  type Component,
  type ComponentServices,
  type FlowRun,
  type RunHooks,
  type RunOptions,
} from '@x/flow-engine'
import { startRun } from '@x/flow-engine/internal'
import { createMemoryServices } from '@x/flow-engine/memory'
import { createGuardedFetch } from '@x/flow-engine/node'
import { createSystemRuntime } from '@x/wire'
import { createTaped } from './taped-services.ts'
import type { RecordedTape } from './recording.ts'

/** What a run is given besides its flow. */
export interface StartOptions extends Pick<
  RunOptions,
  'input' | 'inputs' | 'tweaks' | 'sessionId' | 'budget' | 'prices' | 'signal'
> {
  readonly components: readonly Component[]
  readonly services: ComponentServices | undefined
  /** Values of variables, over those of the environment. */
  readonly variables: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly allowPrivate: boolean
  readonly timeoutMs: number | undefined
  /** Answers questions. Default: a flow that asks fails. */
  readonly suspend?: Parameters<typeof startRun>[2]['suspend']
  /** Answers in the place of models and servers. */
  readonly tape: RecordedTape | undefined
}

/** Starts a run as commands do: with the services of the configuration, and nothing stored. */
export function startFlow(flow: unknown, options: StartOptions): FlowRun {
  const { components, variables, timeoutMs, suspend } = options
  const { input, inputs, tweaks, sessionId, budget, prices, signal } = options
  const { services, hooks } = surroundingsOf(options)
  const settings = {
    components: createRegistry([...builtinComponents, ...components]),
    input,
    inputs,
    tweaks,
    sessionId,
    budget,
    prices,
    signal,
    variables,
    services,
    ...(hooks === undefined ? {} : { hooks }),
    ...(timeoutMs === undefined ? {} : { limits: { runTimeoutMs: timeoutMs } }),
  }
  return startRun(flow, settings, suspend === undefined ? {} : { suspend })
}

function surroundingsOf({ tape, services, environment, allowPrivate }: StartOptions): {
  readonly services: ComponentServices
  readonly hooks?: RunHooks
} {
  const given = services === undefined ? {} : { services }
  if (tape !== undefined)
    return createTaped({
      tape,
      ...given,
      runtime: createSystemRuntime(),
      variables: { get: (name) => Promise.resolve(`<secret:${name}>`) },
      environment: {},
    })
  const texts = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return {
    services: {
      ...createMemoryServices(),
      environment: Object.fromEntries(texts),
      fetch: allowPrivate ? fetch : createGuardedFetch(),
      ...services,
    },
  }
}
