import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FlowJson } from '@x/flow-engine'
import { createFlow } from '@x/flow-engine'
import { apiRequest } from '@x/flow-components'
import { chatOutput } from '@x/flow-engine/components'
import { createScriptedModel } from '@x/flow-engine/testing'
import { describe, expect, test } from 'vitest'
import { RecordingMismatch, replayRun } from '../src/testing.ts'
import { recordRun } from '../src/recording/record-run.ts'
import { secretFields } from '../src/code/secret-values.ts'
import { changed } from './change-flow.ts'
import { inFolder, runCli } from './run-cli.ts'

const LLM = 'LanguageModelComponent-llm'
const CONFIG = `
const answer = { text: 'It arrives tomorrow.' }
const model = {
  async *stream({ messages }) {
    yield answer
    yield { finish: 'stop', usage: { inputTokens: 1, outputTokens: 2 } }
  },
}
export default { services: { models: { chatModel: () => model, embedder: () => ({ embed: async () => [] }) } } }
`

/** A folder with a recorded run of the support flow. */
async function recorded<T>(use: (folder: string) => Promise<T>): Promise<T> {
  return inFolder(async (cwd) => {
    await writeFile(join(cwd, 'x-flow.config.mjs'), CONFIG)
    await save(cwd, changed({ 'Prompt-main.tone': 'calm' }))
    const words = ['record', 'support.json', '--out', 'tests/late', '--input', 'Where is it?']
    const { code, out, err } = await runCli(words, { cwd, env: { OPENAI_API_KEY: 'sk-not-told' } })
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(
      'It arrives tomorrow.\nrecorded: succeeded, 1 model call, 0 requests, 4 nodes -> tests/late\n',
    )
    return use(cwd)
  })
}

const save = (cwd: string, flow: FlowJson): Promise<void> =>
  writeFile(join(cwd, 'support.json'), JSON.stringify(flow))
const read = (cwd: string, name: string): Promise<string> =>
  readFile(join(cwd, 'tests/late', name), 'utf8')

