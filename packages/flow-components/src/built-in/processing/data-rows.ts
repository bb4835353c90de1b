import { isObject } from '@x/wire'
import { isDataFrame } from '@x/flow-engine'
import { createData, isData, type Data } from '@x/flow-engine'
import { messageToFields } from '@x/flow-engine/internal'
import { isMessage } from '@x/flow-engine'
import { nameOfType } from '@x/flow-engine/internal'

/**
 * Returns the values of a field as Data: one per row of a table, none for null.
 * @throws TypeError for a value that is neither an object nor a table
 */
export function dataRows(values: unknown, label: string): Data[] {
  if (values === null || values === undefined) return []
  const list = Array.isArray(values) ? values.flat() : [values]
  return list.flatMap((value) => {
    if (isDataFrame(value)) return value.rows.map((row) => createData({ ...row }))
    if (isMessage(value)) return [createData(messageToFields(value))]
    if (isData(value)) return [value]
    if (isObject(value)) return [createData(value)]
    throw new TypeError(`The input ${label} expects Data, got ${nameOfType(value)}`)
  })
}
