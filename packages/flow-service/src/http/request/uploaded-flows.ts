import { z } from 'zod'
import { eventLoopTurn, isObject } from '@x/wire'
import { jsonProblem } from '@x/wire'
import { createInflateBudget } from '@x/flow-components/internal'
import { readZipEntries } from '@x/flow-components/internal'
import { isFlowError } from '@x/flow-engine'
import type { FlowInput } from '../../services/flows/flow-input.ts'
import type { ProjectFile } from '../../services/flows/projects.ts'
import { refuse } from '@x/flow-engine/internal'
import {
  FlowCreate,
  flowFromWire,
  FlowListCreate,
  screenEndpointName,
  screenEndpointNames,
} from '../../wire/flow.ts'
import { descriptionText, nameText, orNull } from '../../wire/scalars.ts'
import { parseBody } from './parse.ts'

/** Maximum bytes of a flow file, packed and unpacked: it is held in memory completely, like JSON bodies. */
export const FLOW_FILE_BYTES = 32 * 1024 * 1024

/**
 * The flows of an uploaded file: JSON, or a zip of JSON files (flows.md, Upload File).
 * @throws Refusal 400 for another format, 422 for invalid fields
 */
export async function readFlowFile(bytes: Uint8Array): Promise<FlowInput[]> {
  const flows: FlowInput[] = []
  const files = isZip(bytes) ? await unpack(bytes) : [bytes]
  for (const value of await readJsonFiles(files)) {
    // A loop, because lists can exceed the maximum number of arguments.
    for (const flow of flowsFromFile(value)) flows.push(flow)
    await eventLoopTurn()
  }
  return flows
}

/** True if the bytes start like a zip file. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/**
 * Parses JSON files; rejected if they are too complex in total (AB-52).
 * @throws Refusal 400
 */
async function readJsonFiles(files: readonly Uint8Array[]): Promise<unknown[]> {
  const texts = files.map(decode)
  await eventLoopTurn()
  const problem = jsonProblem(texts.join(','))
  if (problem !== null) throw refuse(400, `The file is not valid JSON: ${problem}`)
  const values: unknown[] = []
  for (const text of texts) {
    await eventLoopTurn()
    values.push(parse(text))
    await eventLoopTurn()
  }
  return values
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw refuse(400, 'The file is not valid JSON')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refuse(400, 'The file is not valid JSON')
  }
}

/** The JSON files of a zip, in order; their paths are ignored. */
async function unpack(bytes: Uint8Array): Promise<Uint8Array[]> {
  try {
    const entries = await readZipEntries(bytes, {
      budget: createInflateBudget(bytes.length, FLOW_FILE_BYTES),
      wanted: (name) => name.toLowerCase().endsWith('.json'),
    })
    return entries.map((entry) => entry.bytes)
  } catch (error) {
    if (!isFlowError(error)) throw refuse(400, 'The zip cannot be read')
    throw refuse(400, error.detail, { cause: error })
  }
}

/** The flows of a JSON file: one flow, or an object with a list of flows (flows.md, Upload File). */
export function flowsFromFile(content: unknown): FlowInput[] {
  if (!isObject(content)) throw refuse(400, 'The file must contain a flow or a list of flows')
  if (Object.hasOwn(content, 'flows')) {
    screenEndpointNames(content)
    return parseBody(FlowListCreate, content).flows.map(flowFromWire)
  }
  screenEndpointName(content)
  return [flowFromWire(parseBody(FlowCreate, content))]
}

const ProjectContent = z.object({
  folder_name: nameText(),
  folder_description: orNull(descriptionText()),
  flows: z.array(FlowCreate),
})

/**
 * Parses a project's file: name, description and flows (projects.md).
 * @throws Refusal 400 if it is not a project, 422 for invalid fields
 */
export async function readProjectFile(bytes: Uint8Array): Promise<ProjectFile> {
  const [content] = await readJsonFiles([bytes])
  const empty = isObject(content) ? Object.keys(content).length === 0 : isEmptyList(content)
  if (empty) throw refuse(400, 'No flows found in the file')
  if (!isObject(content)) throw refuse(400, 'The file must contain a project')
  if (!Object.hasOwn(content, 'flows')) throw refuse(400, 'No flows found in the data')
  screenEndpointNames(content)
  const {
    folder_name: name,
    folder_description: description,
    flows,
  } = parseBody(ProjectContent, content)
  return { name, description, flows: flows.map(flowFromWire) }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