describe('recorded runs', () => {
  test('FC-50 FC-52 FC-59 a run becomes a folder with a tape, its vertices and a test', async () => {
    await recorded(async (cwd) => {
      expect(JSON.parse(await read(cwd, 'run.json'))).toMatchObject({
        version: 1,
        flow: '../../support.json',
        input: 'Where is it?',
        sessionId: 'recorded',
      })
      const tape = JSON.parse(await read(cwd, 'cassette.json')) as { entries: object[] }
      expect(tape.entries).toMatchObject([
        {
          kind: 'model',
          vertexId: LLM,
          answer: [{ text: 'It arrives tomorrow.' }, { finish: 'stop' }],
        },
      ])
      const expected = JSON.parse(await read(cwd, 'expected.json')) as {
        vertices: { id: string }[]
      }
      expect(expected.vertices.map(({ id }) => id)).toEqual([
        'ChatInput-in',
        'Prompt-main',
        LLM,
        'ChatOutput-out',
      ])
      expect((await read(cwd, 'run.test.ts')).split('\n').length).toBeLessThanOrEqual(8)
      const again = await runCli(['record', 'support.json', '--out', 'tests/late'], { cwd })
      expect([again.code, again.err]).toEqual([
        1,
        'x-flow record: tests/late has a recording. Use --force to replace it\n',
      ])
    })
  })

  test('FC-53 FC-56 replays offline, with the same clock and ids each time', async () => {
    await recorded(async (cwd) => {
      const { code, out } = await runCli(['test'], { cwd })
      expect([code, out]).toEqual([0, 'ok tests/late\ntest: 1 passed, 0 failed\n'])
      const [one, other] = [
        await replayRun(join(cwd, 'tests/late')),
        await replayRun(join(cwd, 'tests/late')),
      ]
      expect(one.messages).toEqual(other.messages)
      expect(one.text()).toBe('It arrives tomorrow.')
    })
  })

  test('FC-54 FC-55 names the first vertex that differs, then accepts it unless a request is missing', async () => {
    await recorded(async (cwd) => {
      await save(cwd, changed({ 'Prompt-main.tone': 'curt' }))
      const { code, out } = await runCli(['test', 'tests'], { cwd })
      expect(code).toBe(1)
      expect(out).toContain(
        'not ok tests/late\ntests/late: Prompt Template (Prompt-main) differs, output prompt\n- Tone: calm\n+ Tone: curt\nAccept it: x-flow test --update tests/late\n',
      )
      expect((await runCli(['test', '--update'], { cwd })).code).toBe(1)
      await expect(replayRun(join(cwd, 'tests/late'))).rejects.toMatchObject({
        kind: 'value',
        vertexId: 'Prompt-main',
        output: 'prompt',
      })
    })
  })

  test('FC-55 names a request that is not recorded, and sends nothing', async () => {
    await recorded(async (cwd) => {
      await save(
        cwd,
        changed({ 'Prompt-main.tone': 'calm', [`${LLM}.system_message`]: 'Answer in French.' }),
      )
      const { out } = await runCli(['test'], { cwd })
      expect(out).toContain(
        `tests/late: Language Model (${LLM}) sent a model request that is not recorded\n+ system: Answer in French.\nNothing was sent. Record it again: x-flow record --again tests/late\n`,
      )
      const again = await runCli(['record', '--again', 'tests/late'], { cwd })
      expect(again.code).toBe(0)
      expect((await runCli(['test'], { cwd })).code).toBe(0)
    })
  })

  test('FC-56 --update accepts what needs no new request; in CI it is refused', async () => {
    await recorded(async (cwd) => {
      await save(cwd, changed({ 'Prompt-main.tone': 'calm', 'ChatOutput-out.sender_name': 'Bot' }))
      const refused = await runCli(['test', '--update'], { cwd, env: { CI: 'true' } })
      expect(refused.code).toBe(2)
      expect((await runCli(['test', '--update'], { cwd })).code).toBe(0)
      expect((await runCli(['test'], { cwd })).code).toBe(0)
      const { out } = await runCli(['test', '--json', '--junit', 'out.xml'], { cwd })
      expect(JSON.parse(out)).toMatchObject({ passed: 1, failed: 0 })
      expect(await readFile(join(cwd, 'out.xml'), 'utf8')).toContain('tests="1" failures="0"')
    })
  })

  test('FC-117 broken and newer files are told with their field', async () => {
    await recorded(async (cwd) => {
      await writeFile(join(cwd, 'tests/late/expected.json'), '{"version":2}')
      expect(await runCli(['test'], { cwd })).toMatchObject({
        code: 2,
        err: 'x-flow test: tests/late/expected.json was written by a newer x-flow\n',
      })
      await writeFile(join(cwd, 'tests/late/expected.json'), '{"version":1,"status":"succeeded"}')
      expect((await runCli(['test'], { cwd })).err).toContain(
        'tests/late/expected.json: vertices must be a list',
      )
    })
  })

  test('FC-50 a run whose budget is used up is recorded too', async () => {
    await recorded(async (cwd) => {
      const words = [
        'record',
        'support.json',
        '--out',
        'tests/small',
        '--budget',
        'calls=1,tokens=9',
      ]
      const { code, out } = await runCli(words, { cwd, env: { OPENAI_API_KEY: 'sk-not-told' } })
      expect([code, out]).toEqual([0, expect.stringContaining('recorded: failed, 0 model calls')])
      const wrong = await runCli([...words, '--force', '--budget', 'lots'], { cwd })
      expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('"--budget" must be')])
    })
  })

  test('FC-57 values of secrets and tokens are in no file', async () => {
    const key = 'hush-4711-hush'
    const model = createScriptedModel([`You said ${key}, ${btoa(key)} and sk-abcdefghijklmnop1234`])
    const made = await recordRun({
      flow: changed({ 'Prompt-main.tone': `Bearer abcdefgh1234 ${key}` }),
      given: { flow: 'a.json', input: encodeURIComponent(key), sessionId: 's' },
      variables: {},
      environment: { MY_TOKEN: key },
      services: { models: model },
      allowPrivate: false,
      redact: [/Tone/],
      signal: new AbortController().signal,
    })
    const text = JSON.stringify([made.run, made.tape, made.expected])
    expect(text).not.toMatch(/hush|aHVza|abcdefgh/)
    expect(text).toContain('<secret:MY_TOKEN>')
    expect(text).toContain('<secret:sk>')
    expect(text).toContain('<secret:redacted>')
  })

  test('FC-57 the name of a variable is no secret, and the key of a node within a group is one', async () => {
    const flow = changed({ 'ChatInput-in.input_value': 'VENDOR_KEY' })
    const [, prompt, model] = flow.data?.nodes ?? []
    const secret = { type: 'str', _input_type: 'SecretStrInput', password: true, name: 'api_key' }
    const named = { ...secret, load_from_db: true, value: 'VENDOR_KEY' }
    Object.assign(model?.data.node.template ?? {}, { api_key: named })
    const made = await recordRun({
      flow,
      given: { flow: 'a.json', sessionId: 's' },
      variables: {},
      environment: {},
      services: { models: createScriptedModel(['Yes.']) },
      allowPrivate: false,
      redact: [],
      signal: new AbortController().signal,
    })
    expect(JSON.stringify(made.expected)).toContain('VENDOR_KEY')
    const template = { api_key: { ...secret, load_from_db: false, value: 'hush-4711' } }
    const nodes = [{ id: 'Inner-1', data: { type: 'Inner', node: { template } } }]
    Object.assign(prompt?.data.node ?? {}, { flow: { data: { nodes, edges: [] } } })
    expect(secretFields(flow).map(({ id, value }) => [id, value])).toEqual([
      ['Inner-1', 'hush-4711'],
    ])
  })

  test('FC-52 FC-53 requests of components are on the tape, and a replay opens no socket', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.setHeader('content-type', 'application/json')
      response.end('{"answer":42}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await inFolder(async (cwd) => {
      const flow = createFlow('Web')
      const web = flow.add(apiRequest, {
        id: 'APIRequest-a',
        values: { url_input: `http://127.0.0.1:${port}/a` },
      })
      const shown = flow.add(chatOutput, { id: 'ChatOutput-o' })
      flow.connect(web.output('data'), shown.inputs.input_value)
      await writeFile(join(cwd, 'web.json'), JSON.stringify(flow.toJSON()))
      const words = ['record', 'web.json', '--out', 't', '--allow-private']
      expect(await runCli(words, { cwd })).toMatchObject({ code: 0 })
      server.close()
      expect(asked).toBe(1)
      expect(await runCli(['test'], { cwd })).toMatchObject({ code: 0 })
      expect(asked).toBe(1)
    })
  })

  test('FC-55 a mismatch is an error with its parts', () => {
    const mismatch = new RecordingMismatch({
      folder: 'a',
      kind: 'value',
      what: 'X (x) differs, output y',
      before: 'a\n'.repeat(30),
      after: '',
    })
    expect(mismatch.difference.split('\n')).toHaveLength(13)
    expect(mismatch.difference.endsWith('\n...')).toBe(true)
  })
})
