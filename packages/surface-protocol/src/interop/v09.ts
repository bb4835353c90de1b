/** The version number in messages of 0.9. */
export const V09 = 'v0.9'

/** The basic catalog of version 0.9. */
export const V09_CATALOG_ID = 'https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'

/** Renamed properties by type, from 0.8 to 0.9. */
export const renames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Text: { usageHint: 'variant' },
  Image: { usageHint: 'variant', altText: 'description' },
  Row: { distribution: 'justify', alignment: 'align' },
  Column: { distribution: 'justify', alignment: 'align' },
  List: { alignment: 'align' },
  Tabs: { tabItems: 'tabs' },
  Modal: { entryPointChild: 'trigger', contentChild: 'content' },
  TextField: { text: 'value', textFieldType: 'variant' },
  MultipleChoice: { selections: 'value', variant: 'displayStyle' },
  Slider: { minValue: 'min', maxValue: 'max' },
}
