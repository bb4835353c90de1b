import { catalogCore, type Catalog } from '../../catalog/catalog.ts'
import type { ObjectTable, SlotTable } from '../../catalog/v09/table.ts'
import { familyOf } from '../../data/version.ts'
import { SurfaceError } from '../../diagnostics/errors.ts'
import { checkExamples, type FormatPromptOptions } from '../prompt.ts'
import { decompileExpress } from './decompile-express.ts'
import { signatureOf } from './signature.ts'
import { targetVersion } from './target-version.ts'

/** The system prompt for answers as programs. Deterministic. */
export function formatExpressPrompt(options: FormatPromptOptions): string {
  const version = targetVersion(options.version)
  const { catalogs, examples = [], messages } = options
  if (catalogs.length === 0) {
    throw new SurfaceError({ code: 'invalid_catalog', detail: 'A prompt needs a catalog.' })
  }
  checkExamples(examples, { version, catalogs })
  const isTagged = familyOf(version) === '1.0'
  const may = (kind: string): boolean => messages?.includes(kind) ?? true
  const shown = examples.flatMap((example, index) => [
    `Example ${index + 1}:`,
    '<a2ui>',
    decompileExpress(example, { version, catalogs }),
    '</a2ui>',
  ])
  return [
    'You describe user interfaces as a program between <a2ui> and </a2ui>, one statement per line, without a fence.',
    ...(may('createSurface') || may('updateComponents')
      ? [
          'name = Type(...): a component with this id; arguments in the order below, or key=value behind them. ? = optional; _ skips one.',
        ]
      : []),
    ...(may('createSurface') ? ['root = ... is the top of a new surface; write it first.'] : []),
    'Where a component is expected write its name, or a component. Names may be defined later.',
    ...(may('updateDataModel') || may('createSurface')
      ? [
          '$/path = value: data. Values: "text", 1.5, true, false, null, [a, b], {key: value}. Texts: \\n, \\", \\\\; """over lines"""; r"raw".',
        ]
      : []),
    'A binding is $/path; $name in a template is a field of its row. _template($/rows, component) as children repeats the component for each row.',
    'action: Event("name", {key: value}?), or a function. checks: [?function(args, "message")]; an input is its own first argument.',
    'surface("id") before statements names the surface (else main); surface("id", update=true) changes one that exists.',
    ...(may('deleteSurface') ? ['deleteSurface("id") removes one.'] : []),
    ...(isTagged && may('callRendererFunction')
      ? ['A function call on its own line runs at once.']
      : []),
    ...(isTagged && catalogs.length > 1
      ? ['A type or function that is in several catalogs needs catalogId="...".']
      : []),
    'No prose, no JSON, no HTML between the tags.',
    ...catalogs.flatMap((catalog) => describeCatalog(catalog)),
    ...shown,
  ].join('\n')
}

/** The signatures of a catalog's types and functions. */
export function describeCatalog(catalog: Catalog): string[] {
  const table = catalogCore(catalog).v09?.table
  if (table === undefined) return []
  const { components, functions, instructions } = table
  const types = Object.entries(components).map(([type, row]) => signature(type, row))
  const calls = Object.entries(functions).map(
    ([name, { args, returns }]) => `${signature(name, args)} -> ${returns}`,
  )
  return [
    `Catalog ${table.catalogId}`,
    ...types,
    ...(calls.length === 0 ? [] : ['Functions:', ...calls]),
    ...(instructions === undefined ? [] : [instructions]),
  ]
}

function signature(name: string, table: ObjectTable): string {
  const { fields, required = [] } = table
  const parts = signatureOf(table).map((property) => {
    const type = slotText(fields[property])
    const isPlain = type === 'text' || type === property
    return `${property}${required.includes(property) ? '' : '?'}${isPlain ? '' : `: ${type}`}`
  })
  return `${name}(${parts.join(', ')})`
}

const names: Readonly<Record<string, string>> = {
  id: 'component',
  children: '[component]',
  string: 'text',
  dString: 'text',
  dNumber: 'number',
  dBoolean: 'boolean',
  dStrings: '[text]',
  dValue: 'value',
  any: 'value',
}

function slotText(slot: SlotTable | undefined): string {
  if (slot === undefined) return 'value'
  if (typeof slot === 'string') return names[slot] ?? slot
  if ('enum' in slot) return slot.enum.map((one) => String(one)).join('|')
  if ('list' in slot) return `[${slotText(slot.list)}]`
  if ('object' in slot) {
    const { fields, required = [] } = slot.object
    const members = Object.entries(fields).map(([name, inner]) => {
      const type = slotText(inner)
      return `${name}${required.includes(name) ? '' : '?'}${type === 'text' ? '' : `: ${type}`}`
    })
    return `{${members.join(', ')}}`
  }
  if ('one' in slot)
    return slot.one
      .filter((one) => one !== 'binding')
      .map(slotText)
      .join(' or ')
  if ('pattern' in slot) return 'text'
  return 'range' in slot ? 'number' : 'value'
}
