import { beforeEach, afterEach, describe, expect, it, test } from 'vitest'
import * as entry from '@x/flow-components'
import { exportName } from '../src/components/registry/catalogue.ts'
import { defineComponentContract } from '../src/testing/component-contract.ts'

const { builtinComponents } = entry

describe('builtinComponents (FE-45)', () => {
  test('each type occurs once and is exported under its name', () => {
    const types = builtinComponents.map(({ type }) => type)
    expect(new Set(types).size).toBe(types.length)
    const exported = new Map<string, unknown>(Object.entries(entry))
    for (const component of builtinComponents) {
      expect(exported.get(exportName(component.type))).toBe(component)
    }
  })
})

for (const component of builtinComponents) {
  defineComponentContract({ describe, it, beforeEach, afterEach }, component)
}
