import { wakeTime } from '../graph/durable/sleep-time.ts'
import type { Runtime } from '@x/wire'
import type { InputSource } from '../components/define/context.ts'
import type { Component } from '../components/define/component.ts'
import type { ComponentServices, MessageRecord } from '../components/define/services.ts'
import { FlowError, invalidRequest } from '../errors.ts'
import { buildVertex, VertexBuild } from '../graph/vertex/vertex-build.ts'
import { completeLimits } from '../graph/plan/limits.ts'
import { RunContext, type DurableOperations } from '../graph/context/run-context.ts'
import { createRunLog } from '../graph/events/run-log.ts'
import type { RunEvent } from '../graph/events/run-event.ts'
import { logJson } from '../graph/events/vertex-data.ts'
import { TOOL_OUTPUT } from '../graph/plan/vertex-plan.ts'

export interface TestComponentOptions {
  /** Field values after edges, tweaks and variables were applied. */
  readonly inputs?: Readonly<Record<string, unknown>>
  /** Name or method of an output, or `component_as_tool`. Default: all declared outputs. */
  readonly output?: string | readonly string[]
  readonly services?: ComponentServices
  /** Lets the component reach private addresses. Default false. */
  readonly allowPrivate?: boolean
  readonly runtime?: Runtime
  readonly signal?: AbortSignal
  /** Default "": no session. */
  readonly sessionId?: string
  readonly flowId?: string
  readonly userId?: string
  readonly vertexId?: string
  /** Pass the same map to all builds of one vertex. */
  readonly state?: Map<string, unknown>
  /** Default 1. */
  readonly build?: number
  /** The result of `ctx.sources(field)`. */
  readonly sources?: Readonly<Record<string, readonly InputSource[]>>
  /** The outputs count as connected to a chat output without a sender name. */
  readonly chatOutput?: boolean
  /** `_input_type` of fields, as in the node's template. */
  readonly inputTypes?: Readonly<Record<string, string>>
  /** `input_types` of fields, as in the node's template. */
  readonly handleTypes?: Readonly<Record<string, readonly string[]>>
  /** Request variables. */
  readonly variables?: Readonly<Record<string, string>>
  /** Called with each event when it is sent, also before a failure. */
  readonly onEvent?: (event: RunEvent) => void
}

export interface TestComponentResult {
  /** The value if exactly one output is requested; undefined for several. */
  readonly value: unknown
  readonly outputs: Readonly<Record<string, unknown>>
  readonly branches: ['stop' | 'start' | 'exclude', string][]
  readonly messages: MessageRecord[]
  readonly logs: object[]
  readonly events: RunEvent[]
  readonly status: unknown
}

/**
 * Builds a single component; rejects with the component's own error. Required fields are not checked.
 */
export async function testComponent(
  component: Component,
  options: TestComponentOptions = {},
): Promise<TestComponentResult> {
  const outputs = outputNames(component, options.output)
  const run = new TestRun(options)
  const { ctx, outputs: values } = await buildVertex(
    new TestBuild(run, { component, options, outputs }),
  )
  const [only = ''] = outputs
  return {
    value: typeof options.output === 'string' || outputs.length === 1 ? values[only] : undefined,
    outputs: values,
    branches: ctx.branches.flatMap(([what, name]) => (what === 'include' ? [] : [[what, name]])),
    messages: [...run.messages.records.values()],
    logs: [...ctx.logs.values()].flat().map((entry) => logJson(entry)),
    events: run.events,
    status: ctx.statusValue,
  }
}

interface TestSubject {
  readonly component: Component
  readonly options: TestComponentOptions
  readonly outputs: readonly string[]
}

/** A build of a standalone component. */
class TestBuild extends VertexBuild {
  readonly #options: TestComponentOptions
  readonly #state: Map<string, unknown>

  constructor(run: RunContext, { component, options, outputs }: TestSubject) {
    const { build = 1, chatOutput = false, vertexId = `${component.type}-00001` } = options
    const vertex = {
      id: vertexId,
      displayName: component.displayName,
      component,
      connected: new Set(outputs),
      chatOutput: chatOutput ? {} : undefined,
      chatOutputs: new Set(chatOutput ? outputs : []),
      isRoot: false,
      role: component.role,
    }
    super(run, { vertex, build, names: outputs })
    this.raw = options.inputs ?? {}
    this.#options = options
    this.#state = options.state ?? new Map<string, unknown>()
  }

  get signal(): AbortSignal {
    return this.run.signal
  }
  get over(): boolean {
    return false
  }
  state(): Map<string, unknown> {
    return this.#state
  }
  async rest(): Promise<void> {}
  sources(field: string): readonly InputSource[] {
    return sourcesOf(this.#options, field)
  }
  inputType(field: string): string | undefined {
    const { inputTypes = {} } = this.#options
    return Object.hasOwn(inputTypes, field) ? inputTypes[field] : undefined
  }
  handleTypes(field: string): readonly string[] {
    const { handleTypes = {} } = this.#options
    return Object.hasOwn(handleTypes, field) ? (handleTypes[field] ?? []) : []
  }
  get variables(): Readonly<Record<string, string>> | undefined {
    return this.#options.variables
  }
  expectPasses(): number {
    return 1
  }
}

function sourcesOf({ sources = {} }: TestComponentOptions, field: string): readonly InputSource[] {
  return Object.hasOwn(sources, field) ? (sources[field] ?? []) : []
}

/** Output names; a method name selects its output. */
function outputNames(component: Component, wanted: TestComponentOptions['output']): string[] {
  const declared = Object.entries(component.outputs)
  if (wanted === undefined) {
    return declared.filter(([, output]) => output.dynamic !== true).map(([name]) => name)
  }
  return [wanted].flat().map((name) => {
    if (name === TOOL_OUTPUT || Object.hasOwn(component.outputs, name)) return name
    const found = declared.find(([, output]) => output.method === name)
    if (found === undefined) throw invalidRequest(`${component.type} has no output ${name}`)
    return found[0]
  })
}

/** The run of a standalone component: it has no flow, and nothing outlives it. */
class TestRun extends RunContext {
  readonly events: RunEvent[]
  readonly signal: AbortSignal
  readonly budget = undefined

  constructor(options: TestComponentOptions) {
    const { runtime, flowId, services, allowPrivate, sessionId = '', userId } = options
    const events: RunEvent[] = []
    const onPush = (event: RunEvent): void => {
      events.push(event)
      options.onEvent?.(event)
    }
    super({
      options: { runtime, flowId, services, allowPrivate, sessionId, userId },
      host: {},
      limits: completeLimits(undefined),
      log: createRunLog({ bufferedTokens: Number.POSITIVE_INFINITY, onPush }),
    })
    this.events = events
    this.signal = options.signal ?? new AbortController().signal
  }

  get durable(): DurableOperations {
    const { runtime } = this
    return {
      suspend: () =>
        Promise.reject(
          new FlowError('not_resumable', 'A component under test cannot be suspended'),
        ),
      sleep: async (_from, _number, time, stop) => {
        const now = runtime.now()
        await runtime.sleep(Math.max(0, wakeTime(time, now).getTime() - now.getTime()), stop)
      },
      step: async (_vertexId, _name, work) => work(),
    }
  }

  open(): boolean {
    return !this.signal.aborted
  }

  exceed(limit: FlowError): void {
    throw limit
  }

  warn(): void {}

  usage(): void {}

  runFlow(): Promise<never> {
    return Promise.reject(invalidRequest('A component under test has no registry for flows'))
  }
}
