import type { Component } from '../../src/components/define/component.ts'
import type { ComponentServices } from '../../src/components/define/services.ts'
import { wholeAnswer } from '../../src/components/chat/model-answer.ts'
import { messageFromRecord } from '../../src/graph/messages/message-record.ts'
import type { ChatModel, Embedder, Tool } from '../../src/models/chat-model.ts'
import type { RunEvent } from '../../src/graph/events/run-event.ts'
import { testComponent, type TestComponentOptions } from '../../src/testing/test-component.ts'
import { comparableRequest, differences, sameText } from './golden-compare.ts'
import type { Expectation, GoldenCase } from './golden-case.ts'
import { caseServices } from './golden-services.ts'
import { updateDifferences } from './golden-update.ts'
import { decode, encode, type DecodeOptions } from './golden-values.ts'

type CaseServices = Awaited<ReturnType<typeof caseServices>>

interface Running {
  readonly component: Component
  readonly recorded: GoldenCase
  readonly decoding: DecodeOptions
  readonly world: CaseServices
  readonly events: RunEvent[]
}

/** Runs a recorded case; the differences that were found. */
export async function runGoldenCase(
  component: Component,
  given: GoldenCase,
  components: ReadonlyMap<string, Component>,
): Promise<string[]> {
  const dir = given.flow_id ?? 'flow-of-the-case'
  const recorded = { ...given, expect: withDir(given.expect, dir) as Expectation }
  const world = await caseServices(recorded, dir)
  await addKnowledge(recorded, world, components, dir)
  const { services, addMcpServer } = world
  const decoding = { dir, components, services, addMcpServer }
  const running = { component, recorded, decoding, world, events: [] }
  const skipped = world.network.sent.length
  const found = await outcomeDifferences(running)
  return [...found, ...(await effectDifferences(running, skipped))]
}

async function outcomeDifferences(running: Running): Promise<string[]> {
  const { recorded, component, decoding, world } = running
  if (recorded.steps !== undefined) return stepDifferences(running)
  if (recorded.update !== undefined) {
    const inputs = (await decode(recorded.inputs ?? {}, decoding)) as Record<string, unknown>
    return updateDifferences(component, recorded, inputs, world.services)
  }
  const { expect } = recorded
  let value: unknown
  try {
    value = await outcome(running)
  } catch (error) {
    return errorDifferences(error, expect.error)
  }
  if (expect.error?.any === true && typeof value === 'string') return []
  if (expect.error !== undefined) return [`no error, but ${JSON.stringify(encode(value))}`]
  return valueDifferences(value, running)
}

function valueDifferences(value: unknown, { recorded }: Running): string[] {
  const { match, subset = false, call } = recorded
  const wanted = recorded.expect.value ?? null
  let actual = encode(value)
  if (subset) actual = onlyColumns(actual, wanted)
  if (call !== undefined) actual = withoutNulls(actual)
  const found = differences(anyArchiveSize(anyArgument(actual, wanted), wanted), wanted, {
    path: 'value',
    ...(match === undefined ? {} : { match }),
  })
  return bothEmptyFrames(actual, wanted) ? [] : found
}

async function outcome(running: Running): Promise<unknown> {
  const { recorded } = running
  const output = recorded.call === undefined ? recorded.output : 'component_as_tool'
  const { value } = await build(running, {
    inputs: recorded.inputs ?? {},
    ...(output === undefined ? {} : { output }),
  })
  const { signal } = new AbortController()
  if (recorded.call !== undefined) {
    const tool = (value as Tool[]).find(({ name }) => name === recorded.call?.tool)
    if (tool === undefined) throw new Error(`no tool ${recorded.call.tool}`)
    return tool.call(recorded.call.args, { signal })
  }
  if (recorded.embed?.query !== undefined) {
    return { query: (await (value as Embedder).embed([recorded.embed.query]))[0] }
  }
  if (recorded.embed?.documents !== undefined) {
    return { documents: await (value as Embedder).embed(recorded.embed.documents) }
  }
  if (recorded.invoke !== undefined) {
    const messages = [{ role: 'user' as const, content: recorded.invoke }]
    const answer = await wholeAnswer((value as ChatModel).stream({ messages, signal }))
    return { content: answer.text, tool_calls: answer.toolCalls }
  }
  return value
}

