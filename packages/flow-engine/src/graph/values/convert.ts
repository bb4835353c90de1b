import { isObject } from '@x/wire'
import { finish, finishCooperatively, type CooperativeWork } from '@x/wire'
import { FlowError } from '../../errors.ts'
import { createData, isData, type Data } from './data.ts'
import {
  completeRow,
  createDataFrame,
  isDataFrame,
  jsonColumns,
  type DataFrame,
  type Row,
} from './data-frame.ts'
import { toLiteralText } from './literal-text.ts'
import { cleanCell, markdownTable } from './markdown-table.ts'
import { createMessage, isMessage, isStream, type Message } from './message.ts'
import { messageToFields } from './message-json.ts'
import { createCharacterCount } from './table-size.ts'

export interface ToTextOptions {
  /** Tables only: drop empty rows, trim blank cells, collapse repeated newlines. Default false. */
  readonly cleanData?: boolean
}

/** Converts any value to a string. A message whose text is still streaming becomes "". */
export function toText(value: unknown, { cleanData = false }: ToTextOptions = {}): string {
  if (typeof value === 'string') return tidy(value)
  if (isMessage(value)) return typeof value.text === 'string' ? value.text : ''
  if (isData(value)) return `\`\`\`json\n${prettyJson(value.data)}\n\`\`\``
  if (isDataFrame(value)) return finish(markdownTable(value, { clean: cleanData }))
  return toLiteralText(value)
}

/** Like `toText`; yields to the event loop while a long table is written. */
export async function toTextInTurns(value: unknown, options: ToTextOptions = {}): Promise<string> {
  if (!isDataFrame(value)) return toText(value, options)
  return await finishCooperatively(markdownTable(value, { clean: options.cleanData === true }))
}

/** Any value that is not an edge value becomes a message with its text. */
export function toMessage(value: unknown): Message {
  if (isMessage(value)) return value
  if (isStream(value)) return createMessage(value)
  if (isData(value)) {
    return createMessage(
      Object.hasOwn(value.data, value.textKey) ? dataText(value) : toLiteralText(value.data),
    )
  }
  if (isDataFrame(value)) return createMessage(finish(cleanTable(value)))
  return createMessage(value === null || value === undefined ? '' : toLiteralText(value))
}

/** Like `toMessage`; yields to the event loop while a long table is written. */
export async function toMessageInTurns(value: unknown): Promise<Message> {
  if (!isDataFrame(value)) return toMessage(value)
  return createMessage(await finishCooperatively(cleanTable(value)))
}

/** A plain object becomes a Data, an array `{results}`, any other value `{text}`. */
export function toData(value: unknown): Data {
  if (isData(value)) return value
  if (isMessage(value))
    return createData({ text: typeof value.text === 'string' ? value.text : '' })
  if (isDataFrame(value)) return createData({ results: value.rows.map((row) => ({ ...row })) })
  if (Array.isArray(value)) return createData({ results: value.map(toPlain) })
  if (isObject(value)) return createData(value)
  return createData({ text: value === null || value === undefined ? '' : toLiteralText(value) })
}

/** An array becomes one row for each element; mixing Data and objects is an error. */
export function toDataFrame(value: unknown): DataFrame {
  if (isDataFrame(value)) return value
  if (isMessage(value)) return createDataFrame([toData(value).data])
  if (isData(value)) return createDataFrame(rowsOfData(value))
  if (Array.isArray(value)) return createDataFrame(rowsOfList(value))
  return createDataFrame([toData(value).data])
}

/** The text of a Data: the value of its text key, else its default value. */
export function dataText(data: Data): string {
  const text = Object.hasOwn(data.data, data.textKey) ? data.data[data.textKey] : undefined
  return text === undefined || text === null ? data.defaultValue : toLiteralText(text)
}

/**
 * Converts a value to plain JSON data: the object of a Data, the rows of a frame with null for missing cells, the fields of a message.
 */
export function toPlain(value: unknown): unknown {
  if (isMessage(value)) return messageToFields(value)
  if (isData(value)) return value.data
  if (isDataFrame(value)) {
    const columns = jsonColumns(value)
    return value.rows.map((row) => completeRow(row, columns))
  }
  return value
}

function rowsOfData({ data }: Data): readonly Row[] {
  const [only, ...others] = Object.values(data)
  const isTable = others.length === 0 && Array.isArray(only) && only.length > 0
  return isTable && only.every(isObject) ? only : [data]
}

function rowsOfList(list: readonly unknown[]): Row[] {
  const valued = list.filter((item) => isData(item) || isMessage(item)).length
  if (valued !== list.length && (valued > 0 || !list.every(isObject))) {
    throw new TypeError('List items must be either all Data objects or all dictionaries')
  }
  return list.map((item) =>
    isData(item) ? item.data : isMessage(item) ? toData(item).data : (item as Row),
  )
}

/** A table with blank cells trimmed and repeated newlines collapsed; keeps all rows. */
function* cleanTable(frame: DataFrame): CooperativeWork<string> {
  const count = createCharacterCount()
  const rows: Row[] = []
  for (const row of frame.rows) {
    let isDue = false
    const cells = Object.entries(row).map(([key, cell]): [string, unknown] => {
      isDue = count(typeof cell === 'string' ? cell : '') || isDue
      return [key, typeof cell === 'string' ? cleanCell(cell) : cell]
    })
    rows.push(Object.fromEntries(cells))
    if (isDue) yield
  }
  return yield* markdownTable(createDataFrame(rows, frame.columns), { lineBreak: '<br/>' })
}

function tidy(text: string): string {
  return text.replaceAll(/^\s*$/gm, '').replaceAll(/\n{3,}/g, '\n\n')
}

/** Maximum number of characters with which the JSON of a value is indented. */
const MOST_INDENTATION = 16 * 1024 * 1024

/**
 * JSON indented by two spaces; values JSON cannot represent are written as strings.
 * @throws FlowError `limit_exceeded` for values so deep that indentation multiplies them
 */
export function prettyJson(value: unknown): string {
  const depths = new WeakMap<object, number>()
  let indentation = 0
  const counted = function (this: object, _key: string, part: unknown): unknown {
    const depth = (depths.get(this) ?? -1) + 1
    indentation += 2 * depth
    if (indentation > MOST_INDENTATION) {
      const text = `The value is nested so deeply that its JSON is indented by more than ${MOST_INDENTATION} characters`
      throw new FlowError('limit_exceeded', text)
    }
    const safe = typeof part === 'bigint' ? part.toString() : toPlain(part)
    if (typeof safe === 'object' && safe !== null) depths.set(safe, depth)
    return safe
  }
  return JSON.stringify(value, counted, 2) ?? 'null'
}
