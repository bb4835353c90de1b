import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type NodeDetails, isComponent } from '@x/flow-engine'
import { createPythonRunner, type PythonRunner, type PythonRunnerOptions } from '@x/flow-python'
import { afterAll } from 'vitest'
import type { ComponentContext } from '@x/flow-engine'

/** A runner that ends with the file of tests; the snapshot is made by the first of them. */
export function testRunner(options: PythonRunnerOptions = {}): PythonRunner {
  const runner = createPythonRunner({ cacheDir: join(tmpdir(), 'x-flow-python'), ...options })
  afterAll(() => runner.close())
  return runner
}

/** The calls of a component besides its values. */
export interface Trace {
  readonly logs: [string, unknown][]
  readonly stopped: string[]
  status: unknown
}

export interface RunOptions {
  readonly values?: Readonly<Record<string, unknown>>
  readonly userId?: string
  /** The method of the output. Default `work`. */
  readonly method?: string
  readonly signal?: AbortSignal
  readonly trace?: Trace
  readonly more?: Partial<ComponentContext>
}

export function newTrace(): Trace {
  return { logs: [], stopped: [], status: undefined }
}

/** The text of a component whose one method has this body. */
export function componentOf(body: string, head = ''): string {
  const lines = body.split('\n').map((line) => `        ${line}`)
  return `from langflow.custom import Component
from langflow.io import *
from langflow.schema import Data, DataFrame, Message
${head}

class Mine(Component):
    display_name = "Mine"
    outputs = [Output(name="result", display_name="Result", method="work")]

    def work(self):
${lines.join('\n')}
`
}

/** Runs the output `result` of a text as a node with the display name Mine. */
export async function runText(
  runner: PythonRunner,
  code: string,
  options: RunOptions = {},
): Promise<unknown> {
  const { values = {}, userId = 'ann', trace = newTrace(), more = {} } = options
  const signal = options.signal ?? new AbortController().signal
  const template = Object.fromEntries(
    Object.keys(values).map((name) => [name, { type: 'other', _input_type: 'HandleInput' }]),
  )
  const node: NodeDetails = {
    template,
    display_name: 'Mine',
    outputs: [{ name: 'result', method: options.method ?? 'work' }],
  }
  const component = await runner.load(code, { signal, userId, node })
  if (!isComponent(component)) throw new Error('no component')
  const context = {
    connected: new Set<string>(),
    services: {},
    flowId: 'flow',
    sessionId: 'session',
    vertexId: 'Mine-1',
    runId: 'run',
    displayName: 'Mine',
    userId,
    signal,
    log: (name: string, value: unknown) => void trace.logs.push([name, value]),
    status: (value: unknown) => void (trace.status = value),
    stop: (name: string) => void trace.stopped.push(name),
    ...more,
  } as unknown as ComponentContext
  return component.outputs['result']?.run(values, context)
}

/** Runs the body of a method. */
export function run(runner: PythonRunner, body: string, options: RunOptions = {}) {
  return runText(runner, componentOf(body), options)
}
