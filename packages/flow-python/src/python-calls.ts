import { isObject, type Runtime } from '@x/wire'
import type { ComponentContext } from '@x/flow-engine'
import type { RefreshContext } from '@x/flow-engine'
import type { NodeOutput, NodeTemplate } from '@x/flow-engine'
import { pauseTimeLimit } from '@x/flow-engine/internal'
import { GuestObjects, type ObjectCall } from './guest-objects.ts'
import type { InterpreterHost, CallOutcome } from './interpreter.ts'
import type { InterpreterPool } from './interpreter-pool.ts'
import type { ClassDescription } from './class-description.ts'
import { KeptInterpreter } from './kept-interpreter.ts'
import { createRunHost } from './run-host.ts'
import { createTextStream } from './text-stream.ts'
import { decodePythonValue, OutgoingValues } from './values.ts'
import { createWebAccess } from './web-access.ts'

/** Interpreter calls for components. */
export interface PythonCalls {
  /**
   * Runs the connected outputs of a node (all of them if none is connected) on one instance, once per build.
   * @throws Error with the exception's text, or the limit that was exceeded
   */
  run(code: string, call: RunCall): Promise<Readonly<Record<string, unknown>>>
  /** @throws Error with a message for the author of the class */
  describe(code: string, options: CallerOptions): Promise<ClassDescription>
  /** Lets the class update its template when a field changes. */
  update(
    code: string,
    change: TemplateChange,
    ctx: RefreshContext,
  ): Promise<{ template: NodeTemplate; outputs: NodeOutput[] }>
}

export interface RunCall {
  readonly methods: readonly { readonly name: string; readonly method: string }[]
  readonly values: Readonly<Record<string, unknown>>
  readonly ctx: ComponentContext
}

export interface CallerOptions {
  readonly signal: AbortSignal
  readonly userId: string
}

export interface TemplateChange {
  readonly template: NodeTemplate
  readonly field: string
  readonly value: unknown
}

export interface CallLimits {
  readonly timeoutMs: number
  readonly readingMs: number
  readonly memoryMb: number
  readonly inputBytes: number
  readonly outputBytes: number
  readonly environment: Readonly<Record<string, string>>
  readonly fetch: typeof fetch | undefined
  readonly runtime: Runtime
}

