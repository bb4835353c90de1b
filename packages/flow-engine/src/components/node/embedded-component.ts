import type { NodeDetails } from '../../graph/flow/node-json.ts'
import type { Component } from '../define/component.ts'
import { codeHash } from '../registry/catalogue.ts'
import { codeComponent } from './code-component.ts'

const embedded = new WeakMap<Component, NodeDetails>()

/**
 * A component whose nodes contain its source. Its fields and outputs are those of `details`; the runner of a run
 * loads the code.
 */
export function embeddedComponent(type: string, details: NodeDetails, code: string): Component {
  const { template, ...rest } = details
  const before = template.code ?? { type: 'code', name: 'code', show: true, advanced: true }
  const node = {
    ...rest,
    template: { ...template, code: { ...before, value: code } },
    metadata: { ...rest.metadata, code_hash: codeHash(code) },
  }
  const component = codeComponent(type, node, code)
  embedded.set(component, node)
  return component
}

/** A copy of the node of such a component; undefined for others. */
export function embeddedDetails(component: Component): NodeDetails | undefined {
  const details = embedded.get(component)
  return details && structuredClone(details)
}
