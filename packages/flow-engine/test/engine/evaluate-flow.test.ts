import { describe, expect, test } from 'vitest'
import { createRegistry, defineComponent, field, output } from '@x/flow-engine'
import {
  contains,
  createScriptedModel,
  evaluateFlow,
  exactMatch,
  flowBuilder,
  jsonMatch,
  judge,
  matches,
  type EvalExample,
} from '@x/flow-engine/testing'
import { chatInput, chatOutput } from '@x/flow-engine/components'

const shout = defineComponent({
  type: 'Shout',
  inputs: { text: field.message({}) },
  outputs: {
    out: output.message({
      run: ({ text }, ctx) => {
        const said = typeof text?.text === 'string' ? text.text : ''
        if (said === 'fail') throw new Error('no voice')
        sessions.add(ctx.sessionId)
        return said.toUpperCase()
      },
    }),
  },
})
const sessions = new Set<string>()
const components = createRegistry([chatInput, chatOutput, shout])

function shouting() {
  const flow = flowBuilder()
  const input = flow.add(chatInput)
  const loud = flow.add(shout)
  flow.connect(`${input}.message`, `${loud}.text`)
  flow.connect(`${loud}.out`, `${flow.add(chatOutput)}.input_value`)
  return flow.toJSON()
}

const examples: EvalExample[] = [
  { input: 'hi', expected: 'HI' },
  { id: 'named', input: 'ho', expected: 'HU' },
  { input: 'fail' },
]

