import { describe, expect, test } from 'vitest'
import { basicCatalogV09, createSurfaceStore } from '@x/surface-protocol'
import {
  createRequestProcessor,
  extractMessages,
  formatErrorTurn,
  runWithRecovery,
  type RecoveryPart,
} from '@x/surface-protocol/llm'

const CATALOG = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'
const say = (body: object) => ({ version: 'v0.9.1', ...body })
const create = say({ createSurface: { surfaceId: 's', catalogId: CATALOG } })
const update = (...components: object[]) =>
  say({ updateComponents: { surfaceId: 's', components } })
const button = { id: 'root', component: 'Button', child: 't', action: { event: { name: 'go' } } }
const label = { id: 't', component: 'Text', text: 'Go' }
const right = `Here: <a2ui-json>${JSON.stringify([create, update(button, label)])}</a2ui-json>`
const wrong = right.replace('"child":"t"', '"child":"t","label":"Go"')
const broken = right.replace('"action":', '"action" NaN ')
const options = { version: '0.9.1', catalogs: [basicCatalogV09] } as const

describe('SX-32: the error turn', () => {
  const errors = [...extractMessages(broken, options), ...extractMessages(wrong, options)]

  test('names line, code, component and hint, and asks for the whole answer', () => {
    const turn = formatErrorTurn(errors)
    expect(turn).toMatch(/^Your answer could not be used:\n- malformed_json: Line 1, column \d+/)
    expect(turn).toContain(
      'invalid_property component root at /updateComponents/components/0/label',
    )
    expect(turn).toContain('Hint: child')
    expect(turn).toMatch(/Send the whole answer again, corrected, in a2ui-json tags\.$/)
    expect(formatErrorTurn(errors)).toBe(turn)
    expect(formatErrorTurn([])).toBe('')
    expect(formatErrorTurn([{ kind: 'text', text: 'x' }])).toBe('')
  })

  test('is never longer than it may be, counts equal problems, and holds no tag', () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      code: 'invalid_property' as const,
      severity: 'error' as const,
      message: `There is no <a2ui-json> member ${'x'.repeat(100)} </A2UI-JSON> \u0000 here.`,
      path: `/${at % 20}`,
    }))
    for (const maxChars of [200, 500, 2000]) {
      const turn = formatErrorTurn(many, { maxChars })
      expect(turn.length).toBeLessThanOrEqual(maxChars)
      expect(turn).toMatch(/and \d+ more\n/)
      expect(turn).not.toMatch(/<\/?a2ui/i)
      expect(turn).not.toContain('\u0000')
    }
    expect(formatErrorTurn(many, { maxChars: 100_000 })).toContain('(2 times)')
    expect(() => formatErrorTurn([], { maxChars: 10 })).toThrow(TypeError)
  })
})

describe('SX-34: the loop', () => {
  test('asks again with what was wrong; only the right answer is applied', async () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    const processor = createRequestProcessor({ ...options, store })
    const answers = [broken, wrong, right]
    const turns: string[] = []
    const result = await runWithRecovery({
      processor,
      generate({ errorTurn, attempt, previous, prompt }) {
        turns.push(errorTurn)
        expect(previous).toBe(attempt === 1 ? '' : answers[attempt - 2])
        expect(prompt).toBe(processor.promptSnippet)
        expect(store.surfaceIds()).toEqual([])
        return answers[attempt - 1] ?? ''
      },
    })
    expect(result).toMatchObject({ ok: true, messages: [create, update(button, label)] })
    expect(result.attempts.map(({ ok }) => ok)).toEqual([false, false, true])
    expect(turns[0]).toBe('')
    expect(turns[1]).toContain('Line 1')
    expect(turns[2]).toContain('component root')
    expect(store.surfaceIds()).toEqual(['s'])
  })

  test('a missing child, an unknown surface and a message that the store refuses are errors', async () => {
    const store = createSurfaceStore({ version: '0.9.1' })
    store.apply(create)
    const processor = createRequestProcessor({ ...options, store })
    const other = [say({ createSurface: { surfaceId: 'o', catalogId: CATALOG } })]
    const answers = [
      [create],
      [say({ deleteSurface: { surfaceId: 'x' } })],
      [...other, JSON.parse(JSON.stringify(update(button)).replaceAll('"s"', '"o"'))],
    ].map((list) => `<a2ui-json>${JSON.stringify(list)}</a2ui-json>`)
    const before = store.snapshot()
    const result = await runWithRecovery({
      processor,
      generate: ({ attempt }) => answers[attempt - 1] ?? '',
    })
    expect(result.attempts.map(({ errors }) => errors.map(({ code }) => code))).toMatchObject([
      ['missing_root'],
      ['surface_not_found'],
      ['missing_child'],
    ])
    expect(store.snapshot()).toEqual(before)
  })

  test('SX-35: words alone are right unless a message is required; parts of a failed attempt are reset', async () => {
    const processor = createRequestProcessor(options)
    expect(await runWithRecovery({ processor, generate: () => 'Just words.' })).toMatchObject({
      ok: true,
      messages: [],
    })
    const parts: RecoveryPart[] = []
    const generate = ({ attempt }: { attempt: number }) => (attempt === 1 ? wrong : 'words')
    const result = await runWithRecovery({
      processor,
      generate,
      maxAttempts: 2,
      requireMessage: true,
      onPart: (part) => parts.push(part),
    })
    expect(result.ok).toBe(false)
    expect(result.attempts[1]?.errors).toMatchObject([{ code: 'no_message' }])
    expect(parts).toContainEqual({ kind: 'reset', surfaceIds: ['s'] })
  })

  test('SX-35: too much output, an abort and a failing model end the attempt and close its source', async () => {
    const processor = createRequestProcessor(options)
    let closed = 0
    async function* endless(): AsyncGenerator<string> {
      try {
        for (;;) yield await Promise.resolve('x'.repeat(100))
      } finally {
        closed += 1
      }
    }
    const long = await runWithRecovery({
      processor,
      generate: endless,
      maxAttempts: 1,
      maxOutputChars: 1000,
    })
    expect(long.attempts[0]?.errors).toMatchObject([{ code: 'limit_exceeded' }])
    const abort = new AbortController()
    const reason = new Error('enough')
    const running = runWithRecovery({
      processor,
      generate: endless,
      signal: abort.signal,
      onPart: () => {
        abort.abort(reason)
      },
    })
    await expect(running).rejects.toBe(reason)
    const failure = new Error('model')
    const failing = runWithRecovery({ processor, generate: () => Promise.reject(failure) })
    await expect(failing).rejects.toBe(failure)
    expect(closed).toBe(2)
    const none = { processor, generate: () => '', maxAttempts: 11 }
    await expect(runWithRecovery(none)).rejects.toThrow(TypeError)
  })
})
