import { codeHash, codeText, componentToNode } from '@x/flow-engine/internal'
import { CODE_IS_OFF } from '@x/flow-engine/internal'
import { languageOf } from '@x/flow-engine/internal'
import { languagesOf } from '@x/flow-engine/internal'
import { type Component, isComponent, errorText } from '@x/flow-engine'
import { switchToolMode, templateField } from '@x/flow-engine/internal'
import { refuse } from '../../refusal.ts'
import type { NodeDetails, NodeOutput, NodeTemplate } from '@x/flow-engine'
import { refreshDetails } from '@x/flow-engine/internal'
import type { ComponentRegistry } from '@x/flow-engine'
import type { CodeRunner, ComponentServices } from '@x/flow-engine'
import { pythonClass } from '@x/wire'
import { isFlowError } from '@x/flow-engine'
import type { Caller } from '../base/caller.ts'
import { checkCodeText, OFFERED_MODULES, pythonLine } from '@x/flow-components/internal'
import { referenceType } from '@x/flow-engine/internal'

/** A change of a node in the editor. */
export interface NodeRefresh {
  readonly code: string
  readonly template: NodeTemplate
  readonly field: string
  readonly value: unknown
  readonly toolMode: boolean
}

/** The component catalogue, and nodes created from code. */
export interface CatalogueService {
  /** The catalogue as JSON and its entity tag, computed once. */
  catalogue(): { readonly text: string; readonly etag: string }
  /** @throws Refusal 400; 429 if too many sandboxes of the caller are queued */
  nodeFromCode(
    caller: Pick<Caller, 'id'>,
    code: string,
    given: Readonly<Record<string, unknown>> | null,
    signal: AbortSignal,
  ): Promise<{ type: string; node: NodeDetails }>
  /** @throws Refusal 400 */
  refresh(caller: Caller, change: NodeRefresh, signal: AbortSignal): Promise<NodeDetails>
}

export interface CatalogueOptions {
  readonly components: ComponentRegistry
  /** The services passed to a component that is refreshed for this user. */
  readonly servicesOf: (userId: string) => ComponentServices
  /** Additional modules that component code may import. */
  readonly modules: readonly string[]
}

export function createCatalogueService(options: CatalogueOptions): CatalogueService {
  const { components, servicesOf } = options
  const byHash = new Map<string, Component>()
  for (const component of components) byHash.set(codeHash(codeText(component)), component)
  let made: { text: string; etag: string } | undefined

  /** Resolves source code to a component in the order of the reference. */
  const resolve = async (userId: string, code: string, signal: AbortSignal): Promise<Component> => {
    const hash = codeHash(code)
    const known = byHash.get(hash) ?? components.get(referenceType(hash) ?? '')
    return known ?? (await runCode(options, code, { userId, signal }))
  }

  return {
    catalogue() {
      const text = (): string => JSON.stringify(components.catalogue())
      return (made ??= { text: text(), etag: `"${codeHash(text())}"` })
    },
    async nodeFromCode({ id }, code, given, signal) {
      const component = await resolve(id, code, signal)
      const node = withCode(componentToNode(component), code)
      if (!byHash.has(codeHash(code)) && referenceType(codeHash(code)) === undefined) {
        const name = component.displayName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
        node.metadata = { ...node.metadata, module: `custom_components.${name}` }
      }
      takeOver(component, node, given)
      return { type: component.type, node: completed(node) }
    },
    async refresh(caller, change, signal) {
      const component = await resolve(caller.id, change.code, signal)
      const fresh = componentToNode(component)
      const { outputs: _outputs, ...facts } = fresh
      const before = { ...facts, template: change.template, tool_mode: change.toolMode }
      const toolMode = change.field === 'tool_mode' ? change.value === true : change.toolMode
      const { field: name, value } = change
      try {
        const node = await refreshDetails(
          component,
          before,
          { field: name, value, toolMode },
          { services: servicesOf(caller.id), userId: caller.id, signal },
        )
        fillCode(node.template, fresh.template, change.code)
        return completed(node)
      } catch (error) {
        if (isFlowError(error) && error.code === 'forbidden') throw error
        throw refuse(400, errorText(error), { cause: error })
      }
    },
  }
}

