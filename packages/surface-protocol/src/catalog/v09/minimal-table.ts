import { basicTable } from './basic-table.ts'
import type { CatalogTable } from './table.ts'

/**
 * The minimal catalog of A2UI 0.9.1, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const minimalTable = {
  catalogId: 'https://a2ui.org/specification/v0_9/catalogs/minimal/catalog.json',
  components: {
    Text: basicTable.components.Text,
    Row: basicTable.components.Row,
    Column: basicTable.components.Column,
    Button: {
      fields: {
        checks: 'checks',
        child: 'id',
        variant: { enum: ['primary', 'borderless'] },
        action: 'action',
        weight: 'number',
      },
      required: ['child', 'action'],
    },
    TextField: basicTable.components.TextField,
  },
  functions: {
    capitalize: { args: { fields: { value: 'dString' }, required: ['value'] }, returns: 'string' },
  },
  theme: { fields: { primaryColor: { pattern: '^#[0-9a-fA-F]{6}$' } }, open: true },
} as const satisfies CatalogTable
