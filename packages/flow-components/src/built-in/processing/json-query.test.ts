import { describe, expect, test } from 'vitest'
import { queryJson as queryOn } from './json-query.ts'

const host = { services: {}, signal: new AbortController().signal }
const queryJson = (expression: string, input: unknown): Promise<unknown[]> =>
  queryOn(expression, input, host)

describe('queryJson (CO-61)', () => {
  test.each<[string, unknown[]]>([
    ['.items[].n', [1, 2]],
    ['.items | map(.n) | add', [3]],
    ['.missing', [null]],
    ['empty', []],
    ['-(.items[0].n)', [-1]],
    ['.text', ['two\nlines, "quoted" ž']],
    ['try error("x") catch .', ['x']],
    ['. as {$text} | $text | length', [21]],
    ['.text |= "x" | .text', ['x']],
  ])('%s', async (query, results) => {
    const input = { items: [{ n: 1 }, { n: 2 }], text: 'two\nlines, "quoted" ž' }
    expect(await queryJson(query, input)).toEqual(results)
  })

  test('names the fault in the expression or the data', async () => {
    await expect(queryJson('.a | map(', {})).rejects.toThrow(/syntax error/)
    await expect(queryJson('.a.b', { a: 'x' })).rejects.toThrow(/^Cannot index string/)
    await expect(queryJson('--version', {})).rejects.toThrow()
  })

  test('an expression that exhausts memory fails, and the next one runs', async () => {
    await expect(queryJson('def f: [f]; f', {})).rejects.toThrow('takes too much memory')
    expect(await queryJson('.a', { a: 1 })).toEqual([1])
  })

  test('the host can run the query elsewhere', async () => {
    const jsonQueries = { query: (expression: string) => Promise.resolve([expression]) }
    expect(await queryOn('.a', {}, { ...host, services: { jsonQueries } })).toEqual(['.a'])
  })

  test('cannot reach the host environment', async () => {
    const [environment] = await queryJson('$ENV | keys', {})
    expect(environment).not.toContain('npm_config_user_agent')
    await expect(queryJson('import "/etc/passwd" as $x; $x', {})).rejects.toThrow()
  })
})
