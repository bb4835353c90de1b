import { checkFlow, compileFlow, createRegistry, type FlowJson } from '@x/flow-engine'
import { codeHash } from '@x/flow-engine/internal'
import { flowBuilder } from '@x/flow-engine/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tables } from '../../src/components/node/reference-code.ts'
import table from '../../src/components/node/released-code.json' with { type: 'json' }
import { plainCode } from '../../src/components/node/plain-code.ts'
import { textInput } from '../../src/components/built-in/input-output/text-input.ts'
import { given, join, library } from './dependencies.ts'

const RELEASED = 'from lfx.custom import Component\nclass T(Component):\n    x = 1'

// A release of our own: its code is known, and a field of it that Text Input lacks.
const rows: Record<string, string> = table
const before = rows['TextInput'] ?? ''
const plain = tables().plain as Map<string, string>
beforeAll(() => {
  plain.set(codeHash(plainCode(RELEASED)), 'TextInput')
  rows['TextInput'] = `${before} odd`
})
afterAll(() => {
  plain.delete(codeHash(plainCode(RELEASED)))
  rows['TextInput'] = before
})

const components = createRegistry(library)
const python = { languages: new Set(['python'] as const), missing: () => undefined }

/** A Text Input with code of its own, marked as the editor marks components of authors. */
function flowWith(code: string, { odd, output = 'text' }: { odd?: unknown; output?: string } = {}) {
  const flow = flowBuilder()
  flow.add(textInput, { id: 'TextInput-a' })
  flow.add(join, { id: 'Join-b' })
  flow.connect('TextInput-a.text', 'Join-b.texts')
  const json = JSON.parse(
    JSON.stringify(flow.toJSON()).replaceAll('œtextœ', `œ${output}œ`),
  ) as FlowJson
  const { node } = given(json.data?.nodes?.[0]).data
  node.template['code'] = { ...node.template['code'], value: code }
  if (odd !== undefined) node.template['odd'] = { type: 'str', name: 'odd', value: odd }
  node.metadata = { module: 'custom_components.text' }
  node.edited = true
  return json
}

/** Whether the node runs its own code: only a server that runs Python takes it. */
function isOwn(json: FlowJson): boolean {
  const { warnings } = compileFlow(json, { components, customCode: python })
  expect(warnings).toEqual([])
  return checkFlow(json, { components }).length > 0
}

test('FF-62: code that another version released is the built-in component, though marked as edited', () => {
  expect(codeHash(plainCode(RELEASED))).toHaveLength(12)
  const older = `# saved\r\n${RELEASED.replace('lfx', 'langflow')}  \n`
  for (const code of [RELEASED, older]) expect(isOwn(flowWith(code))).toBe(false)
  expect(isOwn(flowWith(RELEASED.replace('1', '2')))).toBe(true)
})

test('FF-62: released code whose node uses what the built-in lacks runs itself', () => {
  for (const odd of ['', null, false, [''], {}, 0])
    expect(isOwn(flowWith(RELEASED, { odd }))).toBe(false)
  for (const odd of ['x', 2, ['x']]) expect(isOwn(flowWith(RELEASED, { odd }))).toBe(true)
})
