import { z } from 'zod'
import { createInflateBudget } from '../archive/inflate-budget.ts'
import { readZipEntries } from '../archive/read-zip.ts'
import { isFlowError } from '../errors.ts'
import type { FlowInput } from '../services/flow-input.ts'
import type { ProjectFile } from '../services/projects.ts'
import { invalid, refuse } from '../services/refusal.ts'
import {
  FlowCreate,
  flowFromWire,
  FlowListCreate,
  screenEndpointName,
  screenEndpointNames,
} from '../wire/flow.ts'
import { descriptionText, isObject, nameText, orNull } from '../wire/scalars.ts'
import { validationDetail } from './validation-detail.ts'

/**
 * The flows of an uploaded file: JSON, or a zip of JSON files (flows.md, Upload File).
 * @throws Refusal 400 for a file that is neither, 422 for bad fields
 */
export function readFlowFile(bytes: Uint8Array): FlowInput[] {
  if (!isZip(bytes)) return flowsFromFile(readJsonFile(bytes))
  return unpack(bytes).flatMap((entry) => flowsFromFile(readJsonFile(entry)))
}

/** Whether the bytes begin like a zip file. */
export function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4
}

/** @throws Refusal 400 */
export function readJsonFile(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw refuse(400, 'The file is not valid JSON')
  }
}

/** The JSON files of a zip, in its order; their paths are not used. */
function unpack(bytes: Uint8Array): Uint8Array[] {
  try {
    const entries = readZipEntries(bytes, {
      budget: createInflateBudget(bytes.length),
      wanted: (name) => name.toLowerCase().endsWith('.json'),
    })
    return entries.map((entry) => entry.bytes)
  } catch (error) {
    if (!isFlowError(error)) throw refuse(400, 'The zip cannot be read')
    throw refuse(400, error.detail, { cause: error })
  }
}

/** The flows of a JSON file: one flow, or an object with a list of them (flows.md, Upload File). */
export function flowsFromFile(content: unknown): FlowInput[] {
  if (!isObject(content)) throw refuse(400, 'The file must hold a flow or a list of flows')
  if (Object.hasOwn(content, 'flows')) {
    screenEndpointNames(content)
    return parseContent(FlowListCreate, content).flows.map(flowFromWire)
  }
  screenEndpointName(content)
  return [flowFromWire(parseContent(FlowCreate, content))]
}

const ProjectContent = z.object({
  folder_name: nameText(),
  folder_description: orNull(descriptionText()),
  flows: z.array(FlowCreate),
})

/**
 * A project's file: name, description and flows (projects.md).
 * @throws Refusal 400 for a file that is none, 422 for bad fields
 */
export function readProjectFile(bytes: Uint8Array): ProjectFile {
  const content = readJsonFile(bytes)
  const empty = isObject(content) ? Object.keys(content).length === 0 : isEmptyList(content)
  if (empty) throw refuse(400, 'No flows found in the file')
  if (!isObject(content)) throw refuse(400, 'The file must hold a project')
  if (!Object.hasOwn(content, 'flows')) throw refuse(400, 'No flows found in the data')
  screenEndpointNames(content)
  const {
    folder_name: name,
    folder_description: description,
    flows,
  } = parseContent(ProjectContent, content)
  return { name, description, flows: flows.map(flowFromWire) }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** @throws Refusal 422 with `loc` in the body */
export function parseContent<S extends z.ZodType>(schema: S, content: unknown): z.output<S> {
  const result = schema.safeParse(content)
  if (result.success) return result.data
  throw invalid(validationDetail(result.error.issues, 'body', content))
}