describe('evaluations', () => {
  test('DR-80: each example runs in its own session and passes if every score does', async () => {
    sessions.clear()
    const seen: string[] = []
    const evaluation = await evaluateFlow(
      shouting(),
      examples,
      { exact: exactMatch(), loud: ({ text = '' }) => (text.startsWith('H') ? 0.75 : 0) },
      { components, pass: { loud: 0.7 }, onExample: ({ id }) => seen.push(id) },
    )
    expect(evaluation.passed).toBe(false)
    expect(evaluation.examples.map(({ id, passed, text }) => [id, passed, text])).toEqual([
      ['1', true, 'HI'],
      ['named', false, 'HO'],
      ['3', false, null],
    ])
    expect(evaluation.scores).toEqual({
      exact: { mean: 1 / 3, min: 0, passed: 1, failed: 2 },
      loud: { mean: 0.5, min: 0, passed: 2, failed: 1 },
    })
    expect(sessions.size).toBe(2)
    expect(seen.toSorted()).toEqual(['1', '3', 'named'])
  })

  test('DR-82: a failed or unjudged example scores 0 with its error, the others continue', async () => {
    const evaluation = await evaluateFlow(
      shouting(),
      examples,
      {
        picky: ({ text }) => {
          if (text === 'HO') throw new Error('I do not know')
          return Number.NaN
        },
        cut: () => 7,
      },
      { components },
    )
    expect(evaluation.examples.map(({ error }) => error?.code)).toEqual([
      'component_failed',
      'component_failed',
      'component_failed',
    ])
    expect(evaluation.examples[0]?.scores).toMatchObject({
      picky: { score: 0, passed: false, reason: expect.stringContaining('number') },
      cut: { score: 1, passed: true },
    })
    expect(evaluation.examples[1]?.error?.message).toBe('I do not know')
    expect(evaluation.examples[2]?.error?.message).toContain('no voice')
    const broken = await evaluateFlow({}, [{ input: 'x' }], { any: () => 1 }, { components })
    expect(broken.examples[0]).toMatchObject({ passed: false, scores: { any: { score: 0 } } })
  })

  test('DR-80: concurrency, repeats and asynchronous data sets are supported', async () => {
    let now = 0
    let most = 0
    const slow = defineComponent({
      type: 'Slow',
      inputs: {},
      outputs: {
        out: output.message({
          run: async () => {
            most = Math.max(most, (now += 1))
            await new Promise((resolve) => setTimeout(resolve, 5))
            now -= 1
            return 'ok'
          },
        }),
      },
    })
    const flow = flowBuilder()
    flow.add(slow)
    async function* dataset(): AsyncGenerator<EvalExample> {
      yield { id: 'a' }
      yield { id: 'b' }
      yield { id: 'c' }
    }
    const options = { components: createRegistry([slow]), concurrency: 2, repeat: 2 }
    const evaluation = await evaluateFlow(
      flow.toJSON(),
      dataset(),
      { ran: ({ result }) => result.status === 'succeeded' },
      { ...options, outputType: 'debug' },
    )
    expect(evaluation.examples.map(({ id }) => id)).toEqual(['a', 'a#2', 'b', 'b#2', 'c', 'c#2'])
    expect(most).toBe(2)
    expect(evaluation.passed).toBe(true)
    for (const bad of [{ concurrency: 0 }, { repeat: 0 }, { repeat: 1.5 }])
      await expect(evaluateFlow(flow.toJSON(), [], {}, bad)).rejects.toMatchObject({
        code: 'invalid_request',
      })
  })

  test('DR-81, DO-96: the report is XML with scorer, score, reason, what was expected and what came', async () => {
    const evaluation = await evaluateFlow(
      shouting(),
      [
        { id: 'fine', input: 'hi' },
        { id: 'a <b> & "c"\u0000\u001B', input: 'hi', expected: '<HO>'.repeat(1000) },
      ],
      {
        kind: ({ example }) =>
          example.id === 'fine' ? 1 : { score: 0.25, reason: 'It is <rude> & "loud"' },
      },
      { components },
    )
    const xml = evaluation.toJUnit('support & flow')
    expect(xml).toMatch(
      /^<\?xml version="1.0" encoding="UTF-8"\?>\n<testsuite name="support &amp; flow" tests="2" failures="1" time="\d+\.\d{3}">/,
    )
    expect(xml).toContain('<testcase name="a &lt;b&gt; &amp; &quot;c&quot;" time=')
    expect(xml).toContain(
      '<failure message="kind: 0.25, It is &lt;rude&gt; &amp; &quot;loud&quot;">expected: &lt;HO&gt;',
    )
    expect(xml.match(/&lt;HO&gt;/g)).toHaveLength(500)
    expect(xml).toContain('&#10;got: HI</failure>')
    expect(xml.match(/<testcase /g)).toHaveLength(2)
  })

  test('DR-80: a comparison with a stored evaluation lists better, worse, new and missing examples', async () => {
    const run = (list: readonly EvalExample[]) =>
      evaluateFlow(shouting(), list, { exact: exactMatch() }, { components })
    const before = await run([
      { id: 'a', input: 'hi', expected: 'HI' },
      { id: 'b', input: 'hi', expected: 'HO' },
      { id: 'gone', input: 'hi' },
    ])
    const after = await run([
      { id: 'a', input: 'hi', expected: 'HO' },
      { id: 'b', input: 'hi', expected: 'HI' },
      { id: 'new', input: 'hi' },
    ])
    const kept = JSON.parse(JSON.stringify(before)) as ReturnType<typeof before.toJSON>
    expect(after.compare(kept)).toEqual({
      worse: [{ id: 'a', scorer: 'exact', before: 1, after: 0 }],
      better: [{ id: 'b', scorer: 'exact', before: 0, after: 1 }],
      added: ['new'],
      removed: ['gone'],
    })
  })

  test('DR-82: the built-in scorers judge text and JSON', async () => {
    const result = {} as never
    const run = (text: string, expected?: unknown) => ({ example: { expected }, result, text })
    expect(exactMatch()(run('a', 'a'))).toBe(true)
    expect(contains('el')(run('hello'))).toBe(true)
    expect(contains()(run('hello', 'world'))).toBe(false)
    const global = matches(/l+/g)
    expect([global(run('hello')), global(run('hello'))]).toEqual([true, true])
    const json = jsonMatch({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'number' } },
    })
    expect(await json(run('Here: {"a": 1}'))).toBe(1)
    expect(await json(run('{"a": "x"}'))).toEqual({ score: 0, reason: 'a must be number' })
    expect(await json(run('nothing'))).toMatchObject({ score: 0 })
    const model = createScriptedModel(['{"grade": 4, "reason": "Polite"}', 'I cannot'])
    const graded = judge(model, { question: 'Is it polite?', scale: 5 })
    expect(await graded(run('Thank you', 'Thanks'))).toEqual({ score: 0.8, reason: 'Polite' })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain('Thank you')
    await expect(graded(run('x'))).rejects.toMatchObject({ code: 'model_failed' })
  })
})

test.each([null, undefined, [], {}, { examples: null }, { examples: [null] }, { examples: [{}] }])(
  'DR-80: a baseline that is no evaluation is refused: %j',
  async (baseline) => {
    const evaluation = await evaluateFlow(
      shouting(),
      [{ id: 'a', input: 'hi' }],
      {},
      { components },
    )
    expect(() => evaluation.compare(baseline as never)).toThrow(
      'The baseline of a comparison must be the JSON of an evaluation',
    )
  },
)
