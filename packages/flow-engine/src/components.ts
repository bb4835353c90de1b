import type { Component } from './components/component.ts'

export type { ComponentContext } from './components/context.ts'
export type { Component, ComponentDefinition } from './components/component.ts'
export { defineComponent } from './components/define.ts'
export { field } from './components/field.ts'
export { output } from './components/output.ts'

/** The built-in library: tiers A, B and C, and the small ones (FE-45). One line each, by category. */
export const builtinComponents: readonly Component[] = []
