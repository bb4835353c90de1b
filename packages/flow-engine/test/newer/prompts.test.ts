import { describe, expect, test } from 'vitest'
import { promptTemplate } from '@x/flow-engine/components'
import { createNode } from '../../src/components/node/create-node.ts'
import { refreshDetails } from '../../src/components/node/refresh-node.ts'
import type { NodeDetails } from '../../src/graph/flow/node-json.ts'
import { createData } from '../../src/graph/values/data.ts'
import { createMessage, type Message } from '../../src/graph/values/message.ts'
import { testComponent } from '@x/flow-engine/testing'

const fill = async (template: string, values: object = {}): Promise<unknown> => {
  const inputs = { template, use_double_brackets: true, ...values }
  return ((await testComponent(promptTemplate, { inputs })).value as Message).text
}

describe('double braces in prompts', () => {
  test('NX-20: one pass fills them in, single braces are text, nothing is escaped, unset variables are empty', async () => {
    expect(await fill('Say {{q}} {not} {"k": 1}', { q: '<b>{{other}}' })).toBe(
      'Say <b>{{other}} {not} {"k": 1}',
    )
    expect(await fill('{{a}}-{{a}}-{{gone}}.', { a: createMessage('x') })).toBe('x-x-.')
    expect(await fill('{{d}}{{n}}', { d: createData({ text: 't' }), n: null })).toBe('t')
  })

  test.each(['{{{a}}}', '{{#a}}', '{{/a}}', '{{^a}}', '{{&a}}', '{{>a}}', '{{!a}}', '{{.}}'])(
    'NX-21: %s is refused',
    async (template) => {
      await expect(fill(template)).rejects.toThrow(
        'Only simple variables like {{name}} are allowed in this template, not sections, partials, comments or triple braces.',
      )
    },
  )

  test('NX-21: an invalid pair is shown in the error', async () => {
    await expect(fill('{{ q }}')).rejects.toThrow(
      'Invalid variable {{ q }}: write {{name}} with letters, digits and underscores.',
    )
    await expect(fill('{{q.text}}')).rejects.toThrow('Invalid variable {{q.text}}: ')
  })

  test('NX-20: nodes without the field read single braces', async () => {
    const inputs = { template: '{a} {{b}}', a: '1' }
    expect(((await testComponent(promptTemplate, { inputs })).value as Message).text).toBe('1 {b}')
  })

  test('NX-22: switching the syntax replaces the fields of the variables', async () => {
    const details: NodeDetails = createNode(promptTemplate).data.node
    details.template.use_double_brackets = { type: 'bool', value: false }
    details.template.template = { type: 'prompt', value: '{old} {{fresh}}' }
    details.template.old = { type: 'str', value: 'kept' }
    const on = await refreshDetails(promptTemplate, details, {
      field: 'use_double_brackets',
      value: true,
    })
    expect(on.template.template).toMatchObject({ type: 'mustache' })
    expect(on.template.fresh).toMatchObject({ type: 'str', multiline: true, value: '' })
    expect(on.template.old).toBeUndefined()
    const off = await refreshDetails(promptTemplate, on, {
      field: 'use_double_brackets',
      value: false,
    })
    expect(off.template.template).toMatchObject({ type: 'prompt' })
    expect([off.template.old !== undefined, off.template.fresh]).toEqual([true, undefined])
    details.template.template = { type: 'prompt', value: '{{#bad}}' }
    const bad = await refreshDetails(promptTemplate, details, {
      field: 'use_double_brackets',
      value: true,
    })
    expect(bad.template.old).toBeUndefined()
  })
})
