import { isObject } from '@x/wire'
import { join } from 'node:path'
import { UsageError } from '../command/command.ts'
import { parseJson, readFlow } from '../command/flow-files.ts'
import { readText } from '../command/write-files.ts'
import { isRecordedAnswer } from './answers.ts'
import type { ExpectedResult, RecordedRun, RecordedTape, Recording } from './recording.ts'

/**
 * Reads the folder of a recording.
 * @param shown the folder as the user names it
 * @throws UsageError naming file and field
 */
export async function readRecording(
  folder: string,
  shown: string,
): Promise<Recording & { readonly flow: unknown }> {
  const run = (await readPart(folder, shown, 'run.json', [
    'flow',
    'sessionId',
    'startedAt',
  ])) as RecordedRun
  if (run.variables !== undefined && !Array.isArray(run.variables))
    throw new UsageError(`${shown}/run.json: variables must be a list`)
  const { answers = [] } = run
  const strange = Array.isArray(answers)
    ? answers.findIndex((one: unknown) => !isRecordedAnswer(one))
    : 0
  if (strange !== -1) throw new UsageError(`${shown}/run.json: answers[${strange}] is no answer`)
  if (Number.isNaN(Date.parse(run.startedAt)))
    throw new UsageError(`${shown}/run.json: startedAt must be a time`)
  const tape = (await readPart(folder, shown, 'cassette.json', [], ['entries'])) as RecordedTape
  const broken = tape.entries.findIndex(
    (entry: unknown) => !isObject(entry) || typeof entry['kind'] !== 'string',
  )
  if (broken !== -1) throw new UsageError(`${shown}/cassette.json: entries[${broken}] is no entry`)
  const expected = (await readPart(
    folder,
    shown,
    'expected.json',
    ['status'],
    ['vertices'],
  )) as ExpectedResult
  const wrong = expected.vertices.findIndex(
    (one: unknown) => !isObject(one) || typeof one['id'] !== 'string' || !isObject(one['outputs']),
  )
  if (wrong !== -1) throw new UsageError(`${shown}/expected.json: vertices[${wrong}] is no vertex`)
  const file = await readFlow(folder, run.flow)
  return { run: { ...run, variables: run.variables ?? [] }, tape, expected, flow: file?.flow }
}

async function readPart(
  folder: string,
  shown: string,
  name: string,
  texts: readonly string[],
  lists: readonly string[] = [],
): Promise<unknown> {
  const path = `${shown}/${name}`
  const text = await readText(join(folder, name))
  if (text === undefined) throw new UsageError(`${path} does not exist`)
  const json = parseJson(path, text)
  if (!isObject(json)) throw new UsageError(`${path} is not an object`)
  const { version } = json
  if (typeof version === 'number' && version > 1)
    throw new UsageError(`${path} was written by a newer x-flow`)
  if (version !== 1) throw new UsageError(`${path}: version must be 1`)
  for (const field of texts)
    if (typeof json[field] !== 'string') throw new UsageError(`${path}: ${field} must be a text`)
  for (const field of lists)
    if (!Array.isArray(json[field])) throw new UsageError(`${path}: ${field} must be a list`)
  return json
}
