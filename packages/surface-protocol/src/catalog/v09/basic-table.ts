import { words } from '../words.ts'
import type { CatalogTable } from './table.ts'

/**
 * The basic catalog of A2UI 0.9.1, made by tools/generate-a2ui-tables.ts from the published document
 * (Copyright Google LLC and the A2UI authors, Apache License 2.0).
 */
export const basicTable = {
  catalogId: 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json',
  components: {
    Text: {
      fields: {
        text: 'dString',
        variant: { enum: ['h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body'] },
        weight: 'number',
      },
      required: ['text'],
    },
    Image: {
      fields: {
        url: 'dString',
        description: 'dString',
        fit: { enum: ['contain', 'cover', 'fill', 'none', 'scaleDown'] },
        variant: {
          enum: ['icon', 'avatar', 'smallFeature', 'mediumFeature', 'largeFeature', 'header'],
        },
        weight: 'number',
      },
      required: ['url'],
    },
    Icon: {
      fields: {
        name: {
          one: [
            {
              enum: words(
                'accountCircle add arrowBack arrowForward attachFile calendarToday call camera check close delete download edit event error fastForward favorite favoriteOff folder help home info locationOn lock lockOpen mail menu moreVert moreHoriz notificationsOff notifications pause payment person phone photo play print refresh rewind search send settings share shoppingCart skipNext skipPrevious star starHalf starOff stop upload visibility visibilityOff volumeDown volumeMute volumeOff volumeUp warning',
              ),
            },
            { object: { fields: { svgPath: 'string' }, required: ['svgPath'] } },
            'binding',
          ],
        },
        weight: 'number',
      },
      required: ['name'],
    },
    Video: { fields: { url: 'dString', weight: 'number' }, required: ['url'] },
    AudioPlayer: {
      fields: { url: 'dString', description: 'dString', weight: 'number' },
      required: ['url'],
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
    List: {
      fields: {
        children: 'children',
        direction: { enum: ['vertical', 'horizontal'] },
        align: { enum: ['start', 'center', 'end', 'stretch'] },
        weight: 'number',
      },
      required: ['children'],
    },
    Card: { fields: { child: 'id', weight: 'number' }, required: ['child'] },
    Tabs: {
      fields: {
        tabs: {
          list: {
            object: { fields: { title: 'dString', child: 'id' }, required: ['title', 'child'] },
          },
          min: 1,
        },
        weight: 'number',
      },
      required: ['tabs'],
    },
    Modal: {
      fields: { trigger: 'id', content: 'id', weight: 'number' },
      required: ['trigger', 'content'],
    },
    Divider: { fields: { axis: { enum: ['horizontal', 'vertical'] }, weight: 'number' } },
    Button: {
      fields: {
        checks: 'checks',
        child: 'id',
        variant: { enum: ['default', 'primary', 'borderless'] },
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
    CheckBox: {
      fields: { checks: 'checks', label: 'dString', value: 'dBoolean', weight: 'number' },
      required: ['label', 'value'],
    },
    ChoicePicker: {
      fields: {
        checks: 'checks',
        label: 'dString',
        variant: { enum: ['multipleSelection', 'mutuallyExclusive'] },
        options: {
          list: {
            object: { fields: { label: 'dString', value: 'string' }, required: ['label', 'value'] },
          },
        },
        value: 'dStrings',
        displayStyle: { enum: ['checkbox', 'chips'] },
        filterable: 'boolean',
        weight: 'number',
      },
      required: ['options', 'value'],
    },
    Slider: {
      fields: {
        checks: 'checks',
        label: 'dString',
        min: 'number',
        max: 'number',
        value: 'dNumber',
        weight: 'number',
      },
      required: ['value', 'max'],
    },
    DateTimeInput: {
      fields: {
        checks: 'checks',
        value: 'dString',
        enableDate: 'boolean',
        enableTime: 'boolean',
        min: 'dString',
        max: 'dString',
        label: 'dString',
        weight: 'number',
      },
      required: ['value'],
    },
  },
  functions: {
    required: { args: { fields: { value: 'any' }, required: ['value'] }, returns: 'boolean' },
    regex: {
      args: { fields: { value: 'dString', pattern: 'string' }, required: ['value', 'pattern'] },
      returns: 'boolean',
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
      returns: 'boolean',
    },
    numeric: {
      args: { fields: { value: 'dNumber', min: 'number', max: 'number' }, required: ['value'] },
      anyOf: ['min', 'max'],
      returns: 'boolean',
    },
    email: { args: { fields: { value: 'dString' }, required: ['value'] }, returns: 'boolean' },
    formatString: {
      args: { fields: { value: 'dString' }, required: ['value'] },
      returns: 'string',
    },
    formatNumber: {
      args: {
        fields: { value: 'dNumber', decimals: 'dNumber', grouping: 'dBoolean' },
        required: ['value'],
      },
      returns: 'string',
    },
    formatCurrency: {
      args: {
        fields: {
          value: 'dNumber',
          currency: 'dString',
          decimals: 'dNumber',
          grouping: 'dBoolean',
        },
        required: ['currency', 'value'],
      },
      returns: 'string',
    },
    formatDate: {
      args: { fields: { value: 'dValue', format: 'dString' }, required: ['format', 'value'] },
      returns: 'string',
    },
    pluralize: {
      args: {
        fields: {
          value: 'dNumber',
          zero: 'dString',
          one: 'dString',
          two: 'dString',
          few: 'dString',
          many: 'dString',
          other: 'dString',
        },
        required: ['value', 'other'],
      },
      returns: 'string',
    },
    openUrl: { args: { fields: { url: 'string' }, required: ['url'] }, returns: 'void' },
    and: {
      args: { fields: { values: { list: 'dBoolean', min: 2 } }, required: ['values'] },
      returns: 'boolean',
    },
    or: {
      args: { fields: { values: { list: 'dBoolean', min: 2 } }, required: ['values'] },
      returns: 'boolean',
    },
    not: { args: { fields: { value: 'dBoolean' }, required: ['value'] }, returns: 'boolean' },
  },
  theme: {
    fields: {
      primaryColor: { pattern: '^#[0-9a-fA-F]{6}$' },
      iconUrl: 'string',
      agentDisplayName: 'string',
    },
    open: true,
  },
} as const satisfies CatalogTable
