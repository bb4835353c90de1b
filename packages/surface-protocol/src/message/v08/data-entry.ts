/** A key of a data model with its value. */
export type DataEntry = { key: string } & (
  | { valueString: string }
  | { valueNumber: number }
  | { valueBoolean: boolean }
  | { valueMap: DataEntry[] }
)
