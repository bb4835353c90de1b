import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { linesOf } from './blocks.ts'

const ROOT = new URL('../../', import.meta.url)
const FOLDER = new URL('docs/guides/', ROOT)
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.md'))

/** The first code block in this language. */
const blockIn = (text: string, language: string): string | undefined =>
  new RegExp(`^\`\`\`${language}\n(?<code>[\\s\\S]*?)^\`\`\`$`, 'm').exec(text)?.groups?.['code']

/** Whether something that is linked is a test, or an example with one. */
function isTested(link: string): boolean {
  const target = new URL(link, FOLDER)
  if (!existsSync(target)) return false
  if (/\.(?:test|long)\.ts$|\/test-[\w-]+\.mjs$/.test(link)) return true
  return ['test', 'smoke.mjs'].some((name) => existsSync(new URL(name, `${target.href}/`)))
}

describe.each(names)('docs/guides/%s', (name) => {
  const read = () => readFile(new URL(name, FOLDER), 'utf8')
  const exampleOf = (text: string): string => text.split('\n## ').at(-1) ?? ''

  test('begins with a sentence that states the problem', async () => {
    expect(await read()).toMatch(/^# \S.*\n\n[A-Z]/)
  })

  test('ends with an example that prints the stated output or is run by a test', async () => {
    const example = exampleOf(await read())
    expect(example).toMatch(/^Example\n/)
    expect(await shortcomingsOf(name, example)).toEqual([])
  })
})

/** What is wrong with the example: other lines than it says, or no test of what it links. */
async function shortcomingsOf(name: string, example: string): Promise<readonly string[]> {
  const code = blockIn(example, 'ts')
  if (code === undefined) {
    const links = Array.from(example.matchAll(/\]\((\.\.\/[^)]+)\)/g), ([, link = '']) => link)
    return links.some((link) => isTested(link)) ? [] : ['links neither a test nor an example']
  }
  const lines = await linesOf(`guide-${name.replace(/\.md$/, '')}`, code)
  const printed = lines.map((values) => `${values.map((value) => String(value)).join(' ')}\n`)
  const wanted = blockIn(example, 'text')
  return printed.join('') === wanted ? [] : [`prints ${printed.join('')} instead of ${wanted}`]
}
