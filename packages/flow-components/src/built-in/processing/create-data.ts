import { isObject } from '@x/wire'
import { createData as makeData, isData, type Data } from '@x/flow-engine'
import type { NodeTemplate, TemplateField } from '@x/flow-engine'
import { defineComponent } from '@x/flow-engine'
import { field } from '@x/flow-engine'
import { output } from '@x/flow-engine'
import { fieldToTemplate } from '@x/flow-engine/internal'
import { checkCells } from '@x/flow-engine/internal'
import { dataRows } from './data-rows.ts'

const MAX_FIELDS = 15
const FIELD = /^field_(\d{1,2})_key$/

const common = {
  text_key: field.text({
    displayName: 'Text Key',
    info: 'The key that contains the text of the Data.',
    advanced: true,
  }),
  text_key_validator: field.bool({
    displayName: 'Text Key Validator',
    info: 'Fail if the Data does not have the text key.',
    default: false,
    advanced: true,
  }),
}

/** Creates Data from fields added by the flow's author. */
export const createData = defineComponent({
  type: 'CreateData',
  furtherFields: true,
  displayName: 'Create Data',
  description: 'Creates Data from a number of fields.',
  icon: 'ListFilter',
  category: 'processing',
  module: 'lfx.components.processing.create_data.CreateDataComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    number_of_fields: field.int({
      displayName: 'Number of Fields',
      default: 1,
      min: 1,
      max: MAX_FIELDS,
      step: 1,
      refresh: true,
    }),
    ...common,
  },
  outputs: {
    data: output.data({
      displayName: 'Data',
      method: 'build_data',
      run(inputs, ctx) {
        const data = withText(fieldsOf(inputs), inputs)
        ctx.status(data)
        return data
      },
    }),
  },
  refresh: (template, name, value) => showFields(template, name, value),
})

/** Adds or replaces fields of Data. */
export const updateData = defineComponent({
  type: 'UpdateData',
  furtherFields: true,
  displayName: 'Update Data',
  description: 'Adds or replaces fields of Data.',
  icon: 'FolderSync',
  category: 'processing',
  module: 'lfx.components.processing.update_data.UpdateDataComponent',
  legacy: true,
  replacement: ['processing.DataOperations'],
  inputs: {
    old_data: field.handle({ displayName: 'Data', types: ['Data'], list: true, required: true }),
    number_of_fields: field.int({
      displayName: 'Number of Fields',
      default: 0,
      min: 1,
      max: MAX_FIELDS,
      step: 1,
      refresh: true,
    }),
    ...common,
  },
  outputs: {
    data: output.any({
      displayName: 'Data',
      method: 'build_data',
      types: ['Data'],
      run(inputs, ctx) {
        const old = dataRows(inputs.old_data, '"Data" (old_data)')
        const fields = fieldsOf(inputs)
        checkCells(old.length, Object.keys(fields).length)
        const updated = old.map(({ data, textKey }) =>
          withText({ ...data, ...fields }, inputs, textKey),
        )
        const result = updated.length === 1 ? updated[0] : updated
        ctx.status(result)
        return result
      },
    }),
  },
  refresh: (template, name, value) => showFields(template, name, value),
})

interface DataInputs {
  readonly text_key: string
  readonly text_key_validator: boolean
}

/** Returns Data with these values. Keeps the text key unless the node specifies one. */
function withText(result: Data['data'], inputs: DataInputs, textKey = 'text'): Data {
  const key = inputs.text_key === '' ? textKey : inputs.text_key
  if (inputs.text_key_validator && !Object.hasOwn(result, key)) {
    throw new TypeError(
      `Text Key: '${key}' is not a key of the Data: ${Object.keys(result).join(', ')}`,
    )
  }
  return makeData(result, { textKey: key })
}

/** Returns the values of the fields `field_<n>_key`, in order. */
function fieldsOf(inputs: object): Record<string, unknown> {
  const numbered = Object.entries(inputs).flatMap(([name, value]): [number, unknown][] => {
    const [, number] = FIELD.exec(name) ?? []
    return number === undefined ? [] : [[Number(number), value]]
  })
  const parts = numbered.toSorted(([a], [b]) => a - b).flatMap(([, value]) => value)
  return Object.fromEntries(
    parts.flatMap((part) => Object.entries(isData(part) ? part.data : isObject(part) ? part : {})),
  )
}

/** Shows as many fields as requested; existing fields keep their values. */
function showFields(template: NodeTemplate, name: string, value: unknown): undefined {
  if (name !== 'number_of_fields') return
  const count = Math.trunc(Number(value))
  if (!(count >= 1 && count <= MAX_FIELDS)) {
    throw new RangeError(`Number of Fields must be a number from 1 to ${MAX_FIELDS}`)
  }
  for (const key of Object.keys(template)) {
    const [, number] = FIELD.exec(key) ?? []
    if (number !== undefined && Number(number) > count) delete template[key]
  }
  for (let number = 1; number <= count; number += 1) {
    const key = `field_${number}_key`
    if (template[key] === undefined) template[key] = newField(key, number)
  }
}

function newField(name: string, number: number): TemplateField {
  const declared = field.dict({
    displayName: `Field ${number}`,
    info: `Keys and values of field ${number}.`,
    inputTypes: ['Message', 'Data'],
  })
  return fieldToTemplate(name, declared)
}
