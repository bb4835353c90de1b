import { basicComponents } from '@x/flow-engine/components'
import type { Component } from '@x/flow-engine'
import * as builtIn from './built-in/index.ts'

export * from './built-in/index.ts'

/** All built-in components: the basic ones of the engine and those of this package. */
export const builtinComponents: readonly Component[] = /* @__PURE__ */ [
  ...basicComponents,
  ...Object.values(builtIn),
]
