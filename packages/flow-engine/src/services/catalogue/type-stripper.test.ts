import { expect, test } from 'vitest'
import { checkCodeText } from './code-syntax.ts'

test('AB-76 endlessly nested code does not break the parser for others', async () => {
  const attacks = ['`${', '(', '[', 'if(1){', 'a=>', '!']
  for (const piece of attacks) {
    const { syntax } = await checkCodeText(piece.repeat(100_000), [])
    expect(syntax).toHaveLength(1)
  }
  const good = 'export class B { c(d: number): string { return `${d}` } }'
  expect(await checkCodeText(good, [])).toEqual({ imports: [], syntax: [] })
  const [problem] = (await checkCodeText('export const =', [])).syntax
  expect(problem).not.toContain('nested')
})
