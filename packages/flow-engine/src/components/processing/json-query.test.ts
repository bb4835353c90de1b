import { describe, expect, test } from 'vitest'
import { queryJson } from './json-query.ts'

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

  test('says what is wrong with the expression or the data', async () => {
    await expect(queryJson('.a | map(', {})).rejects.toThrow(/syntax error/)
    await expect(queryJson('.a.b', { a: 'x' })).rejects.toThrow(/^Cannot index string/)
    await expect(queryJson('--version', {})).rejects.toThrow()
  })

  test('sees nothing of the host', async () => {
    const [environment] = await queryJson('$ENV | keys', {})
    expect(environment).not.toContain('npm_config_user_agent')
    await expect(queryJson('import "/etc/passwd" as $x; $x', {})).rejects.toThrow()
  })
})
