import type { CatalogTable } from './table.ts'

/**
 * The minimal catalog of A2UI 0.9.1, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const minimalTable = {
  catalogId: 'https://a2ui.org/specification/v0_9/catalogs/minimal/catalog.json',
  components: {
    Text: {
      fields: {
        text: 'dString',
        variant: { enum: ['h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body'] },
        weight: 'number',
      },
      required: ['text'],
    },
    Row: {
      fields: {
        children: 'children',
        justify: {
          enum: ['center', 'end', 'spaceAround', 'spaceBetween', 'spaceEvenly', 'start', 'stretch'],
        },
        align: { enum: ['start', 'center', 'end', 'stretch'] },
        weight: 'number',
      },
      required: ['children'],
    },
    Column: {
      fields: {
        children: 'children',
        justify: {
          enum: ['start', 'center', 'end', 'spaceBetween', 'spaceAround', 'spaceEvenly', 'stretch'],
        },
        align: { enum: ['center', 'end', 'start', 'stretch'] },
        weight: 'number',
      },
      required: ['children'],
    },
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
    TextField: {
      fields: {
        checks: 'checks',
        label: 'dString',
        value: 'dString',
        variant: { enum: ['longText', 'number', 'shortText', 'obscured'] },
        validationRegexp: 'string',
        weight: 'number',
      },
      required: ['label'],
    },
  },
  functions: {
    capitalize: { args: { fields: { value: 'dString' }, required: ['value'] }, returns: 'string' },
  },
  theme: { fields: { primaryColor: { pattern: '^#[0-9a-fA-F]{6}$' } }, open: true },
} as const satisfies CatalogTable
