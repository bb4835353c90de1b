/** Changes of an object: keys with new values, and keys that go. */
export interface LayoutPatch {
  readonly set?: Readonly<Record<string, unknown>>
  readonly unset?: readonly string[]
}

export interface FieldLayout extends LayoutPatch {
  /** A field that only the file has. */
  readonly add?: true
  /** Values that the source gives: they are set only while the source gives these. */
  readonly was?: Readonly<Record<string, unknown>>
}

export interface EdgeLayout extends LayoutPatch {
  /** What the id begins with; its ends follow. */
  readonly prefix?: string
}

export interface NodeLayout {
  readonly position?: unknown
  readonly node?: LayoutPatch
  readonly data?: LayoutPatch
  readonly details?: LayoutPatch
  readonly fields?: Readonly<Record<string, FieldLayout>>
  /** Fields that the component has and the file lacks. */
  readonly absent?: readonly string[]
  readonly order?: readonly string[]
  /** The outputs of the file, while the source gives those of these names. */
  readonly outputs?: { readonly was: readonly string[]; readonly now?: unknown }
}

/** What only the editor shows of a flow whose source is code: the sidecar that `x-flow eject` writes. */
export interface FlowLayout {
  readonly version: 1
  /** The graph is the file itself, not its `data`. */
  readonly bare?: true
  readonly flow?: LayoutPatch
  readonly graph?: LayoutPatch
  /** By id. */
  readonly nodes?: Readonly<Record<string, NodeLayout>>
  /** By `<source>.<output> -> <target>.<field>`. */
  readonly edges?: Readonly<Record<string, EdgeLayout>>
  /** Notes and other drawings, with their places among the nodes. */
  readonly notes?: readonly { readonly at: number; readonly node: unknown }[]
  /** Texts that occur several times: `{ "$": 0 }` stands for the first one, `{ "$": [value] }` for a value. */
  readonly texts?: readonly string[]
}

/** Replaces references to shared texts by the texts. */
export function withTexts(value: unknown, texts: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withTexts(item, texts))
  if (typeof value !== 'object' || value === null) return value
  const reference: unknown = Object.hasOwn(value, '$') ? Reflect.get(value, '$') : undefined
  if (typeof reference === 'number') return texts[reference] ?? ''
  if (Array.isArray(reference)) return reference[0] as unknown
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, withTexts(item, texts)]),
  )
}
