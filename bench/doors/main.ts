import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAiModel } from '@x/flow-components'
import { createFlow } from '@x/flow-engine'
import { chatInput, chatOutput } from '@x/flow-engine/components'
import { PASSWORD, ask, signIn } from '../flow-http/service.ts'
import { load, type LoadRequest } from '../lib/load.ts'
import { interleave, ratio, type Candidate, type Measured } from '../lib/measure.ts'
import { report, type Figure } from '../lib/report.ts'
import { startShipped } from '../lib/shipped-server.ts'
import { DOORS, RUN } from './calls.ts'
import { startStreamingModel } from './model.ts'

// The server of `npm start` with default settings: what a turn through a door costs beside the run of the same
// flow that answers in the same way, one request after another.

const ROUNDS = Number(process.env['ROUNDS'] ?? 4)
const REQUESTS = Number(process.env['REQUESTS'] ?? 150)
const WORDS = 20

const folder = mkdtempSync(join(tmpdir(), 'bench-doors-'))
const words = await startStreamingModel()
const data = join(folder, 'data')
mkdirSync(data)
const server = await startShipped({
  folder: data,
  log: join(folder, 'server.log'),
  environment: { SERVICE_SUPERUSER_PASSWORD: PASSWORD, SERVICE_SSRF_ALLOW: '127.0.0.1' },
})
try {
  const { token, key } = await signIn(server.port)
  const saved = async (flow: object): Promise<string> =>
    (await ask<{ id: string }>(server.port, '/flows/', token, flow)).id
  const credential = { name: 'MODEL_KEY', value: 'sk-any', type: 'Credential', default_fields: [] }
  await ask(server.port, '/variables/', token, credential)
  const flows = { echo: await saved(echo()), stream: await saved(streaming(words.url)) }

  /** CPU microseconds of one request. */
  const cost =
    (request: () => LoadRequest): Candidate =>
    async () => {
      const withKey = (): LoadRequest => {
        const { headers, ...rest } = request()
        return { ...rest, headers: { ...headers, 'x-api-key': key } }
      }
      const options = { port: server.port, requests: REQUESTS, connections: 1, request: withKey }
      return (await server.cpuOf(() => load(options))) / REQUESTS
    }
  const figures: Figure[] = []
  for (const kind of ['echo', 'stream'] as const) {
    const call = { flowId: flows[kind], text: kind === 'echo' ? 'hello' : `Say ${WORDS} words` }
    const doors = DOORS.map(({ name, request }) => [name, cost(() => request(call))] as const)
    const measured = await interleave(
      { run: cost(() => RUN[kind](call)), ...Object.fromEntries(doors) },
      { rounds: ROUNDS },
    )
    figures.push(...DOORS.map((door) => against(measured, door.name, kind, door.limit[kind])))
  }
  report('doors', figures)
} finally {
  await server.stop()
  words.close()
  rmSync(folder, { recursive: true, force: true })
}

function against(
  measured: ReadonlyMap<string, Measured>,
  name: string,
  kind: 'echo' | 'stream',
  limit: number,
): Figure {
  const micros = (one: string): string => `${(measured.get(one)?.median ?? NaN).toFixed(0)} us`
  const flow = kind === 'echo' ? 'echo' : `${WORDS} words streamed`
  return {
    name: `${name} / run, ${flow}`,
    value: ratio(measured, name, 'run'),
    unit: 'x',
    limit,
    note: `${micros(name)}, run ${micros('run')}`,
  }
}

function echo(): object {
  const flow = createFlow('echo')
  flow.connect(flow.add(chatInput).outputs.message, flow.add(chatOutput).inputs.input_value)
  return JSON.parse(JSON.stringify(flow)) as object
}

function streaming(url: string): object {
  const flow = createFlow('streaming')
  const model = flow.add(openAiModel, {
    values: { openai_api_base: url, api_key: 'MODEL_KEY', stream: true },
  })
  flow
    .connect(flow.add(chatInput).outputs.message, model.inputs.input_value)
    .connect(model.outputs.text_output, flow.add(chatOutput).inputs.input_value)
  return JSON.parse(JSON.stringify(flow)) as object
}
