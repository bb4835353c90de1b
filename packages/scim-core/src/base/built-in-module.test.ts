import { afterEach, expect, test, vi } from 'vitest'
import { builtInModule } from './built-in-module.ts'

afterEach(() => vi.unstubAllGlobals())

test('HO-37 a runtime whose getBuiltinModule throws has no built-in modules', () => {
  expect(builtInModule('node:async_hooks')).toBeDefined()
  const getBuiltinModule = (): never => {
    throw new Error('not supported in the Edge Runtime')
  }
  vi.stubGlobal('process', { getBuiltinModule })
  expect(builtInModule('node:async_hooks')).toBeUndefined()
})
