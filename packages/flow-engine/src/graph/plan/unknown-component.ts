import { isObject, own, ownText } from '@x/wire'
import type { Component } from '../../components/define/component.ts'
import { defineComponent } from '../../components/define/define.ts'
import { output } from '../../components/define/output.ts'
import { FlowError } from '../../errors.ts'
import type { FlatNode } from '../flow/expand-groups.ts'

const placeholders = new WeakSet<Component>()

/**
 * Placeholder for a node whose type is unknown, so that the rest of the flow can be ordered and built.
 * It has the outputs shown on the node; running it fails.
 */
export function unknownComponent({ type, details }: FlatNode): Component {
  const listed = own(details, 'outputs')
  const shown = Array.isArray(listed) ? listed.filter(isObject) : []
  const names = shown.flatMap((one) => ownText(one, 'name') ?? [])
  const fail = (): never => {
    throw new FlowError('component_failed', `Unknown component types: ${type}`)
  }
  const outputs = names.map((name) => [name, output.any({ types: [], run: fail })] as const)
  const component = defineComponent({
    type,
    inputs: {},
    outputs: Object.fromEntries(outputs),
    prepare: fail,
  })
  placeholders.add(component)
  return component
}

export function isUnknownComponent(component: Component): boolean {
  return placeholders.has(component)
}
