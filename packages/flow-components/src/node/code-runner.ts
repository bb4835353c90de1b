import { availableParallelism } from 'node:os'
import { isObject } from '@x/wire'
import { setLru } from '@x/wire'
import { exportName } from '@x/flow-engine/internal'
import type { Component } from '@x/flow-engine'
import type { ComponentContext } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field, type Field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import type { CodeRunner } from '@x/flow-engine'
import { createData } from '@x/flow-engine'
import { createDataFrame } from '@x/flow-engine'
import { createMessage } from '@x/flow-engine'
import { stripTypes } from './code-syntax.ts'
import { runSandbox, type SandboxLimits } from './run-sandbox.ts'
import { sandboxComponentsModule, sandboxGraphModule, sandboxModule } from './sandbox-source.ts'
import { createSandboxQueue, type UserQueue } from '@x/flow-engine/node'

/** Permissions and limits of component code. */
export interface CodeRunnerOptions extends SandboxLimits {
  /** Components that code may re-export from `@x/flow-engine/components`. */
  readonly components?: Iterable<Component>
  /** Source of additional modules, by import name. */
  readonly modules?: Readonly<Record<string, string>>
  /**
   * Maximum milliseconds to evaluate a module, without running an output; at most `timeoutMs`. Default 5,000.
   */
  readonly evaluationMs?: number
  /** Concurrent sandboxes. Default: half the cores, at least 1. Each user has at most one. */
  readonly maxSandboxes?: number
  /** Queued sandboxes per user. Default 20; beyond that the call rejects with a FlowError, status 429. */
  readonly waitingPerUser?: number
  /** A queue shared with other runners; replaces `maxSandboxes` and `waitingPerUser`. */
  readonly queue?: UserQueue
}

/** Maximum number of cached descriptions, and maximum source length of a cached one. */
const MAX_CACHED = 100
const MAX_CACHED_LENGTH = 64 * 1024

/**
 * Runs component source code (TypeScript or JavaScript) in QuickJS compiled to WebAssembly, in a worker
 * thread. Limited to 64 MiB and 30 s, few at a time; the code has no access to the host
 * beyond the values of its inputs.
 */
export function createCodeRunner(options: CodeRunnerOptions = {}): CodeRunner {
  const natives = new Map<string, Component>()
  for (const component of options.components ?? []) {
    natives.set(exportName(component.type), component)
  }
  const natively = sandboxComponentsModule(natives.keys())
  // Stored code has names of entries that this version no longer has.
  const offered = {
    ...options.modules,
    '@x/flow-engine': sandboxModule,
    '@x/flow-components': natively,
    '@x/flow-engine/components': natively,
    '@x/flow-engine/graph': sandboxGraphModule,
  }

  const { timeoutMs = 30_000, evaluationMs = 5_000 } = options
  const evaluation = { ...options, timeoutMs: Math.min(evaluationMs, timeoutMs) }
  const { queue = createOwnQueue(options) } = options

  // A flow loads its code in every run, so each source is evaluated once.
  const loaded = new Map<string, Component>()
  const keep = (code: string, component: Component): Component =>
    setLru(loaded, code, component, MAX_CACHED)

  return {
    async load(code, { signal, userId = '' }) {
      const known = loaded.get(code)
      if (known !== undefined) return keep(code, known)
      const stripped = await stripTypes(code)
      if ('error' in stripped) throw new Error(stripped.error)
      const modules = { ...offered, component: stripped.code }
      const described = await queue(userId, signal, () =>
        runSandbox(modules, { kind: 'describe' }, signal, evaluation),
      )
      const { native } = described
      if (typeof native === 'string') return natives.get(native)
      const component = build(described, (name, inputs, ctx) =>
        queue(ctx.services.workOwner ?? ctx.userId ?? '', ctx.signal, () =>
          runOutput(modules, options, { name, inputs, ctx }),
        ),
      )
      return code.length <= MAX_CACHED_LENGTH ? keep(code, component) : component
    },
  }
}

function createOwnQueue({ maxSandboxes, waitingPerUser = 20 }: CodeRunnerOptions): UserQueue {
  return createSandboxQueue({
    concurrency: maxSandboxes ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    perUser: 1,
    waitingPerUser,
  })
}

type RunOutput = (name: string, inputs: unknown, ctx: ComponentContext) => Promise<unknown>

