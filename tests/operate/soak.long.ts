// Runs each night (.ci/night).
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Figure {
  readonly name: string
  readonly value: number
}

/** What a program printed, whichever code it ended with: some seconds tell nothing about growth. */
const printedBy = (args: readonly string[]): Promise<string> =>
  new Promise((resolve) => {
    execFile(process.execPath, [...args], { cwd: root }, (_error, stdout) => resolve(stdout))
  })

test('OP-19 a soak test with all kinds of traffic on the shipped server finds no errors', async () => {
  const args = ['--import', 'tsx', '--conditions=@x/source', 'bench/soak/main.ts']
  const printed = await printedBy([...args, '--minutes', '0.5', '--database', 'sqlite'])
  const line = printed.split('\n').find((text) => text.startsWith('{"bench":"soak sqlite"'))
  const { figures } = JSON.parse(line ?? '{"figures":[]}') as { figures: Figure[] }
  const of = (name: string): number | undefined =>
    figures.find((figure) => figure.name === name)?.value
  expect(of('errors that nobody can explain')).toBe(0)
  expect(of('errors in the log')).toBe(0)
  const speeds = figures.slice(
    0,
    figures.findIndex(({ name }) => name === 'errors that nobody can explain'),
  )
  expect(speeds.length).toBeGreaterThanOrEqual(8)
  expect(speeds.filter(({ value }) => value === 0)).toEqual([])
  expect(figures.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'growth of the heap',
      'growth of resident memory',
      'handles at rest, more than before',
      'files at rest, more than before',
    ]),
  )
})
