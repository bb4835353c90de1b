import { isFlowVariable } from '@x/flow-engine/internal'
import type { AddOptions } from './eject-node.ts'
import { Expression, stringLiteral, valueLiteral } from './literal.ts'
import type { NodeSource } from './node-source.ts'
import type { SourceContext } from './source-context.ts'
import { textWidth } from './text-width.ts'
import { fitsDeclaration } from './fits-declaration.ts'

/** Longer lists and objects are files. */
const MOST_LINES = 40

/** The statement that adds a node. */
export function addStatement(source: NodeSource, context: SourceContext): string {
  const { identifier, text, comments, added } = source
  const above = comments.map((comment) => `${comment}\n`).join('')
  const start = `export const ${identifier} = `
  if (added === undefined) return `${above}${start}flow.addNode(${text})`
  const head = `${start}flow.add(${text}, `
  const options = printed(source, added.options, context)
  return `${above}${head}${valueLiteral(options, '', { at: textWidth(head), after: 1 })})`
}

/** The options with values where the compiler accepts them, variables as calls, and long ones as imports. */
function printed(
  source: NodeSource,
  options: AddOptions,
  context: SourceContext,
): Record<string, unknown> {
  const { values = {}, fields = {}, ...rest } = options
  const inputs = source.added?.component.inputs ?? {}
  const typed: [string, unknown][] = []
  const others: [string, unknown][] = []
  for (const [name, value] of Object.entries({ ...values, ...fields })) {
    const declared = source.isTyped && Object.hasOwn(inputs, name) ? inputs[name] : undefined
    const isVariable = isFlowVariable(value)
    if (isVariable) context.usesVariables = true
    const fits = declared !== undefined && (isVariable || fitsDeclaration(declared, value))
    const shown = isVariable
      ? new Expression(`variable(${stringLiteral(value.variable)})`)
      : shortened(value, name, source.identifier, context)
    ;(fits ? typed : others).push([name, shown])
  }
  return {
    id: options.id,
    ...(rest.type === undefined ? {} : { type: rest.type }),
    ...(rest.displayName === undefined ? {} : { displayName: rest.displayName }),
    ...(rest.frozen === undefined ? {} : { frozen: rest.frozen }),
    ...(rest.toolMode === undefined ? {} : { toolMode: rest.toolMode }),
    ...(rest.outputs === undefined ? {} : { outputs: rest.outputs }),
    ...(rest.without === undefined ? {} : { without: rest.without }),
    ...(typed.length === 0 ? {} : { values: Object.fromEntries(typed) }),
    ...(others.length === 0 ? {} : { fields: Object.fromEntries(others) }),
    ...(rest.attributes === undefined ? {} : { attributes: rest.attributes }),
    ...(rest.tools === undefined ? {} : { tools: rest.tools }),
  }
}

function shortened(
  value: unknown,
  name: string,
  identifier: string,
  context: SourceContext,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (valueLiteral(value, '    ', { at: 4 }).split('\n').length <= MOST_LINES) return value
  return new Expression(
    context.importJson(value, {
      name: `${identifier}.${name}`,
      identifier: `${identifier} ${name}`,
    }),
  )
}
