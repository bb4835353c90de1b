import { expect, test } from 'vitest'
import { plainCode } from './plain-code.ts'

test('FF-62: blanks at line ends, blank and comment lines, line ends and the name of the package do not change code', () => {
  const one = 'from lfx.custom import A\n\nclass B(A):\n    """Doc."""\n    x = 1\n'
  const other =
    "\uFEFF# saved by hand\r\nfrom langflow.custom import A  \r\nclass B(A):\r\n    '''Doc.'''\r\n    # one\r\n\r\n    x = 1"
  expect(plainCode(other)).toBe(plainCode(one))
  for (const changed of ['    x = 2', '   x = 1', '    x = 1 # kept'])
    expect(plainCode(one.replace('    x = 1', changed))).not.toBe(plainCode(one))
})
