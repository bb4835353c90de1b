// Writes the list of built-in components into docs/reference/components.md:
//   node --import tsx --conditions=@x/source tools/component-reference.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { builtinComponents } from '@x/flow-components'
import type { Component } from '@x/flow-engine'
import { formatText } from './format-text.ts'

const PAGE = fileURLToPath(new URL('../docs/reference/components.md', import.meta.url))
const START = '## List\n'

/** The page as it is, and as it would be with the list of the components at hand. */
export async function componentReference(): Promise<{ current: string; wanted: string }> {
  const current = readFileSync(PAGE, 'utf8')
  const start = current.indexOf(START) + START.length
  const end = current.indexOf('\n## ', start)
  const after = end === -1 ? '' : current.slice(end)
  const page = `${current.slice(0, start)}\n${list()}${after}`
  return { current, wanted: await formatText(PAGE, page) }
}

function list(): string {
  const categories = new Map<string, Component[]>()
  const sorted = builtinComponents.toSorted((a, b) => (a.type < b.type ? -1 : 1))
  for (const component of sorted) {
    const category = component.category ?? 'custom'
    categories.set(category, [...(categories.get(category) ?? []), component])
  }
  return [...categories]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([category, components]) => section(category, components))
    .join('\n')
}

function section(category: string, components: readonly Component[]): string {
  const rows = components.map(
    (component) =>
      `| \`${component.type}\`${component.legacy === true ? ' (legacy)' : ''} | ${component.description ?? ''} | ${inputsOf(component)} | ${outputsOf(component)} |`,
  )
  return `### ${category}\n\n| type | what it does | inputs | outputs |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`
}

/** Hidden and advanced inputs are left out, and those of older or newer files alone. */
function inputsOf({ inputs }: Component): string {
  return Object.entries(inputs)
    .filter(([, { options }]) => options.show !== false && options.advanced !== true)
    .filter(([, { options }]) => options.newer !== true)
    .map(([name]) => `\`${name}\``)
    .join(', ')
}

function outputsOf({ outputs }: Component): string {
  return Object.entries(outputs)
    .map(([name, { dynamic }]) => `\`${name}\`${dynamic === true ? ' (by refresh)' : ''}`)
    .join(', ')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, (await componentReference()).wanted)
}
