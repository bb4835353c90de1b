import { beforeEach, afterEach, describe, expect, it, test } from 'vitest'
import * as entry from '@x/flow-components'
import * as basic from '@x/flow-engine/components'
import { exportName } from '@x/flow-engine/internal'
import { defineComponentContract } from '@x/flow-engine/testing'

const { builtinComponents } = entry

describe('builtinComponents (FE-45)', () => {
  test('each type occurs once and is exported under its name', () => {
    const types = builtinComponents.map(({ type }) => type)
    expect(new Set(types).size).toBe(types.length)
    const exported = new Map<string, unknown>(Object.entries({ ...basic, ...entry }))
    for (const component of builtinComponents) {
      const name = exportName(component.type)
      // The engine has functions of these names.
      const taken = ['runFlow', 'createData'].includes(name)
      expect(exported.get(taken ? `${name}Component` : name)).toBe(component)
    }
  })
})

for (const component of builtinComponents) {
  defineComponentContract({ describe, it, beforeEach, afterEach }, component)
}
