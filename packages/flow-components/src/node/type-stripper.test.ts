import { expect, test } from 'vitest'
import { checkCodeText } from './code-syntax.ts'

test('AB-76 endlessly nested code does not break the parser for others', async () => {
  const attacks = ['`${', '(', '[', 'if(1){', 'a=>', '!']
  for (const piece of attacks) {
    const { syntax } = await checkCodeText(`${piece}\n`.repeat(20_000).slice(0, 65_000), [])
    expect(syntax).toHaveLength(1)
  }
  const good = 'export class B { c(d: number): string { return `${d}` } }'
  expect(await checkCodeText(good, [])).toEqual({ imports: [], syntax: [] })
  const [problem] = (await checkCodeText('export const =', [])).syntax
  expect(problem).not.toContain('nested')
})

test('AB-76 many problems in one line take no long time', { tags: ['long'] }, async () => {
  const begun = process.cpuUsage().user
  for (const code of ['<T>x;'.repeat(3277), `${'<T>x;'.repeat(100)}\n`.repeat(60)])
    expect((await checkCodeText(code, [])).syntax).toEqual([expect.stringContaining('too long')])
  for (const code of [
    '<T>x;'.repeat(560),
    `${'<T>x;'.repeat(20)}\n`.repeat(640),
    'a\n'.repeat(32_000),
  ])
    expect((await checkCodeText(code, [])).syntax).toHaveLength(code.startsWith('a') ? 0 : 1)
  // Shown with the whole line each, they take the parser many seconds.
  expect((process.cpuUsage().user - begun) / 1000).toBeLessThan(4000)
})

test('AB-76 code with long lines, as those of prompts, is checked', async () => {
  const code = `export const prompt = '${'word '.repeat(500)}'\n`
  expect(await checkCodeText(code, [])).toEqual({ imports: [], syntax: [] })
})