async function build(
  { component, recorded, decoding, world, events }: Running,
  options: TestComponentOptions,
) {
  const inputs = (await decode(options.inputs, decoding)) as Record<string, unknown>
  return testComponent(component, {
    ...options,
    inputs,
    services: world.services,
    sessionId: recorded.session_id ?? '',
    flowId: decoding.dir,
    onEvent: (event) => events.push(event),
    ...(recorded.id === undefined ? {} : { vertexId: recorded.id }),
    ...(recorded.expect.events === undefined ? {} : { chatOutput: true }),
  })
}

async function stepDifferences(running: Running): Promise<string[]> {
  const { recorded } = running
  const state = new Map<string, unknown>()
  const found: string[] = []
  const from = recorded.feedback_from
  const sources =
    from === undefined
      ? {}
      : {
          item: [{ vertexId: from, type: from.split('-')[0] ?? '', displayName: from, output: '' }],
        }
  for (const [index, step] of (recorded.steps ?? []).entries()) {
    const wanted = recorded.expect.steps?.[index]
    const options = { inputs: step.inputs, state, build: index + 1, sources }
    try {
      const result = await build(running, {
        ...options,
        ...(step.outputs === undefined ? {} : { output: step.outputs }),
      })
      const stopped = new Set(
        result.branches.filter(([what]) => what === 'stop').map(([, name]) => name),
      )
      const path = `steps.${index}`
      for (const [name, value] of Object.entries(wanted?.outputs ?? {})) {
        if (stopped.has(name) && (result.outputs[name] ?? null) === null) continue
        const actual = encode(result.outputs[name])
        if (bothEmptyFrames(actual, value)) continue
        found.push(...differences(actual, value, { path: `${path}.${name}` }))
      }
      if (wanted?.branches !== undefined) {
        found.push(...differences(result.branches, wanted.branches, { path: `${path}.branches` }))
      }
      if (wanted?.error !== undefined) found.push(`${path}: no error`)
    } catch (error) {
      found.push(...errorDifferences(error, wanted?.error))
    }
  }
  return found
}

async function effectDifferences(running: Running, skipped: number): Promise<string[]> {
  const { recorded, world, decoding, component } = running
  const { requests, stored, files, events } = recorded.expect
  const found: string[] = []
  if (requests !== undefined) {
    const strict = component.type === 'APIRequest'
    const comparable = (list: readonly object[]) => {
      const shown = list.map((each) => comparableRequest(each as Record<string, unknown>, strict))
      return recorded.sort_requests === true
        ? shown.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        : shown
    }
    const sent = comparable(world.network.sent.slice(skipped))
    found.push(...differences(sent, comparable(requests), { path: 'requests' }))
  }
  if (stored !== undefined) {
    const rows = (await world.stored()).map((row) => encode(messageFromRecord(row)))
    found.push(...differences(rows, stored, { path: 'stored' }))
  }
  if (files !== undefined) {
    const written = Object.fromEntries(
      world
        .written()
        .map(([path, data]) => [
          path.replace(`${decoding.dir}/`, ''),
          new TextDecoder().decode(data),
        ]),
    )
    found.push(...differences(written, files, { path: 'files' }))
  }
  if (events !== undefined) {
    found.push(...differences(running.events.map(shownEvent), events, { path: 'events' }))
  }
  return found
}

function shownEvent({ event, data }: RunEvent): object {
  if (event === 'token') return { event, chunk: data.chunk }
  if (event !== 'add_message') return { event }
  const { state } = data.properties as { state?: string }
  return { event, text: data.text, state }
}

function errorDifferences(error: unknown, wanted: Expectation['error']): string[] {
  const text = error instanceof Error ? error.message : String(error)
  if (wanted === undefined) {
    return [`unexpected error: ${error instanceof Error ? error.stack : text}`]
  }
  if (wanted.any === true) return text === '' ? ['an error without a text'] : []
  if (wanted.prefix !== undefined) {
    return text.startsWith(wanted.prefix) ? [] : [`error: ${text}, recorded ${wanted.prefix}...`]
  }
  return sameText(text, wanted.message ?? '') ? [] : [`error: ${text}, recorded ${wanted.message}`]
}

