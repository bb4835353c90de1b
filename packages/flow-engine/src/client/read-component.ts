import { isObject } from '@x/wire'
import { createData } from '../graph/values/data.ts'
import { createDataFrame } from '../graph/values/data-frame.ts'
import { createMessage } from '../graph/values/message.ts'
import { readMessage } from '../graph/values/read-message.ts'

/** A node of an answer. */
export interface Component {
  readonly component_id: string
  readonly component_display_name: string
  /** By name of the output; only of input and output nodes. */
  readonly results: Readonly<Record<string, unknown>>
  readonly outputs: Readonly<Record<string, unknown>>
}

export function isComponent(value: unknown): value is Component {
  return (
    isObject(value) &&
    typeof value['component_id'] === 'string' &&
    isObject(value['results']) &&
    isObject(value['outputs'])
  )
}

/** The value of an output; without a name, of the first that was computed. */
export function componentValue(component: Component, name?: string): unknown {
  const computed = Object.keys(component.outputs).find((key) => partOf(component, key) !== null)
  const key = name ?? computed
  const part = key === undefined ? null : partOf(component, key)
  if (part === null) return undefined
  const { value, type } = part
  if (type === 'text' || type === 'message') {
    const whole = own(component.results, key)
    return isObject(whole) && isObject(whole['data'])
      ? readMessage(whole['data'])
      : createMessage(String(value))
  }
  if (Array.isArray(value)) return value.every(isObject) ? createDataFrame(value) : value
  return isObject(value) ? createData(value) : value
}

/** The text of the first output that is one. */
export function componentText(component: Component): string | undefined {
  for (const key of Object.keys(component.outputs)) {
    const { value, type } = partOf(component, key) ?? {}
    if ((type === 'text' || type === 'message') && typeof value === 'string') return value
  }
  return undefined
}

function partOf({ outputs }: Component, key: string): { value: unknown; type: unknown } | null {
  const part = own(outputs, key)
  if (!isObject(part) || part['type'] === 'unknown' || part['type'] === 'error') return null
  return { value: part['message'], type: part['type'] }
}

function own(values: Readonly<Record<string, unknown>>, key: string | undefined): unknown {
  return key !== undefined && Object.hasOwn(values, key) ? values[key] : undefined
}
