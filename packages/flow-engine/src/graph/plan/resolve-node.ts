import type { Component } from '../../components/define/component.ts'
import type { CodeRunner } from '../../components/define/services.ts'
import { CODE_IS_OFF, codeComponent } from '../../components/node/code-component.ts'
import { languagesOf } from '../../components/node/code-runners.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { FlatNode } from '../flow/expand-groups.ts'
import type { FlowNode, NodeDetails } from '../flow/flow-json.ts'
import { ownText } from '../flow/plain-object.ts'
import { readNodeCode, type NodeCode } from './node-code.ts'

/** The parts of a code runner needed at compile time. */
export type CodeAbility = Pick<CodeRunner, 'languages' | 'missing'>

interface ResolveOptions {
  readonly components: ComponentRegistry
  readonly customCode?: boolean | CodeAbility | undefined
}

/** The component of a node. */
export interface Resolution {
  readonly component: Component | undefined
  /** The reason, unless it is merely an unknown name. */
  readonly why?: string
  /** The missing requirement of the node's own code (PY-30). */
  readonly needs?: string
  /** How the component that runs differs from the one the node shows. */
  readonly notice?: string
}

const PYTHON = 'Python code is not run by this service'
const OWN_PYTHON =
  'Python of its own, which the operator of the server runs with SERVICE_PYTHON=true'

/** Resolves the component of a node and decides what happens to custom code (FE-42, FE-44). */
export function resolveNode(node: FlatNode, options: ResolveOptions): Resolution {
  const { components } = options
  const component = components.resolve(node.raw as FlowNode)
  // A component that the host resolved itself runs the node's own code.
  if (component !== undefined && components.get(component.type) !== component) return { component }
  const code = readNodeCode(node.details, component, components)
  if (code.kind === 'stock') return { component }
  const details = node.details as NodeDetails
  const text = textToRun(options, code)
  if (text !== undefined) {
    const needs = missingOf(options, text)
    if (needs === undefined) return { component: codeComponent(node.type, details, text) }
    return withoutNames({ node, component, needs })
  }
  const why = code.kind === 'script' ? CODE_IS_OFF : PYTHON
  if (component === undefined) return { component, why: code.kind === 'script' ? why : OWN_PYTHON }
  // A custom component whose code was changed has nothing left of the template.
  if (component.type === 'CustomComponent') return { component: undefined, why }
  const notice = `Component ${node.id} was changed in the editor and runs as ${component.type} of the catalogue: ${why}`
  return { component, notice }
}

/** The source that the host's runner executes for a node. */
function textToRun({ customCode = false }: ResolveOptions, code: NodeCode): string | undefined {
  if (code.kind === 'stock' || customCode === false) return undefined
  const language = code.kind === 'script' ? 'typescript' : 'python'
  const runs = languagesOf(customCode === true ? {} : customCode).has(language)
  return runs ? code.text : undefined
}

function missingOf({ customCode }: ResolveOptions, text: string): string | undefined {
  return typeof customCode === 'object' ? customCode.missing?.(text) : undefined
}

/**
 * A node whose own code has unmet requirements: falls back to the built-in component if there is one (PY-50).
 */
function withoutNames(given: {
  readonly node: FlatNode
  readonly component: Component | undefined
  readonly needs: string
}): Resolution {
  const { node, component, needs } = given
  const name = ownText(node.details, 'display_name') ?? node.type
  const isPackage = needs.startsWith('needs ')
  if (component === undefined || component.type === 'CustomComponent') {
    const text = isPackage ? `The component ${name} (${node.id}) ${needs}` : needs
    return { component: undefined, needs: text }
  }
  const what = isPackage ? needs.slice('needs '.length) : `another base: ${needs}`
  const notice = `${name} was edited; its own code needs ${what}; the built-in component runs instead`
  return { component, notice }
}
