import { describe, expect, test } from 'vitest'
import { createDataFrame } from '@x/flow-engine'
import { describeColumns, knowledgeDocument, readColumns, ROW_ID } from './knowledge-columns.ts'

const frame = createDataFrame([{ text: 'red apple', src: 'a', n: 1 }])
const column = (name: string, vectorize: boolean, identifier: boolean) => ({
  name,
  vectorize,
  identifier,
})

describe('readColumns (CO-74)', () => {
  test('flags are booleans or their string forms', () => {
    const rows = [{ column_name: 'text', vectorize: 'True', identifier: 'False' }]
    expect(readColumns(rows, frame)).toEqual([column('text', true, false)])
  })

  test('an empty configuration and unknown columns are refused', () => {
    expect(() => readColumns([], frame)).toThrow('Column configuration cannot be empty')
    expect(() => readColumns([{ column_name: 'zz' }], frame)).toThrow(
      "Column 'zz' not found in DataFrame. Available columns: ['n', 'src', 'text']",
    )
  })
})

describe('knowledgeDocument (CO-74)', () => {
  const row = { text: 'red apple', src: 'a', n: 1, none: null }

  test('vectorised columns form the text, the others are kept beside it as strings', () => {
    const document = knowledgeDocument(row, [
      column('text', true, true),
      column('src', true, false),
    ])
    expect(document.text).toBe('red apple a')
    expect(document.metadata).toMatchObject({ n: '1' })
    expect(Object.keys(document.metadata)).toEqual(['_id', 'n'])
  })

  test('the id is the hash of the identifying columns, or of the text if there are none', () => {
    const hash = '510e9cd005e362235259c1dbb49fe549fa788a63b29535195f9d396f79e9a05b'
    const byText = knowledgeDocument(row, [column('text', true, true)])
    const bySource = knowledgeDocument(row, [
      column('text', true, false),
      column('src', false, true),
    ])
    const sameSource = knowledgeDocument({ ...row, text: 'other' }, [
      column('text', true, false),
      column('src', false, true),
    ])
    expect(byText.metadata[ROW_ID]).toBe(hash)
    expect(bySource.metadata[ROW_ID]).not.toBe(hash)
    expect(sameSource.metadata[ROW_ID]).toBe(bySource.metadata[ROW_ID])
  })
})

describe('describeColumns (CO-74)', () => {
  test('counts columns and names their roles', () => {
    const columns = [column('text', true, true), column('src', false, true)]
    expect(describeColumns(columns, frame)).toEqual({
      total_columns: 3,
      mapped_columns: 2,
      unmapped_columns: 1,
      columns,
      summary: { vectorized_columns: ['text'], identifier_columns: ['text', 'src'] },
    })
  })
})
