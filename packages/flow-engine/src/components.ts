import type { Component } from './components/define/component.ts'
import * as builtIn from './components/built-in/index.ts'

export * from './components/built-in/index.ts'
export type { ComponentContext } from './components/define/context.ts'
export type { Component, ComponentDefinition } from './components/define/component.ts'
export { defineComponent } from './components/define/define.ts'
export { field } from './components/define/field.ts'
export { output } from './components/define/output.ts'

/** The built-in components (FE-45). */
export const builtinComponents: readonly Component[] = /* @__PURE__ */ Object.values(builtIn)