export function createPythonCalls(pool: InterpreterPool, limits: CallLimits): PythonCalls {
  /** Each build of a node has one context, so its outputs share a call. */
  const runs = new WeakMap<ComponentContext, Promise<Readonly<Record<string, unknown>>>>()
  const { runtime, environment } = limits

  const work = async (job: object, call: OneCall): Promise<Record<string, unknown>> => {
    const seed = Buffer.from(runtime.randomBytes(16)).toString('hex')
    const whole = { ...job, seed, environment }
    if (JSON.stringify(whole).length > limits.inputBytes) {
      throw new Error(`${call.name}: input limit of ${mb(limits.inputBytes)} MB`)
    }
    const goOn = pauseTimeLimit(call.signal)
    try {
      const outcome = await pool.use(call.userId, call.signal, async ({ interpreter, keep }) => {
        goOn()
        const { timeoutMs, signal } = call
        const made = await interpreter.run(whole, call.host, { timeoutMs, signal })
        if (call.kept?.wants(interpreter, whole) === true) keep()
        return made
      })
      return resultOf(outcome, call)
    } finally {
      goOn()
    }
  }

  /** Calls an object of code that has run; if its interpreter has ended, the code runs again first. */
  const callAgain = async (kept: KeptInterpreter, again: ObjectCall, call: OneCall) => {
    const { timeoutMs, signal, host } = call
    const goOn = pauseTimeLimit(signal)
    const run = { timeoutMs, signal }
    const outcome = await pool
      .use(
        call.userId,
        signal,
        async ({ interpreter, isFresh, keep }) => {
          goOn()
          if (isFresh) resultOf(await interpreter.run(kept.job, kept.silentHost, run), call)
          const made = await interpreter.run({ op: 'kept', ...again }, host, run)
          kept.interpreter = interpreter
          if (made.kind === 'result') keep()
          return made
        },
        kept.interpreter,
      )
      .finally(goOn)
    const { ok, error } = resultOf(outcome, call)
    if (isObject(error)) throw new Error(String(error['message']))
    return ok
  }

  const run = async (
    code: string,
    { methods, values, ctx }: RunCall,
  ): Promise<Readonly<Record<string, unknown>>> => {
    const out = new OutgoingValues()
    const encoded = Object.fromEntries(
      await Promise.all(
        Object.entries(values).map(
          async ([name, value]) => [name, await out.encode(value)] as const,
        ),
      ),
    )
    const wanted = methods.filter(({ name }) => ctx.connected.has(name))
    const { flowId, flowName, sessionId, userId, vertexId, runId } = ctx
    const context = {
      id: vertexId,
      flow_id: flowId,
      flow_name: flowName ?? null,
      session_id: sessionId,
      user_id: userId ?? null,
      run_id: runId,
    }
    const job = {
      op: 'run',
      code,
      values: encoded,
      outputs: wanted.length > 0 ? wanted : methods,
      context,
      files: out.files,
    }
    const web = createWebAccess(ctx.services.fetch ?? limits.fetch)
    const stream = createTextStream(ctx)
    const lent = out.handles
    const kept = new KeptInterpreter()
    const guest = new GuestObjects(vertexId, (again, signal) =>
      callAgain(kept, again, { ...call, signal }),
    )
    const host = createRunHost(ctx, { lent, guest, web, stream })
    kept.expect(guest, host)
    const call = {
      host,
      kept,
      name: ctx.displayName,
      userId: ctx.services.workOwner ?? userId ?? '',
      signal: ctx.signal,
      timeoutMs: limits.timeoutMs,
      limits,
    }
    const { ok, error, stdout, stderr } = await work(job, call).catch(async (failure: unknown) => {
      await stream.fail()
      throw failure
    })
    for (const [name, text] of Object.entries({ stdout, stderr })) {
      if (typeof text === 'string' && text !== '') ctx.log(name, text)
    }
    if (isObject(error)) {
      await stream.fail()
      ctx.log('Error', String(error['where']))
      // Failed vertices keep no log, so the message includes the line.
      throw new Error(`${String(error['message'])}${String(error['place'])}`)
    }
    const results = Object.entries(isObject(ok) ? ok : {})
    return stream.finish(
      Object.fromEntries(results.map(([k, v]) => [k, decodePythonValue(v, lent)])),
    )
  }

  const read = async (job: object, options: CallerOptions & { host: InterpreterHost }) => {
    const { ok, error } = await work(job, {
      ...options,
      name: 'Reading the code',
      timeoutMs: limits.readingMs,
      limits,
    })
    if (isObject(error)) throw new Error(String(error['message']))
    return isObject(ok) ? ok : {}
  }

  return {
    run(code, call) {
      const known = runs.get(call.ctx)
      if (known !== undefined) return known
      const started = run(code, call)
      runs.set(call.ctx, started)
      return started
    },
    async describe(code, options) {
      return toDescription(await read({ op: 'describe', code }, { ...options, host: NO_HOST }))
    },
    async update(code, { template, field, value }, { services, signal, userId = '', outputs }) {
      const web = createWebAccess(services.fetch ?? limits.fetch)
      const host: InterpreterHost = {
        notice: () => undefined,
        async call({ op, ...question }, over) {
          if (op === 'fetch') return web(question, over)
          throw new TypeError('not offered')
        },
      }
      const out = new OutgoingValues()
      const job = {
        op: 'update',
        code,
        field,
        value: await out.encode(value),
        template: await out.encode(template),
        outputs: await out.encode(outputs),
      }
      const made = await read(job, { signal, userId, host })
      return {
        template: decodePythonValue(made['template'], []) as NodeTemplate,
        outputs: decodePythonValue(made['outputs'], []) as NodeOutput[],
      }
    },
  }
}

/** Classes are read without network access and outside any run. */
const NO_HOST: InterpreterHost = {
  notice: () => undefined,
  call: () => Promise.reject(new TypeError('network access is not allowed here')),
}

interface OneCall extends CallerOptions {
  readonly host: InterpreterHost
  readonly kept?: KeptInterpreter
  readonly name: string
  readonly timeoutMs: number
  readonly limits: CallLimits
}

const mb = (bytes: number): number => Math.round(bytes / (1024 * 1024))

function resultOf(
  outcome: CallOutcome,
  { name, timeoutMs, limits }: OneCall,
): Record<string, unknown> {
  switch (outcome.kind) {
    case 'result':
      return outcome.value
    case 'timeLimit':
      throw new Error(`${name}: time limit of ${timeoutMs / 1000} s`)
    case 'memoryLimit':
      throw new Error(`${name}: memory limit of ${limits.memoryMb} MB`)
    case 'outputLimit':
      throw new Error(`${name}: output limit of ${mb(limits.outputBytes)} MB`)
    case 'ended':
      throw new Error(`${name}: the code terminated its interpreter`)
  }
}

function toDescription(given: Record<string, unknown>): ClassDescription {
  const { type, facts, field_order: order, inputs, outputs, refreshes } = given
  const objects = (list: unknown): Record<string, unknown>[] =>
    (Array.isArray(list) ? list : []).map((one) => decodePythonValue(one, [])).filter(isObject)
  return {
    type: String(type),
    facts: isObject(facts) ? facts : {},
    fieldOrder: Array.isArray(order) ? order.map(String) : undefined,
    inputs: objects(inputs),
    outputs: objects(outputs) as unknown as NodeOutput[],
    refreshes: refreshes === true,
  }
}