function withDir(value: unknown, dir: string): unknown {
  return value === undefined
    ? null
    : (JSON.parse(JSON.stringify(value).replaceAll('{dir}', dir)) as unknown)
}

interface Frame {
  readonly $type: 'DataFrame'
  readonly columns: readonly string[]
  readonly rows: readonly Record<string, unknown>[]
}

function isFrame(value: unknown): value is Frame {
  return typeof value === 'object' && value !== null && Reflect.get(value, '$type') === 'DataFrame'
}

function bothEmptyFrames(actual: unknown, wanted: unknown): boolean {
  return (
    isFrame(actual) &&
    isFrame(wanted) &&
    actual.rows.length === 0 &&
    wanted.rows.length === 0 &&
    wanted.columns.length === 0
  )
}

function onlyColumns(actual: unknown, wanted: unknown): unknown {
  if (!isFrame(actual) || !isFrame(wanted)) return actual
  const columns = wanted.columns.filter((name) => actual.columns.includes(name))
  const rows = actual.rows.map((row) =>
    Object.fromEntries(columns.map((name) => [name, row[name] ?? null])),
  )
  return { ...actual, columns, rows }
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
}

/** A recorded tool argument `{}` is any schema. */
function anyArgument(actual: unknown, wanted: unknown): unknown {
  if (Array.isArray(actual) && Array.isArray(wanted)) {
    return actual.map((item, index) => anyArgument(item, wanted[index]))
  }
  const tool = actual as { $type?: string; args?: Record<string, unknown> } | null
  const recorded = wanted as { args?: Record<string, object> } | null
  if (tool?.$type !== 'Tool' || recorded?.args === undefined) return actual
  const args = Object.entries(tool.args ?? {}).map(([name, schema]) => {
    const open = Object.keys(recorded.args?.[name] ?? { closed: true }).length === 0
    return [name, open ? {} : withoutLongEnum(schema)]
  })
  return { ...tool, args: Object.fromEntries(args) }
}

/** Very long lists of choices are left out of the recording. */
function withoutLongEnum(schema: unknown): unknown {
  const { enum: choices, ...rest } = schema as { enum?: unknown[] }
  return choices === undefined || choices.length <= 50 ? schema : rest
}

/** Size and type of a file out of an archive are not compared; the recording has size 0 there. */
function anyArchiveSize(actual: unknown, wanted: unknown): unknown {
  const recorded = (wanted as { extra?: Record<string, unknown> } | null)?.extra
  if (recorded?.file_size !== 0) return actual
  const message = actual as { extra?: Record<string, unknown> }
  return {
    ...message,
    extra: { ...message.extra, file_size: 0, mimetype: recorded.mimetype },
  }
}

interface MemoryEntry {
  createMemoryServices(init: {
    knowledge: Record<string, { model: string; apiKey?: string }>
  }): ComponentServices
}

async function addKnowledge(
  { kb }: GoldenCase,
  world: CaseServices,
  components: ReadonlyMap<string, Component>,
  dir: string,
): Promise<void> {
  if (kb === undefined) return
  const { createMemoryServices } = (await import('@x/flow-engine/memory')) as unknown as MemoryEntry
  const base = { model: 'text-embedding-3-small', apiKey: 'sk-test' }
  const { knowledge } = createMemoryServices({
    knowledge: Object.fromEntries(kb.bases.map((name) => [name, base])),
  })
  if (knowledge !== undefined) world.services.knowledge = knowledge
  const ingestion = components.get('KnowledgeIngestion')
  if (ingestion === undefined) throw new Error('KnowledgeIngestion is missing')
  const { services, addMcpServer } = world
  for (const raw of kb.ingest ?? []) {
    const decoding = { dir, components, services, addMcpServer }
    const inputs = (await decode(raw, decoding)) as Record<string, unknown>
    await testComponent(ingestion, { inputs, services, flowId: dir })
  }
}
