import * as builtIn from './components/built-in/index.ts'
import type { Component } from './components/define/component.ts'

export * from './components/built-in/index.ts'

/** The built-in components that need no third-party library. */
export const basicComponents: readonly Component[] = /* @__PURE__ */ Object.values(builtIn)
