import { createShapeCatalog, type Catalog } from './catalog.ts'
import { iconNames } from './icon-names.ts'
import {
  enumOf,
  listOf,
  objectOf,
  optional,
  required,
  shapeOf,
  type Action,
  type BoundBoolean,
  type BoundNumber,
  type BoundString,
  type BoundStringArray,
  type BoundValue,
  type Children,
  type ComponentId,
  type Field,
  type ObjectOf,
  type SlotOf,
} from './slot.ts'

/** Id of the standard catalog of version 0.8, used if none is named. */
export const STANDARD_CATALOG_ID =
  'https://a2ui.org/specification/v0_8/standard_catalog_definition.json'
/** Id of the minimal catalog of version 0.8. */
export const MINIMAL_CATALOG_ID =
  'https://a2ui.org/specification/v0_8/catalogs/minimal/minimal_catalog.json'

const text: SlotOf<BoundString> = { kind: 'bound', value: 'string' }
const number: SlotOf<BoundNumber> = { kind: 'bound', value: 'number' }
const flag: SlotOf<BoundBoolean> = { kind: 'bound', value: 'boolean' }
const texts: SlotOf<BoundStringArray> = { kind: 'bound', value: 'stringArray' }
const icon: SlotOf<BoundString> = { kind: 'bound', value: 'string', literals: new Set(iconNames) }
const anyValue: SlotOf<BoundValue> = { kind: 'bound', value: 'any' }
const children: SlotOf<Children> = { kind: 'children' }
const reference: SlotOf<ComponentId> = { kind: 'reference' }
const plainString: SlotOf<string> = { kind: 'string' }
const plainNumber: SlotOf<number> = { kind: 'number' }
const integer: SlotOf<number> = { kind: 'integer' }
const plainBoolean: SlotOf<boolean> = { kind: 'boolean' }

const distribution = enumOf('center', 'end', 'spaceAround', 'spaceBetween', 'spaceEvenly', 'start')
const alignment = enumOf('start', 'center', 'end', 'stretch')
const axis = enumOf('vertical', 'horizontal')

/** The slot of an action, used by all catalogs. */
export const actionSlot: SlotOf<Action> = {
  kind: 'action',
  shape: shapeOf({
    name: required(plainString),
    context: optional(listOf(objectOf({ key: required(plainString), value: required(anyValue) }))),
  }),
}

const line = {
  children: required(children),
  distribution: optional(distribution),
  alignment: optional(alignment),
}

const standardTypes = {
  Text: {
    text: required(text),
    usageHint: optional(enumOf('h1', 'h2', 'h3', 'h4', 'h5', 'caption', 'body')),
  },
  Image: {
    url: required(text),
    altText: optional(text),
    fit: optional(enumOf('contain', 'cover', 'fill', 'none', 'scale-down')),
    usageHint: optional(
      enumOf('icon', 'avatar', 'smallFeature', 'mediumFeature', 'largeFeature', 'header'),
    ),
  },
  Icon: { name: required(icon) },
  Video: { url: required(text) },
  AudioPlayer: { url: required(text), description: optional(text) },
  Row: line,
  Column: line,
  List: {
    children: required(children),
    direction: optional(axis),
    alignment: optional(alignment),
  },
  Card: { child: required(reference) },
  Tabs: {
    tabItems: required(listOf(objectOf({ title: required(text), child: required(reference) }))),
  },
  Divider: { axis: optional(axis) },
  Modal: { entryPointChild: required(reference), contentChild: required(reference) },
  Button: {
    child: required(reference),
    primary: optional(plainBoolean),
    action: required(actionSlot),
  },
  CheckBox: { label: required(text), value: required(flag) },
  TextField: {
    label: required(text),
    text: optional(text),
    textFieldType: optional(enumOf('date', 'longText', 'number', 'shortText', 'obscured')),
    validationRegexp: optional(plainString),
  },
  DateTimeInput: {
    value: required(text),
    enableDate: optional(plainBoolean),
    enableTime: optional(plainBoolean),
  },
  MultipleChoice: {
    selections: required(texts),
    options: required(listOf(objectOf({ label: required(text), value: required(plainString) }))),
    maxAllowedSelections: optional(integer),
    variant: optional(enumOf('checkbox', 'chips')),
    filterable: optional(plainBoolean),
  },
  Slider: {
    value: required(number),
    label: optional(text),
    minValue: optional(plainNumber),
    maxValue: optional(plainNumber),
  },
} as const satisfies Record<string, Record<string, Field>>

type TypesOf<T extends Record<string, Record<string, Field>>> = {
  [Name in keyof T]: ObjectOf<T[Name]>
}

/** Types of the standard catalog with their properties on the wire. */
export interface StandardTypes extends TypesOf<typeof standardTypes> {}

const minimalNames = ['Text', 'Row', 'Column', 'Button', 'TextField'] as const

/** Types of the minimal catalog. */
export interface MinimalTypes extends Pick<StandardTypes, (typeof minimalNames)[number]> {}

/** The standard catalog of version 0.8: 18 types. */
export const standardCatalogV08: Catalog<StandardTypes> = createShapeCatalog<StandardTypes>(
  STANDARD_CATALOG_ID,
  new Map(Object.entries(standardTypes).map(([name, fields]) => [name, shapeOf(fields)])),
)

/** The minimal catalog of version 0.8: Text, Row, Column, Button, TextField. */
export const minimalCatalogV08: Catalog<MinimalTypes> = createShapeCatalog<MinimalTypes>(
  MINIMAL_CATALOG_ID,
  new Map(minimalNames.map((name) => [name, shapeOf(standardTypes[name])])),
)
