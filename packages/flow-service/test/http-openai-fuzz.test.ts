import { smallAndFull } from '@x/test-kit/small-and-full'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { flowBuilder } from '@x/flow-engine/testing'
import { createTestEngine } from '@x/test-kit'

let engine: Awaited<ReturnType<typeof createTestEngine>>
beforeAll(async () => {
  engine = await createTestEngine()
  const flow = flowBuilder('parrot')
  const input = flow.add('ChatInput')
  flow.connect(`${input}.message`, `${flow.add('ChatOutput')}.input_value`)
  const given = { name: 'p', endpoint_name: 'parrot', data: flow.toJSON().data }
  await send('POST', '/api/v1/flows/', JSON.stringify(given))
})
afterAll(() => engine.close())

const send = (method: string, path: string, body?: string, headers: object = {}) =>
  engine.handler(
    new Request(`http://host${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    }),
    { user: { userId: engine.adminId, isSuperuser: false } },
  )

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  true,
  '',
  'a',
  '\ud800',
  '\0',
  '__proto__',
  'x'.repeat(10_000),
  [],
  [null],
  [[]],
  {},
  { type: 'message' },
  'parrot',
  'data:',
  'data:,',
  'data:image/png;base64,',
  'data:image/png;base64,%%%',
  'data:image/png;base64,AAAA',
  'data:;base64,iVBORw0KGgo=',
  'http://127.0.0.1/x',
  'file:///etc/passwd',
  'resp_x',
  `resp_${'0'.repeat(48)}`,
]
const ROLES = ['user', 'assistant', 'system', 'developer', 'tool', 'nobody']
const PARTS = [
  'input_text',
  'input_image',
  'input_file',
  'refusal',
  'image_url',
  'file',
  'text',
  'x',
]
const ITEMS = ['message', 'function_call', 'reasoning', 'mcp_call', 'item_reference', undefined]
const FIELDS = [
  'instructions',
  'previous_response_id',
  'metadata',
  'tools',
  'text',
  'store',
  'background',
  'n',
  'response_format',
  'stream_options',
  'modalities',
  'conversation',
  'temperature',
]
const HEADERS = ['x-api-key', 'x-service-global-var-a', 'accept', 'x-stainless-retry-count']

for (const [text, rounds, options] of smallAndFull(300, 600))
  test(
    `RS-21 RS-22 any of ${text} inputs is answered in the form of the OpenAI API, without a server error`,
    options,
    async () => {
      let seed = 11
      const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
      const pick = <T>(list: readonly T[]): T => list[next(list.length)] as T
      const odd = (): unknown => pick(ODD)
      const some = (names: readonly string[], rare: number): Record<string, unknown> =>
        Object.fromEntries(names.flatMap((name) => (next(rare) === 0 ? [[name, odd()]] : [])))
      const part = (): unknown =>
        next(8) === 0
          ? odd()
          : {
              type: pick(PARTS),
              text: next(2) === 0 ? 'hi' : odd(),
              ...some(['image_url', 'file_data', 'filename', 'file_id', 'file', 'refusal'], 3),
            }
      const item = (): unknown =>
        next(8) === 0
          ? odd()
          : {
              type: pick(ITEMS),
              role: pick(ROLES),
              content: next(3) === 0 ? 'hi' : next(4) === 0 ? odd() : [part(), part()],
            }
      const list = (): unknown => (next(5) === 0 ? odd() : [item(), item()])
      const failures: unknown[] = []
      for (let round = 0; round < rounds; round += 1) {
        const isChat = next(2) === 0
        const body = {
          model: next(6) === 0 ? odd() : 'parrot',
          ...(next(12) === 0 ? {} : { [isChat ? 'messages' : 'input']: list() }),
          ...some(FIELDS, 8),
          ...(next(4) === 0 ? { stream: next(3) === 0 ? odd() : true } : {}),
        }
        const sent = JSON.stringify(next(30) === 0 ? odd() : body)
        const cut = next(30) === 0 ? sent.slice(0, next(sent.length)) : sent
        const path = isChat ? 'chat/completions' : 'responses'
        const headers = Object.fromEntries(
          HEADERS.flatMap((name) => (next(8) === 0 ? [[name, pick(['', 'a', '0', '*/*'])]] : [])),
        )
        const answer = await send('POST', `/api/openai/v1/${path}`, cut, headers)
        const said = await answer.text()
        const isForm = answer.status === 200 || said.startsWith('{"error":{"message":')
        const isFine = answer.status < 500 && isForm && !/\bat \/|\.ts:|node:internal/.test(said)
        if (!isFine) failures.push([answer.status, said.slice(0, 300), cut.slice(0, 300)])
      }
      expect(failures).toEqual([])
    },
  )

test('RS-34 malformed ids, cursors and page parameters are answered', async () => {
  const ids = [
    'x',
    '%00',
    '..%2f..',
    'resp_',
    'resp_' + '0'.repeat(48),
    '__proto__',
    'é',
    'a'.repeat(5000),
  ]
  const queries = [
    '',
    '?stream=true',
    '?stream=x',
    '?starting_after=-1',
    '?limit=0',
    '?order=up',
    '?after=%00',
  ]
  for (const id of ids)
    for (const path of [id, `${id}/cancel`, `${id}/input_items`])
      for (const query of queries)
        for (const method of ['GET', 'POST', 'DELETE']) {
          const answer = await send(method, `/api/openai/v1/responses/${path}${query}`)
          const { error } = (await answer.json()) as { error: object }
          expect([400, 404, 405]).toContain(answer.status)
          expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
        }
})

for (const [text, streams, options] of smallAndFull(100, 200))
  test(`RS-52 each of ${text} concurrent streams gets its own answer`, options, async () => {
    const stream = async (n: number): Promise<string> => {
      const body = JSON.stringify({
        model: 'parrot',
        input: `stream ${n}.`,
        stream: true,
        store: false,
      })
      const answer = await send('POST', '/api/openai/v1/responses', body)
      return await answer.text()
    }
    const all = () => Promise.all(Array.from({ length: streams }, (_, n) => stream(n)))
    const answers = await all()
    for (const [n, answer] of answers.entries()) {
      expect(answer).toContain(`"delta":"stream ${n}."`)
      expect(answer.trimEnd().split('\n\n').at(-1)).toMatch(/^event: response\.completed\n/)
    }
  })

for (const [text, streams, options] of smallAndFull(100, 1_000))
  test(`RS-52 no run remains after ${text} concurrent streams are cancelled`, options, async () => {
    const body = JSON.stringify({ model: 'parrot', input: 'x', stream: true, store: false })
    const leave = async (): Promise<void> => {
      const reader = (await send('POST', '/api/openai/v1/responses', body)).body?.getReader()
      await reader?.read()
      await reader?.cancel()
    }
    await Promise.all(Array.from({ length: streams }, leave))
    // Places are free again: none of the 256 of this user is held by a run that nobody reads.
    const again = await Promise.all(
      Array.from({ length: 256 }, () =>
        send(
          'POST',
          '/api/openai/v1/responses',
          '{"model":"parrot","input":"again","store":false}',
        ),
      ),
    )
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
  })
