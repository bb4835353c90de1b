import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { builtinComponents } from '@x/flow-components'
import { textInput } from '@x/flow-engine/components'
import { codeHash, componentToNode } from '@x/flow-engine/internal'
import { createRegistry } from '@x/flow-engine'
import { checkFlow } from '@x/flow-engine'
import { readNodeCode } from '@x/flow-engine/internal'
import type { PlainObject } from '@x/wire'

const registry = createRegistry(builtinComponents)
const python = 'from lfx.custom import Component\n\nclass TextInput(Component):\n    pass\n'

function kindOf(changes: { code?: string; metadata?: object; edited?: boolean }): string {
  const node = componentToNode(textInput)
  const { code, ...others } = changes
  const template = code === undefined ? {} : { code: { value: code } }
  const details = { ...node, template, ...others } as unknown as PlainObject
  return readNodeCode(details, textInput, registry).kind
}

describe('readNodeCode (FE-42)', () => {
  test('code equal to the catalogue and a node without code are stock', () => {
    expect(readNodeCode(componentToNode(textInput) as never, textInput, registry).kind).toBe(
      'stock',
    )
    expect(kindOf({})).toBe('stock')
    expect(kindOf({ metadata: {} })).toBe('stock')
  })

  test('a node exported by another version of the reference is stock', () => {
    const metadata = { code_hash: codeHash(python), module: 'lfx.components.io.TextInputComponent' }
    expect(kindOf({ code: python, metadata })).toBe('stock')
    expect(kindOf({ code: python, metadata: {} })).toBe('stock')
    expect(kindOf({ metadata: { code_hash: 'bb5f8714781b' } })).toBe('stock')
  })

  test('edited Python is changed', () => {
    const custom = { code_hash: codeHash(python), module: 'custom_components.mine' }
    expect(kindOf({ code: python })).toBe('changed')
    expect(kindOf({ code: python, metadata: { code_hash: '3d80f125b734' } })).toBe('changed')
    expect(kindOf({ code: python, metadata: custom })).toBe('changed')
    expect(kindOf({ edited: true })).toBe('changed')
  })

  test('the code of another component is changed', () => {
    const chatInput = { code_hash: '7a26c54d89ed' }
    expect(kindOf({ metadata: chatInput })).toBe('changed')
  })

  test('a module without a component is a script', () => {
    expect(kindOf({ code: "import x from 'y'\nexport default x" })).toBe('script')
    expect(kindOf({ code: 'export const shout = 1' })).toBe('script')
  })
})

const flows = ['../../../../../shared/golden/flows/', '../../../../../shared/golden/flows/starter/']
  .map((path) => new URL(path, import.meta.url))
  .filter((folder) => existsSync(folder))

// Recorded flows lie beside the project; where they do not, there is nothing to look at.
test.skipIf(flows.length === 0)('FE-42 no node of an exported flow is flagged', () => {
  const files = flows.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json') && name !== 'starter-runs.json')
      .map((name) => new URL(encodeURIComponent(name), folder)),
  )
  expect(files.length).toBeGreaterThan(20)
  const flagged = files.flatMap((file) =>
    checkFlow(JSON.parse(readFileSync(file, 'utf8')), { components: registry }).filter(
      ({ code }) => code === 'edited_component',
    ),
  )
  expect(flagged).toEqual([])
})
