import { z } from 'zod'
import { append, compareText, eventLoopTurn, isObject, jsonProblem } from '@x/wire'
import { createInflateBudget } from '@x/flow-components/internal'
import { readZipEntries } from '@x/flow-components/internal'
import { isFlowError } from '@x/flow-engine'
import type { FlowInput } from '../../services/flows/flow-input.ts'
import type { ProjectFile } from '../../services/flows/projects.ts'
import { Refusal, refuse } from '../../refusal.ts'
import {
  FlowCreate,
  flowFromWire,
  FlowListCreate,
  screenEndpointName,
  screenEndpointNames,
} from '../../wire/flow.ts'
import { descriptionText, nameText, orNull } from '../../wire/scalars.ts'
import { parseBody } from './parse.ts'

/** Maximum bytes of a flow file as it is sent: it is held in memory completely, like JSON bodies. */
export const FLOW_FILE_BYTES = 32 * 1024 * 1024

/** Maximum number of flows in one file. */
const MAX_FLOWS = 1000

/** A JSON file, with its name if it comes from a zip. */
interface JsonFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * The flows of an uploaded file: JSON of one flow or several, or a zip of such files.
 * @throws Refusal 400 for another format, 422 for invalid fields
 */
export async function readFlowFile(bytes: Uint8Array): Promise<FlowInput[]> {
  if (isZip(bytes)) return readFlowZip(bytes)
  const flows: FlowInput[] = []
  for (const value of await readJsonFiles([{ name: '', bytes }])) {
    if (isEmptyList(value)) throw refuse(400, 'No flows found in the file')
    addFlows(flows, flowsFromFile(value))
  }
  return flows
}

async function readFlowZip(bytes: Uint8Array): Promise<FlowInput[]> {
  const files = await unpack(bytes)
  const values = await readJsonFiles(files)
  const flows: FlowInput[] = []
  for (const [index, value] of values.entries()) {
    addFlows(flows, flowsInZip(files[index]?.name ?? '', value))
    await eventLoopTurn()
  }
  if (flows.length === 0) throw refuse(400, 'The file holds no flow')
  return flows
}

/** @throws Refusal 400 that names the file */
function flowsInZip(name: string, value: unknown): FlowInput[] {
  try {
    return flowsFromFile(value)
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause
    throw refuse(400, `The file ${shortName(name)} of the zip holds no valid flow`, { cause })
  }
}

function addFlows(flows: FlowInput[], more: readonly FlowInput[]): void {
  if (flows.length + more.length > MAX_FLOWS) {
    throw refuse(400, `The file holds more than ${MAX_FLOWS} flows`)
  }
  append(flows, more)
}

const shortName = (name: string): string => name.slice(0, 200)

/** True if the bytes start like a zip file, which may be empty. */
export function isZip(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return false
  return (bytes[2] === 3 && bytes[3] === 4) || (bytes[2] === 5 && bytes[3] === 6)
}

/**
 * Parses JSON files; rejected if they are too complex in total.
 * @throws Refusal 400
 */
async function readJsonFiles(files: readonly JsonFile[]): Promise<unknown[]> {
  const texts = files.map(decode)
  await eventLoopTurn()
  const problem = jsonProblem(texts.join(','))
  if (problem !== null) throw refuse(400, `The file is not valid JSON: ${problem}`)
  const values: unknown[] = []
  for (const [index, text] of texts.entries()) {
    await eventLoopTurn()
    values.push(parse(text, files[index]?.name ?? ''))
    await eventLoopTurn()
  }
  return values
}

function decode({ name, bytes }: JsonFile): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw notJson(name)
  }
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notJson(name)
  }
}

function notJson(name: string): Refusal {
  const file = name === '' ? 'The file' : `The file ${shortName(name)} of the zip`
  return refuse(400, `${file} is not valid JSON`)
}

/** Files that macOS adds to a zip. */
const MAC_FILE = /(?:^|\/)(?:__MACOSX\/|\._)/

/** The JSON files of a zip, in the order of their names; folders are allowed. */
async function unpack(bytes: Uint8Array): Promise<JsonFile[]> {
  try {
    const entries = await readZipEntries(bytes, {
      budget: createInflateBudget(bytes.length),
      wanted: (name) => name.toLowerCase().endsWith('.json') && !MAC_FILE.test(name),
    })
    return entries.toSorted((a, b) => compareText(a.name, b.name))
  } catch (error) {
    if (!isFlowError(error)) throw refuse(400, 'The zip cannot be read')
    throw refuse(400, error.detail, { cause: error })
  }
}

/** The flows of a JSON file: one flow, a list, or an object with a list. */
export function flowsFromFile(given: unknown): FlowInput[] {
  const content: unknown = Array.isArray(given) ? { flows: listedFlows(given) } : given
  if (!isObject(content)) throw refuse(400, 'The file must contain a flow or a list of flows')
  if (Object.hasOwn(content, 'flows')) {
    screenEndpointNames(content)
    return parseBody(FlowListCreate, content).flows.map(flowFromWire)
  }
  screenEndpointName(content)
  return [flowFromWire(parseBody(FlowCreate, content))]
}

/** @throws Refusal 400 if an element is no flow: names alone are not worth an import */
function listedFlows(given: readonly unknown[]): readonly unknown[] {
  const odd = given.findIndex((each) => !isObject(each) || !isObject(each['data']))
  if (odd === -1) return given
  throw refuse(
    400,
    `Element ${odd + 1} of the list is no flow: it has no data with nodes and edges`,
  )
}

const ProjectContent = z.object({
  folder_name: nameText(),
  folder_description: orNull(descriptionText()),
  flows: z.array(FlowCreate),
})

/**
 * Parses a project's file: name, description and flows. A list of flows and a zip are named
 * after the file.
 * @throws Refusal 400 if it is not a project, 422 for invalid fields
 */
export async function readProjectFile(bytes: Uint8Array, filename: string): Promise<ProjectFile> {
  const named = { name: projectName(filename), description: null }
  if (isZip(bytes)) return { ...named, flows: await readFlowZip(bytes) }
  const [content] = await readJsonFiles([{ name: '', bytes }])
  const empty = isObject(content) ? Object.keys(content).length === 0 : isEmptyList(content)
  if (empty) throw refuse(400, 'No flows found in the file')
  if (Array.isArray(content)) {
    const flows: FlowInput[] = []
    addFlows(flows, flowsFromFile(content))
    return { ...named, flows }
  }
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

/** A project's name in the name of its download, or the file name without its ending. */
function projectName(filename: string): string {
  const stem = filename.replace(/^.*[/\\]/, '').replace(/\.[^.]*$/, '')
  const name = /^\d{8}_\d{6}_(.+)_flows$/.exec(stem)?.[1] ?? stem
  return name.trim() === '' ? 'Imported flows' : name.slice(0, 200)
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
