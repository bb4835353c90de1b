import { basicTable } from '../v09/basic-table.ts'
import type { CatalogTable } from '../v09/table.ts'

/**
 * The basic catalog of A2UI 1.0, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const basicTableV1 = {
  catalogId: 'https://a2ui.org/specification/v1_0/catalogs/basic/catalog.json',
  components: {
    Text: {
      fields: { text: 'dString', variant: { enum: ['caption', 'body'] }, weight: 'number' },
      required: ['text'],
    },
    Image: basicTable.components.Image,
    Icon: {
      fields: {
        name: {
          one: [
            basicTable.components.Icon.fields.name.one[0],
            { object: { fields: { svgPath: 'dString' }, required: ['svgPath'] } },
            'binding',
          ],
        },
        weight: 'number',
      },
      required: ['name'],
    },
    Video: {
      fields: { url: 'dString', posterUrl: 'dString', weight: 'number' },
      required: ['url'],
    },
    AudioPlayer: basicTable.components.AudioPlayer,
    Row: basicTable.components.Row,
    Column: {
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
    List: basicTable.components.List,
    Card: basicTable.components.Card,
    Tabs: basicTable.components.Tabs,
    Modal: basicTable.components.Modal,
    Divider: { fields: { axis: { enum: ['vertical', 'horizontal'] }, weight: 'number' } },
    Button: basicTable.components.Button,
    TextField: {
      fields: {
        checks: 'checks',
        label: 'dString',
        value: 'dString',
        placeholder: 'dString',
        variant: { enum: ['longText', 'number', 'shortText', 'obscured'] },
        weight: 'number',
      },
      required: ['label'],
    },
    CheckBox: basicTable.components.CheckBox,
    ChoicePicker: basicTable.components.ChoicePicker,
    Slider: {
      fields: {
        checks: 'checks',
        label: 'dString',
        min: 'number',
        max: 'number',
        value: 'dNumber',
        steps: { range: [1, null], whole: true },
        weight: 'number',
      },
      required: ['max', 'value'],
    },
    DateTimeInput: basicTable.components.DateTimeInput,
  },
  functions: {
    required: {
      args: { fields: { value: 'any' }, required: ['value'] },
      returns: 'validationResult',
    },
    regex: {
      args: { fields: { value: 'dString', pattern: 'string' }, required: ['value', 'pattern'] },
      returns: 'validationResult',
    },
    length: {
      args: {
        fields: {
          value: 'dString',
          min: { range: [0, null], whole: true },
          max: { range: [0, null], whole: true },
        },
        required: ['value'],
      },
      anyOf: ['min', 'max'],
      returns: 'validationResult',
    },
    numeric: {
      args: { fields: { value: 'dNumber', min: 'number', max: 'number' }, required: ['value'] },
      anyOf: ['min', 'max'],
      returns: 'validationResult',
    },
    email: {
      args: { fields: { value: 'dString' }, required: ['value'] },
      returns: 'validationResult',
    },
    formatString: basicTable.functions.formatString,
    formatNumber: basicTable.functions.formatNumber,
    formatCurrency: {
      args: {
        fields: {
          value: 'dNumber',
          currency: 'dString',
          decimals: 'dNumber',
          grouping: 'dBoolean',
        },
        required: ['value', 'currency'],
      },
      returns: 'string',
    },
    formatDate: {
      args: { fields: { value: 'dValue', format: 'dString' }, required: ['value', 'format'] },
      returns: 'string',
    },
    pluralize: basicTable.functions.pluralize,
    openUrl: {
      args: { fields: { url: { one: ['string', 'binding', 'call'] } }, required: ['url'] },
      returns: 'void',
    },
    and: basicTable.functions.and,
    or: basicTable.functions.or,
    not: basicTable.functions.not,
  },
  theme: null,
  instructions:
    'For layout, use the Row and Column components to organize other components.\n\n## Catalog Guidelines\n\n1. String Concatenation & Formatting: A2UI does not support binary operators like \'+\' or formatting symbols. To concatenate strings or dynamically inject data bindings into text, you must use the catalog function `formatString(value)` where the value string contains placeholders formatted as `${expression}`:\n   formatString("Hello ${/user/name}")\n\n2. Strict Hierarchy: You must strictly adhere to the requested component nesting and hierarchy. If the prompt specifies that a component is \'inside\' or \'contained in\' another component, you MUST place it as a child of that specific component, not as a sibling or in a different container.\n\n3. Validation Checks: When components support validation checks, specify any custom error messages directly as the \'message\' inside the check. Do NOT create separate text-display components to display validation errors.\n\n## Examples\n\nExample 1: Dynamic text form\n```json\n[\n  {\n    "version": "v1.0",\n    "createSurface": {\n      "surfaceId": "main",\n      "catalogId": "https://a2ui.org/specification/v1_0/catalogs/basic/catalog.json",\n      "components": [\n        {\n          "id": "root",\n          "component": "Column",\n          "children": ["repField", "valueField"]\n        },\n        {\n          "id": "repField",\n          "component": "TextField",\n          "label": "Representative",\n          "value": {"@path": "/form/rep"},\n          "placeholder": "Enter name"\n        },\n        {\n          "id": "valueField",\n          "component": "TextField",\n          "label": "Deal Value",\n          "value": {"@path": "/form/value"},\n          "placeholder": "0.00",\n          "variant": "number",\n          "checks": [\n            {\n              "condition": {\n                "@call": "required",\n                "args": {"value": {"@path": "/form/value"}}\n              },\n              "message": "Deal value is required."\n            }\n          ]\n        }\n      ],\n      "dataModel": {\n        "form": {\n          "rep": "John Doe",\n          "value": 1500.00\n        }\n      }\n    }\n  }\n]\n```\n\nExample 2: Dynamic list with templates\n```json\n[\n  {\n    "version": "v1.0",\n    "createSurface": {\n      "surfaceId": "main",\n      "catalogId": "https://a2ui.org/specification/v1_0/catalogs/basic/catalog.json",\n      "components": [\n        {\n          "id": "root",\n          "component": "Card",\n          "child": "breedList"\n        },\n        {\n          "id": "breedList",\n          "component": "List",\n          "children": {\n            "path": "/breeds",\n            "componentId": "breedTemplate"\n          },\n          "direction": "horizontal"\n        },\n        {\n          "id": "breedTemplate",\n          "component": "Image",\n          "url": {"@path": "url"}\n        }\n      ],\n      "dataModel": {\n        "breeds": [\n          {\n            "url": "https://example.com/poodle.jpg"\n          },\n          {\n            "url": "https://example.com/lab.jpg"\n          }\n        ]\n      }\n    }\n  }\n]\n```',
} as const satisfies CatalogTable
