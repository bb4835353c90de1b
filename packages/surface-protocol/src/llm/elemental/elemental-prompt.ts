import { familyOf } from '../../data/version.ts'
import { SurfaceError } from '../../diagnostics/errors.ts'
import { describeCatalog } from '../express/express-prompt.ts'
import { targetVersion } from '../express/target-version.ts'
import { checkExamples, type FormatPromptOptions } from '../prompt.ts'
import { decompileElemental } from './decompile-elemental.ts'

/** The system prompt for answers as documents. Deterministic. */
export function formatElementalPrompt(options: FormatPromptOptions): string {
  const version = targetVersion(options.version)
  const { catalogs, examples = [], messages } = options
  if (catalogs.length === 0) {
    throw new SurfaceError({ code: 'invalid_catalog', detail: 'A prompt needs a catalog.' })
  }
  checkExamples(examples, { version, catalogs })
  const may = (kind: string): boolean => messages?.includes(kind) ?? true
  const shown = examples.flatMap((example, index) => [
    `Example ${index + 1}:`,
    '<a2ui>',
    decompileElemental(example, { version, catalogs }),
    '</a2ui>',
  ])
  return [
    'You describe user interfaces as elements between <a2ui> and </a2ui>, without a fence.',
    ...(may('createSurface')
      ? ['<body id="..."> is a new surface; the component with id="root" is its top.']
      : []),
    ...(may('updateComponents') || may('updateDataModel')
      ? ['<body id="..." update> changes one that exists.']
      : []),
    ...(may('deleteSurface') ? ['<ui-delete-surface surface-id="..." /> removes one.'] : []),
    'TextField(label, value?) below is <ui-text-field id="..." label="..." value="..." />: types and properties in kebab case, ? = optional. Every component has its own id.',
    'Components of children or child stand within their parent; those of another property have slot="property". Lists and objects as JSON: <script type="application/json" slot="property">.',
    'Values that are no plain text stand in braces: weight="{1}", a binding text="{$/path}", a call text="{formatDate(value: $/date, format: \'d\')}". Texts in braces have single quotes.',
    'path="{$/rows}" with <template> around one component repeats it for each row; in it {$name} is a field of its row.',
    'action: onclick="{Event(\'name\', {key: $/path})}". checks="{[required(message: \'...\')]}"; an input is its own value.',
    ...(may('updateDataModel') || may('createSurface')
      ? ['Data: <script type="application/json">{...}</script> in the body.']
      : []),
    ...(familyOf(version) === '1.0' && catalogs.length > 1
      ? ['A type that is in several catalogs needs catalogId="...".']
      : []),
    'No prose, no other tags.',
    ...catalogs.flatMap(describeCatalog),
    ...shown,
  ].join('\n')
}
