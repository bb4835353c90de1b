import type { NamedInputs, Tweaks } from '@x/flow-engine'
import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { formatFlow } from '../code/format-flow.ts'
import { FoundError, UsageError, type Call, type Command } from '../command/command.ts'
import { display, readFlow } from '../command/flow-files.ts'
import { plural } from '../command/plural.ts'
import { writeText } from '../command/write-files.ts'
import { formatRecorded } from '../recording/format-recorded.ts'
import { answersOf } from '../recording/answers.ts'
import { readRecording } from '../recording/read-recording.ts'
import { recordRun, type RecordedNow, type RecordOptions } from '../recording/record-run.ts'
import { createRedactor, leakedSecret } from '../recording/redact.ts'
import { loadConfig } from '../command/load-config.ts'
import { namesOf } from './names-of.ts'
import { budgetOf, jsonOption, variablesOf, WHAT_RUNS } from './run-options.ts'

export const record: Command = {
  name: 'record',
  purpose: 'run a flow once and keep what it asked and answered as a test',
  usage: ['<flow> --out DIR [options]', '--again DIR [options]'],
  options: [
    { name: 'out', value: 'DIR', text: 'the folder of the recording' },
    { name: 'again', value: 'DIR', text: 'record with the input of an earlier recording' },
    { name: 'input', value: 'TEXT', text: 'the input of the run' },
    WHAT_RUNS.inputs,
    WHAT_RUNS.tweaks,
    { ...WHAT_RUNS.session, fallback: 'recorded' },
    WHAT_RUNS.variables,
    WHAT_RUNS.answers,
    WHAT_RUNS.budget,
    { name: 'copy', text: 'keep a copy of the flow in the folder', fallback: 'off' },
    { name: 'redact', value: 'REGEX', text: 'texts that are not kept; repeatable' },
    WHAT_RUNS.allowPrivate,
    { name: 'force', text: 'replace a recording', fallback: 'off' },
  ],
  found: 'the run could not start, or the folder has a recording',
  example: 'x-flow record flows/support.json --out tests/late --input "Where is it?"',
  async run(call) {
    const again = call.text('again')
    const { folder, shown, flow, given } =
      again === undefined ? await fresh(call) : await repeated(call, again)
    const config = await loadConfig(call)
    const { components, services } = config
    const ask = answersOf(call, (id) => namesOf(flow).get(id) ?? id)
    const made = await started({
      ask,
      spending: { budget: budgetOf(call) ?? config.budget, prices: config.prices },
      flow,
      given,
      variables: variablesOf(call),
      environment: call.env,
      ...(components === undefined ? {} : { components }),
      ...(services === undefined ? {} : { services }),
      allowPrivate: call.isOn('allow-private'),
      redact: [...(config.record?.redact ?? []), ...call.texts('redact').map(patternOf)],
      signal: call.signal,
    })
    if (call.signal.aborted) return 130
    await writeRecording(call, { folder, shown, flow, made })
    report(call, shown, made)
    return 0
  },
}

interface Asked {
  readonly folder: string
  readonly shown: string
  readonly flow: unknown
  readonly given: RecordOptions['given']
}

async function fresh(call: Call): Promise<Asked> {
  const [path, ...rest] = call.args
  const out = call.text('out')
  if (path === undefined || rest.length > 0) throw new UsageError('name one flow file')
  if (out === undefined) throw new UsageError('name the folder of the recording: --out DIR')
  const file = await readFlow(call.cwd, path)
  const folder = resolve(call.cwd, out)
  const shown = display(call.cwd, out)
  if (existsSync(join(folder, 'run.json')) && !call.isOn('force'))
    throw new FoundError(`${shown} has a recording. Use --force to replace it`)
  const input = call.text('input')
  const inputs = await jsonOption(call, 'inputs')
  const tweaks = await jsonOption(call, 'tweaks')
  const target = call.isOn('copy') ? './flow.json' : await linkTo(folder, resolve(call.cwd, path))
  return {
    folder,
    shown,
    flow: file?.flow,
    given: {
      flow: target,
      ...(input === undefined ? {} : { input }),
      ...(inputs === undefined ? {} : { inputs: inputs as NamedInputs }),
      ...(tweaks === undefined ? {} : { tweaks: tweaks as Tweaks }),
      sessionId: call.text('session') ?? 'recorded',
    },
  }
}

async function repeated(call: Call, name: string): Promise<Asked> {
  if (call.args.length > 0) throw new UsageError('--again takes no flow file')
  const folder = resolve(call.cwd, name)
  const shown = display(call.cwd, name)
  const { run, flow } = await readRecording(folder, shown)
  const { version: _, startedAt: __, variables: ___, ...given } = run
  return { folder, shown, flow, given }
}

async function linkTo(folder: string, flow: string): Promise<string> {
  const from = existsSync(folder) ? await realpath(folder) : folder
  return relative(from, existsSync(folder) ? await realpath(flow) : flow)
    .split(sep)
    .join('/')
}

function patternOf(given: string): RegExp {
  try {
    return new RegExp(given, 'g')
  } catch {
    throw new UsageError(`option "--redact" must be a regular expression, got "${given}"`)
  }
}

async function started(options: RecordOptions): Promise<RecordedNow> {
  try {
    return await recordRun(options)
  } catch (error) {
    throw new FoundError(error instanceof Error ? error.message : String(error))
  }
}

async function writeRecording(
  call: Call,
  { folder, shown, flow, made }: Omit<Asked, 'given'> & { readonly made: RecordedNow },
): Promise<void> {
  const redact = createRedactor(made.secrets)
  const files: Record<string, string> = {
    'run.json': formatRecorded(made.run),
    'cassette.json': formatRecorded(made.tape),
    'expected.json': formatRecorded(made.expected),
    ...(call.isOn('copy') ? { 'flow.json': formatFlow(redact(flow)) } : {}),
  }
  for (const [name, text] of Object.entries(files)) {
    const leak = leakedSecret(text, made.secrets)
    if (leak !== undefined) throw new FoundError(`refused, ${name} would hold the value of ${leak}`)
  }
  for (const [name, text] of Object.entries(files)) await writeText(join(folder, name), text)
  const test = join(folder, 'run.test.ts')
  if (!existsSync(test)) await writeText(test, testText(shown))
}

function testText(shown: string): string {
  const name = (shown.split('/').at(-1) ?? 'recorded').replaceAll(/[^\w .-]/g, '_')
  return [
    "import { replayRun } from '@x/flow-tools/testing'",
    "import { test } from 'vitest'",
    '',
    `test('${name}', async () => {`,
    '  await replayRun(import.meta.dirname)',
    '})',
    '',
  ].join('\n')
}

function report(call: Call, shown: string, { result, tape, expected }: RecordedNow): void {
  const counts = { model: 0, embedding: 0, request: 0 }
  for (const { kind } of tape.entries) counts[kind] += 1
  const nodes = expected.vertices.length
  if (call.json) {
    const { status } = result
    call.print(JSON.stringify({ folder: shown, status, text: expected.text, ...counts, nodes }))
    return
  }
  if (expected.text !== null) call.print(expected.text)
  const parts = [
    plural(counts.model, 'model call'),
    ...(counts.embedding === 0 ? [] : [plural(counts.embedding, 'embedding')]),
    plural(counts.request, 'request'),
    plural(nodes, 'node'),
  ]
  call.summary(`recorded: ${result.status}, ${parts.join(', ')} -> ${shown}`)
}
