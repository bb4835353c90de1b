import type { Component } from './components/component.ts'
import { apiRequest } from './components/data-source/api-request.ts'
import { conditionalRouter } from './components/flow-controls/conditional-router.ts'
import { loop } from './components/flow-controls/loop.ts'
import { webhook } from './components/input-output/webhook.ts'
import { dataFrameOperations } from './components/processing/data-frame-operations.ts'
import { dataOperations } from './components/processing/data-operations.ts'
import { splitText } from './components/processing/split-text.ts'
import { typeConverter } from './components/processing/type-converter.ts'
import { tavilySearch } from './components/tavily/tavily-search.ts'
import { currentDate } from './components/utilities/current-date.ts'

export type { ComponentContext } from './components/context.ts'
export type { Component, ComponentDefinition } from './components/component.ts'
export { defineComponent } from './components/define.ts'
export { field } from './components/field.ts'
export { output } from './components/output.ts'

/** The built-in library: tiers A, B and C, and the small ones (FE-45). One line each, by category. */
export const builtinComponents: readonly Component[] = [
  apiRequest,
  conditionalRouter,
  loop,
  webhook,
  dataFrameOperations,
  dataOperations,
  splitText,
  typeConverter,
  tavilySearch,
  currentDate,
]

export {
  apiRequest,
  conditionalRouter,
  loop,
  webhook,
  dataFrameOperations,
  dataOperations,
  splitText,
  typeConverter,
  tavilySearch,
  currentDate,
}
