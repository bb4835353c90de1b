import type { Component } from '../../components/define/component.ts'
import type { CodeRunner } from '../../components/define/services.ts'
import { CODE_IS_OFF, codeComponent } from '../../components/node/code-component.ts'
import { missingNames } from '../../components/node/missing-names.ts'
import { unknownFields } from '../../components/node/reference-code.ts'
import { languagesOf } from '../../components/node/code-runners.ts'
import type { ComponentRegistry } from '../../components/registry/registry.ts'
import type { FlatNode } from '../flow/expand-groups.ts'
import type { FlowNode, NodeDetails } from '../flow/flow-json.ts'
import { ownText } from '@x/wire'
import { readNodeCode, type NodeCode } from './node-code.ts'
import { templateValue, TOOL_OUTPUT } from './vertex-plan.ts'

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
  /** The missing requirement of the node's own code. */
  readonly needs?: string
  /** How the component that runs differs from the one the node shows. */
  readonly notice?: string
}

/** What the edges of a node use of it. */
export interface NodeEnds {
  readonly fields: ReadonlySet<string>
  readonly outputs: ReadonlySet<string>
}

const PYTHON = 'Python code is not run by this service'

/** Resolves the component of a node and decides what happens to custom code. */
export function resolveNode(
  node: FlatNode,
  options: ResolveOptions,
  ends: NodeEnds | undefined,
): Resolution {
  const { components } = options
  const named = components.resolve(node.raw as FlowNode)
  // A component that the host resolved itself runs the node's own code.
  if (named !== undefined && components.get(named.type) !== named) return { component: named }
  const found = readNodeCode(node.details, named, components)
  const isNamesake = named !== undefined && isOnlyNamed(named, node, found, ends)
  const component = isNamesake ? undefined : named
  const code = isNamesake ? readNodeCode(node.details, undefined, components) : found
  if (code.kind === 'stock') return { component }
  const details = node.details as NodeDetails
  const text = textToRun(options, code)
  if (text !== undefined) {
    const needs = missingOf(options, text)
    if (needs === undefined) return { component: codeComponent(node.type, details, text) }
    return withoutNames({ node, component, needs })
  }
  const why = code.kind === 'script' ? CODE_IS_OFF : PYTHON
  if (component === undefined) {
    const isScript = code.kind === 'script'
    return { component, why: isScript ? why : whyNoPython(node, code.text ?? '') }
  }
  // A custom component whose code was changed has nothing left of the template.
  if (component.type === 'CustomComponent') return { component: undefined, why }
  const notice = `Component ${node.id} was changed in the editor and runs as ${component.type} of the catalogue: ${why}`
  return { component, notice }
}

/**
 * True for a component of the author's own that has the name of a built-in one: its edges use outputs or
 * fields that the built-in lacks.
 */
function isOnlyNamed(
  component: Component,
  node: FlatNode,
  code: NodeCode,
  ends: NodeEnds | undefined,
): boolean {
  if (component.type === 'CustomComponent') return false
  if (code.kind === 'script' || (code.kind === 'stock' && code.released)) return false
  if (code.kind === 'stock' && usesUnknown(component, node, ends)) return true
  if (ends === undefined) return false
  if (readNodeCode(node.details, undefined, { get: () => undefined }).kind === 'stock') return false
  const made = component.forNode?.(node.details as NodeDetails) ?? component
  const { inputs, outputs, furtherFields = false, nodeOutputs } = made
  const isKept = (field: string): boolean =>
    furtherFields ||
    Object.hasOwn(inputs, field) ||
    Object.hasOwn(outputs, field) ||
    (code.kind === 'stock' && Object.hasOwn(node.template, field))
  const gives = (output: string): boolean =>
    nodeOutputs !== undefined || output === TOOL_OUTPUT || Object.hasOwn(outputs, output)
  return ![...ends.fields].every(isKept) || ![...ends.outputs].every(gives)
}

/** True for a node of another version that uses a field which the built-in component does not have. */
function usesUnknown(component: Component, node: FlatNode, ends: NodeEnds | undefined): boolean {
  return unknownFields(component.type).some(
    (name) => ends?.fields.has(name) === true || !isBlank(templateValue(node, name)),
  )
}

function isBlank(value: unknown): boolean {
  if (typeof value === 'object' && value !== null)
    return (Array.isArray(value) ? value : Object.values(value)).every(isBlank)
  return value === undefined || value === null || value === '' || value === false || value === 0
}

/** What a server that runs Python would say about the node. */
function whyNoPython(node: FlatNode, text: string): string {
  const needs = missingWithoutWheels(text)
  const name = ownText(node.details, 'display_name') ?? node.type
  return needs === undefined
    ? `${name} has Python of its own, which the operator of the server runs with SERVICE_PYTHON=true`
    : `${needsText(node, needs)}; SERVICE_PYTHON=true would not be enough`
}

/** The last answers, so that a large component is read once. */
const answers = new Map<string, string | undefined>()
const NO_WHEELS: ReadonlySet<string> = new Set()

function missingWithoutWheels(text: string): string | undefined {
  if (answers.has(text)) return answers.get(text)
  const missing = missingNames(text, NO_WHEELS)
  if (answers.size >= 100) answers.clear()
  if (text.length < 200_000) answers.set(text, missing)
  return missing
}

function needsText(node: FlatNode, needs: string): string {
  const name = ownText(node.details, 'display_name') ?? node.type
  return needs.startsWith('needs ') ? `The component ${name} (${node.id}) ${needs}` : needs
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
 * A node whose own code has unmet requirements: falls back to the built-in component if there is one.
 */
function withoutNames(given: {
  readonly node: FlatNode
  readonly component: Component | undefined
  readonly needs: string
}): Resolution {
  const { node, component, needs } = given
  const name = ownText(node.details, 'display_name') ?? node.type
  const isPackage = needs.startsWith('needs ')
  if (component === undefined || component.type === 'CustomComponent')
    return { component: undefined, needs: needsText(node, needs) }
  const what = isPackage ? needs.slice('needs '.length) : `another base: ${needs}`
  const notice = `${name} was edited; its own code needs ${what}; the built-in component runs instead`
  return { component, notice }
}
