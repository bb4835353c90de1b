import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { themesOf } from '../../docs/.vitepress/themed-images.ts'

const IMAGES = new URL('../../docs/images/', import.meta.url)

test('each drawing with dark colours has them on dark pages only, whatever the system prefers', async () => {
  const names = (await readdir(IMAGES)).filter((name) => name.endsWith('.svg'))
  const drawings = await Promise.all(names.map((name) => readFile(new URL(name, IMAGES), 'utf8')))
  const themed = drawings.filter((svg) => svg.includes('prefers-color-scheme'))
  expect(themed.length).toBeGreaterThan(0)
  for (const svg of themed) {
    const { light, dark } = themesOf(svg)
    const shown = [light, dark].map((address) => decodeURIComponent(address))
    expect(shown.join()).not.toContain('prefers-color-scheme')
    expect(shown.map((text) => /@media ([\w ]+)\{/.exec(text)?.[1]?.trim())).toEqual([
      'not all',
      'all',
    ])
  }
})
