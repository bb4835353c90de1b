import {
  FlowCompileError,
  formatValue,
  type RunResult,
  type NamedInputs,
  type Tweaks,
  errorText,
} from '@x/flow-engine'
import { resolve } from 'node:path'
import { FoundError, UsageError, type Command } from '../command/command.ts'
import { answersOf, createAnswers } from '../recording/answers.ts'
import { readRecording } from '../recording/read-recording.ts'
import { startFlow } from '../recording/start-flow.ts'
import { loadFlow } from './build-flow.ts'
import { namesOf } from './names-of.ts'
import { jsonOption, startOptions, WHAT_RUNS } from './run-options.ts'

export const run: Command = {
  name: 'run',
  purpose: 'run a flow once',
  usage: ['<flow.json|flow.ts> [options]'],
  options: [
    { name: 'input', value: 'TEXT', text: 'the input of the run; - reads stdin' },
    WHAT_RUNS.inputs,
    WHAT_RUNS.tweaks,
    WHAT_RUNS.session,
    WHAT_RUNS.variables,
    WHAT_RUNS.answers,
    WHAT_RUNS.budget,
    WHAT_RUNS.timeout,
    { name: 'cassette', value: 'DIR', text: 'a recording that answers in the place of models' },
    { name: 'stream', text: 'print the text as it comes', fallback: 'off' },
    WHAT_RUNS.allowPrivate,
  ],
  found: 'the run failed',
  example: 'x-flow run flows/support.json --input "Where is it?"',
  async run(call) {
    const [path, ...rest] = call.args
    if (path === undefined || rest.length > 0) throw new UsageError('name one flow file')
    const options = await startOptions(call)
    const input = call.text('input') === '-' ? await call.stdin() : call.text('input')
    const flow = await loadFlow(call.cwd, path)
    const cassette = call.text('cassette')
    const tape =
      cassette === undefined
        ? undefined
        : (await readRecording(resolve(call.cwd, cassette), cassette)).tape
    const answers = createAnswers(answersOf(call, (id) => namesOf(flow).get(id) ?? id))
    const started = startFlow(flow, {
      ...options,
      suspend: answers.suspend,
      input,
      inputs: (await jsonOption(call, 'inputs')) as NamedInputs | undefined,
      tweaks: (await jsonOption(call, 'tweaks')) as Tweaks | undefined,
      signal: call.signal,
      tape,
    })
    const streams = call.isOn('stream') && !call.json
    let streamed = ''
    if (streams)
      try {
        for await (const text of started.textStream) {
          streamed += text
          call.out(text)
        }
      } catch {
        // The result tells the error.
      }
    const result = await resultOf(started.result)
    if (call.signal.aborted) return 130
    if (answers.failure !== undefined) throw new FoundError(answers.failure.message)
    if (call.json) call.print(JSON.stringify(jsonOf(result)))
    else if (streams) call.out(streamed === '' || streamed.endsWith('\n') ? '' : '\n')
    else if (result.status === 'succeeded') call.print(result.text() ?? '')
    if (result.status === 'succeeded') return 0
    if (!call.json)
      call.note(
        `x-flow run: ${(result.error?.detail ?? 'The run failed').replaceAll(/\s*\n\s*/g, ' ')}`,
      )
    return 1
  },
}

/** A run that could not start. */
async function resultOf(result: Promise<RunResult>): Promise<RunResult> {
  try {
    return await result
  } catch (error) {
    const text = error instanceof FlowCompileError ? error.detail : errorText(error)
    throw new FoundError(text)
  }
}

function jsonOf(result: RunResult): object {
  const { status, usage, spent, warnings, error, durationMs } = result
  const outputs = result.outputs.map(({ id, outputs: values }) => [
    id,
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, formatValue(value)])),
  ])
  return {
    status,
    text: result.text() ?? null,
    outputs: Object.fromEntries(outputs) as object,
    usage,
    spent,
    warnings,
    error:
      error === undefined
        ? null
        : {
            code: error.code,
            detail: error.detail,
            vertexId: error.vertexId,
            details: error.details,
          },
    durationMs,
  }
}
