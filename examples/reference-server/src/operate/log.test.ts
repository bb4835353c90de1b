import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'

afterEach(() => vi.restoreAllMocks())

function prettyLines(message: string, details: object): string {
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  createLog({ LOG_LEVEL: 'info', LOG_FORMAT: 'pretty' })('error', message, details)
  return written.mock.calls.map(([text]) => String(text)).join('')
}

test('OP-9: texts of clients add no fields, lines or terminal controls to readable logs', () => {
  const forged = '\n12:00:00.000 info forged'
  const text = prettyLines(`Error: ${forged}`, {
    requestId: 'a status=200',
    userId: 'plain',
    note: '\u001b[31mred\u009b',
    list: ['a b'],
    stack: `Error: ${forged}\n    at f (a.ts:1)`,
  })
  expect(text.slice(13)).toBe(
    [
      'error   Error: \\u000a12:00:00.000 info forged requestId="a status=200" userId=plain ' +
        'note=\\u001b[31mred\\u009b list=["a b"]',
      '    Error: ',
      '    12:00:00.000 info forged',
      '        at f (a.ts:1)',
      '',
    ].join('\n'),
  )
})
