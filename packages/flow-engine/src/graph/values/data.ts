import { branded, hasBrand } from './brand.ts'

/** An object on an edge, with the name of the key that contains its text. */
export interface Data {
  readonly kind: 'data'
  readonly data: Readonly<Record<string, unknown>>
  readonly textKey: string
  readonly defaultValue: string
}

/**
 * @param options.textKey default "text"
 * @param options.defaultValue text if the key is absent; default ""
 */
export function createData(
  data: Readonly<Record<string, unknown>>,
  options: { readonly textKey?: string; readonly defaultValue?: string } = {},
): Data {
  return branded({
    kind: 'data',
    data,
    textKey: options.textKey ?? 'text',
    defaultValue: options.defaultValue ?? '',
  })
}

export function isData(value: unknown): value is Data {
  return hasBrand(value, 'data')
}