function fail(why: string, cause?: unknown) {
  return refuse(400, `Error building Component: ${why}`, { cause })
}

/** Runs custom code in the host's sandbox, if there is one. */
async function runCode(
  { servicesOf, modules }: CatalogueOptions,
  code: string,
  { userId, signal }: { readonly userId: string; readonly signal: AbortSignal },
): Promise<Component> {
  const runner = servicesOf(userId).codeRunner
  const runsPython = runner !== undefined && languagesOf(runner).has('python')
  if (!runsPython || languageOf(code) !== 'python') {
    await checkScript(runner, code, modules)
  } else {
    const missing = runner.missing?.(code)
    if (missing !== undefined) throw fail(missing)
  }
  if (runner === undefined) throw fail(CODE_IS_OFF)
  try {
    const component = await runner.load(code, { signal, userId })
    if (isComponent(component)) return component
  } catch (error) {
    if (isFlowError(error) && error.code === 'rate_limited') throw error
    throw fail(errorText(error), error)
  }
  throw fail('the code has no default export created by defineComponent')
}

/** @throws Refusal 400 for Python, and for scripts that cannot run here */
async function checkScript(
  runner: CodeRunner | undefined,
  code: string,
  modules: readonly string[],
): Promise<void> {
  const { imports, syntax } = await checkCodeText(code, [...OFFERED_MODULES, ...modules])
  if (syntax.length > 0 && pythonLine(code) !== undefined) {
    const name = pythonClass(code) ?? 'of its own'
    throw fail(`Python code is not run by this service; it needs the component ${name}`)
  }
  if (runner === undefined || !languagesOf(runner).has('typescript')) throw fail(CODE_IS_OFF)
  const [problem] = [...syntax, ...imports]
  if (problem !== undefined) throw fail(problem)
}

/** Keeps the values of fields with the same name, and tool mode with its effect on the outputs. */
function takeOver(
  component: Component,
  node: NodeDetails,
  given: Readonly<Record<string, unknown>> | null,
): void {
  const template = given === null ? undefined : given['template']
  if (isTemplate(template)) {
    for (const name of Object.keys(node.template)) {
      const [before, now] = [templateField(template, name), templateField(node.template, name)]
      if (name === 'code' || before === undefined || now === undefined) continue
      node.template[name] = {
        ...now,
        ...('value' in before ? { value: before.value } : {}),
        ...('load_from_db' in before && before.load_from_db !== undefined
          ? { load_from_db: before.load_from_db }
          : {}),
      }
    }
  }
  if (given?.['tool_mode'] === true) switchToolMode(component, node, true)
}

function isTemplate(value: unknown): value is NodeTemplate {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withCode(node: NodeDetails, code: string): NodeDetails {
  const before = templateField(node.template, 'code')
  return {
    ...node,
    template: { ...node.template, code: { ...before, value: code } },
    metadata: { ...node.metadata, code_hash: codeHash(code) },
  }
}

/** Fills a missing or empty code field with the submitted code. */
function fillCode(template: NodeTemplate, fresh: NodeTemplate, code: string): void {
  const present = templateField(template, 'code')
  if (present === undefined) template['code'] = { ...templateField(fresh, 'code'), value: code }
  else if ((present.value ?? '') === '') template['code'] = { ...present, value: code }
}

/** Outputs with all keys; missing ones become null. */
function completed(node: NodeDetails): NodeDetails {
  return { ...node, outputs: (node.outputs ?? []).map(longForm) }
}

function longForm(declared: NodeOutput): NodeOutput {
  return {
    ...declared,
    hidden: declared.hidden ?? null,
    required_inputs: declared.required_inputs ?? null,
    loop_types: declared.loop_types ?? null,
    options: declared.options ?? null,
  }
}