/** Creates the component of a description; its outputs run in the sandbox. */
function build({ facts, inputs, outputs }: Record<string, unknown>, run: RunOutput): Component {
  const { type } = isObject(facts) ? facts : {}
  if (typeof type !== 'string' || type === '') throw new Error('the component has no type')
  const fields = entries(inputs).map(([name, kind, given]): [string, Field] => [
    name,
    makeField(name, kind, given),
  ])
  const declared = entries(outputs).map(([name, kind, given]) => [
    name,
    makeOutput(name, kind, {
      ...given,
      run: (values: unknown, ctx: ComponentContext) => run(name, values, ctx),
    }),
  ])
  return defineComponent({
    ...(isObject(facts) ? facts : {}),
    type,
    sandboxed: true,
    inputs: Object.fromEntries(fields),
    outputs: Object.fromEntries(declared) as Record<string, never>,
  })
}

function entries(part: unknown): [name: string, kind: string, options: Record<string, unknown>][] {
  return Object.entries(isObject(part) ? part : {}).map(([name, one]) => {
    const { kind, options } = isObject(one) ? one : {}
    return [name, String(kind), isObject(options) ? options : {}]
  })
}

type Make = (options: Record<string, unknown>) => unknown

/** The boundary between a description and the typed helpers: helpers are looked up by name. */
function helper(helpers: object, kind: string, what: string): Make {
  const make: unknown = Object.hasOwn(helpers, kind) ? Reflect.get(helpers, kind) : undefined
  if (typeof make !== 'function') throw new Error(`${what} has no such kind: ${kind}`)
  return make as Make
}

function makeField(name: string, kind: string, options: Record<string, unknown>): Field {
  return helper(field, kind, `The input ${name}`)(options) as Field
}

function makeOutput(name: string, kind: string, options: Record<string, unknown>): unknown {
  return helper(output, kind, `The output ${name}`)(options)
}

interface OutputRun {
  readonly name: string
  readonly inputs: unknown
  readonly ctx: ComponentContext
}

async function runOutput(
  modules: Readonly<Record<string, string>>,
  options: CodeRunnerOptions,
  { name, inputs, ctx }: OutputRun,
): Promise<unknown> {
  const { flowId, sessionId, userId, vertexId, displayName, build: pass, asTool } = ctx
  const facts = { flowId, sessionId, userId, vertexId, displayName, build: pass, asTool }
  const context = { ...facts, connected: [...ctx.connected] }
  const request = { kind: 'run', output: name, inputs: asJson(inputs), context } as const
  const { value, calls } = await runSandbox(modules, request, ctx.signal, options)
  for (const call of Array.isArray(calls) ? calls : []) repeat(ctx, call)
  return asValue(value)
}

/** Replays the code's calls on the real context. */
function repeat(ctx: ComponentContext, call: unknown): void {
  const [name, args] = Array.isArray(call) ? (call as unknown[]) : []
  const [first, second] = Array.isArray(args) ? (args as unknown[]) : []
  if (name === 'log') ctx.log(String(first), second)
  else if (name === 'status') ctx.status(first)
  else if (name === 'stop') ctx.stop(String(first))
  else if (name === 'start') ctx.start(String(first))
  else if (name === 'exclude') ctx.exclude(String(first))
  else if (name === 'include') ctx.include(String(first))
}

/** The serialisable inputs: models, tools and other host objects are not passed to the sandbox. */
function asJson(inputs: unknown): unknown {
  return JSON.parse(
    JSON.stringify(inputs, (_key, value: unknown) =>
      typeof value === 'function' || typeof value === 'bigint' ? null : value,
    ) ?? 'null',
  )
}

/** Converts a sandbox value to an edge value. */
function asValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asValue)
  if (!isObject(value)) return value
  const { kind, ...rest } = value
  if (kind === 'message') {
    const { text, ...init } = rest
    const { timestamp: _timestamp, ...facts } = init
    return createMessage({ ...facts, text: typeof text === 'string' ? text : '' })
  }
  if (kind === 'data' && isObject(rest['data'])) return createData(rest['data'])
  if (kind === 'dataframe' && Array.isArray(rest['rows'])) {
    return createDataFrame(rest['rows'].filter(isObject))
  }
  return value
}
