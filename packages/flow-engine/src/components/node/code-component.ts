import { codeHash } from '../registry/catalogue.ts'
import type { Component, ComponentTool } from '../define/component.ts'
import { toolOutputs } from '../tools/component-tools.ts'
import type { ComponentContext } from '../define/context.ts'
import { workCaller } from '../define/work-caller.ts'
import { defineComponent, isComponent } from '../define/define.ts'
import type { AnyFieldOptions, Field } from '../define/field.ts'
import { fieldValues } from '../values/field-values.ts'
import type { NodeDetails, TemplateField } from '../../graph/flow/node-json.ts'
import { languageOf } from './code-language.ts'
import { output } from '../define/output.ts'
import { toOutputValue } from '../values/output-values.ts'
import { kindOfTemplate } from '../define/template.ts'

/** The error when code would have to run and the host has no code runner. */
export const CODE_IS_OFF =
  'custom code is switched off; the operator of the server switches it on with SERVICE_CODE_RUNNER=true'

/**
 * Creates the component of a node that contains source code. Fields and outputs are taken from the
 * node, so a flow compiles without running code; the run's code runner loads the source when the vertex is
 * built.
 */
export function codeComponent(type: string, node: NodeDetails, code: string): Component {
  const { template, outputs = [], display_name: displayName, description } = node
  const source = { code, node }
  const inputs = Object.entries(template)
    .filter(([name, field]) => name !== 'code' && typeof field === 'object' && field !== null)
    .map(([name, field]) => [name, toField(field)] as const)
  const declared = outputs
    .filter(({ name, method }) => typeof name === 'string' && method !== 'to_toolkit')
    .map(({ name, method, types, tool_mode: toolMode, cache }) => {
      const made = output.any({
        types: types ?? [],
        method: method ?? name,
        ...(toolMode === undefined ? {} : { toolMode }),
        ...(cache === undefined ? {} : { cache }),
        run: (values, ctx) => runOutput(source, name, { values, ctx }),
      })
      return [name, made] as const
    })
  return defineComponent({
    type,
    displayName: displayName ?? type,
    ...(description === undefined ? {} : { description }),
    version: codeHash(code),
    sandboxed: true,
    idempotent: languageOf(code) === 'typescript' || IDEMPOTENT.test(code),
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(declared),
    toTools: (values, ctx) => codeTools(source, values, ctx),
  })
}

/** Matches the attribute with which a Python class declares that it may run twice. */
const IDEMPOTENT = /^[ \t]+idempotent[ \t]*(:[ \t]*bool[ \t]*)?=[ \t]*True\b/m

interface Source {
  readonly code: string
  readonly node: NodeDetails
}

interface Build {
  readonly values: Readonly<Record<string, unknown>>
  readonly ctx: ComponentContext
}

async function runOutput(source: Source, name: string, { values, ctx }: Build): Promise<unknown> {
  const component = await load(source, ctx)
  const definition = Object.hasOwn(component.outputs, name) ? component.outputs[name] : undefined
  if (definition === undefined) {
    throw new TypeError(`The code has no output ${name}: check and save the code of the node again`)
  }
  const inputs = await completed(component, values, ctx)
  await component.prepare?.(inputs, ctx)
  return toOutputValue(definition.outputKind, await definition.run(inputs, ctx))
}

async function load({ code, node }: Source, ctx: ComponentContext) {
  const { codeRunner } = ctx.services
  if (codeRunner === undefined) throw new TypeError(CODE_IS_OFF)
  const component = await codeRunner.load(code, { ...workCaller(ctx), node })
  if (isComponent(component)) return component
  throw new TypeError('the code has no default export created by defineComponent')
}

/** Adds defaults for inputs that the code declares but the node, which may be older, does not have. */
async function completed(
  component: Component,
  values: Readonly<Record<string, unknown>>,
  ctx: ComponentContext,
): Promise<Record<string, unknown>> {
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== null && value !== undefined),
  )
  return fieldValues(component, given, {
    file(path) {
      throw new TypeError(`The file ${path} of ${ctx.displayName} cannot be read by custom code`)
    },
  })
}

async function codeTools(
  source: Source,
  values: Readonly<Record<string, unknown>>,
  ctx: ComponentContext,
): Promise<ComponentTool[]> {
  const component = await load(source, ctx)
  return toolOutputs(component, values).map(({ output: name, parameters, ...facts }) => ({
    ...facts,
    parameters,
    call(args, callContext) {
      const known = Object.keys(Reflect.get(parameters, 'properties') as object)
      const given = Object.entries(args).filter(([key]) => known.includes(key))
      const merged = { ...values, ...Object.fromEntries(given) }
      return runOutput(source, name, { values: merged, ctx: callContext })
    },
  }))
}

function toField(wire: TemplateField): Field {
  const { display_name: displayName, load_from_db: loadFromDb, input_types: inputTypes } = wire
  const options: AnyFieldOptions = {
    ...(displayName === undefined ? {} : { displayName }),
    required: wire.required === true,
    show: wire.show !== false,
    list: wire.list === true || wire.is_list === true,
    toolMode: wire.tool_mode === true,
    loadFromDb: loadFromDb === true,
    inputTypes: inputTypes ?? null,
  }
  return { fieldKind: kindOfTemplate(wire), options }
}
