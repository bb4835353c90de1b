import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import {
  checkFlow,
  createRegistry,
  formatRunResponse,
  isMessage,
  runFlow,
  type FlowJson,
  type MessageService,
} from '@x/flow-engine'
import { createRunMessages } from '@x/flow-engine/internal'
import { collectEvents } from '@x/flow-engine/testing'
import {
  flowNames,
  hasGolden,
  readFlow,
  skipNote,
  startLlm,
  starterRuns,
  type FakeLlm,
  type StarterRun,
} from '../../../flow-engine/test/flows/golden.ts'

const components = createRegistry(builtinComponents)
const BROKEN = new Set(['unfit-types'])
/** Runs without its edge to nowhere; a build names the missing vertex, as the reference does. */
const NOT_BUILT = new Set(['broken-edge'])
const FAILING = new Set(['failing', 'lone-output', 'missing-required', 'webhook-failing'])

let llm: FakeLlm
beforeAll(async () => {
  if (hasGolden) llm = await startLlm()
})
afterAll(async () => {
  await llm?.close()
})

describe.skipIf(!hasGolden)(`recorded flows${skipNote}`, () => {
  test.each(flowNames())('FE-1, FE-8: %s compiles, or its problems are named', (name) => {
    const problems = checkFlow(readFlow(name), { components })
    expect(problems.some((found) => found.severity === 'error')).toBe(BROKEN.has(name))
  })

  test.each(flowNames().filter((name) => !BROKEN.has(name) && !NOT_BUILT.has(name)))(
    'FE-45: %s runs completely, with and without streaming, in both modes',
    async (name) => {
      for (const mode of ['run', 'build'] as const) {
        for (const stream of [false, true]) {
          const options = { components, mode, stream, input: 'a,b', allowPrivate: true }
          const run = runFlow(readFlow(name, llm.url), options)
          const events = await collectEvents(run)
          const result = await run.result
          expect(result.status).toBe(FAILING.has(name) ? 'failed' : 'succeeded')
          expect(events[0]?.event).toBe('vertices_sorted')
          expect(events.at(-1)).toMatchObject({ event: 'end', data: {} })
          expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index))
          expect(() => JSON.stringify(events)).not.toThrow()
          expect(formatRunResponse(result).session_id).toBe(result.flowId)
        }
      }
    },
  )
})

/** The keys of a recorded answer that belong to the engine. */
function answerOf(result: Awaited<ReturnType<typeof runFlow>['result']>) {
  return result.outputs.map((vertex) => {
    const message = vertex.outputs.message
    if (!isMessage(message)) return { component_id: vertex.id }
    return {
      component_id: vertex.id,
      component_display_name: vertex.displayName,
      text: message.text,
      sender: message.sender,
      sender_name: message.senderName,
      session_id: message.sessionId,
      source: message.properties.source,
    }
  })
}

describe.skipIf(!hasGolden)(`recorded runs of starter flows${skipNote}`, () => {
  const runs = starterRuns()
  const flows = [...new Set(runs.map((run) => run.flow))]

  async function replay(entry: StarterRun, stream: boolean, messages: MessageService) {
    const { request } = entry
    const put = <T>(value: T): T =>
      JSON.parse(JSON.stringify(value).replaceAll('{llm}', llm.url)) as T
    llm.requests.length = 0
    const run = runFlow(readFlow(`starter/${entry.flow}`), {
      components,
      flowId: 'the-flow',
      input: { value: request.input_value, type: request.input_type },
      outputType: request.output_type,
      sessionId: request.session_id,
      tweaks: put(request.tweaks ?? {}),
      stream,
      variables: { OPENAI_API_KEY: 'sk-test' },
      services: { messages, environment: { OPENAI_BASE_URL: llm.url } },
      allowPrivate: true,
    })
    const result = await run.result
    const asked = llm.requests.map(({ body }) => body)
    return { result, asked, put }
  }

  test.each(flows)(
    'FE-45, FE-22: %s answers as recorded, with and without streaming',
    async (flow) => {
      for (const stream of [false, true]) {
        const messages = createRunMessages()
        for (const entry of runs.filter((run) => run.flow === flow)) {
          const { result, asked, put } = await replay(entry, stream, messages)
          expect(result.status).toBe(entry.status === 200 ? 'succeeded' : 'failed')
          if (entry.status !== 200) continue
          const expected = put(entry.outputs ?? []).map(
            (output) =>
              JSON.parse(JSON.stringify(output).replaceAll('{flow_id}', 'the-flow')) as object,
          )
          expect(answerOf(result)).toMatchObject(expected)
          expect(asked.map((body) => body.model)).toEqual(
            (entry.model_requests ?? []).map((request) => request.model),
          )
        }
      }
    },
  )

  test('FE-8: a starter flow with unknown components names them all before any vertex runs', () => {
    const flow = readFlow('starter/Basic Prompting') as FlowJson
    for (const node of flow.data?.nodes ?? []) {
      if (node.type === 'genericNode') node.data.type = `My${node.data.type}`
      if (node.data.node?.metadata !== undefined) node.data.node.metadata = {}
    }
    const problems = checkFlow(flow, { components })
    expect(problems[0]?.message).toMatch(
      /^Unknown component types: My\w+ \([\w-]+(: Python [^)]+)?\)(, My\w+ \([\w-]+(: Python [^)]+)?\))+$/,
    )
  })
})
