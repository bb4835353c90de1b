import { expect, test } from 'vitest'
import { jsonMembers } from './json-members.ts'

test('OP-9: the lines of the log are the JSON that JSON.stringify makes', () => {
  const cases: object[] = [
    {},
    { requestId: 'a', status: 200, ms: 0.4, bytes: -0, userId: undefined, path: null },
    { text: 'quote " backslash \\ newline \n é \u2028 \ud800', 'a "name"': true },
    { list: [], names: ['a', 'b'], inner: { a: { b: [1] } }, at: new Date(0), at2: [undefined] },
    { none: undefined, run: () => 1, sign: Symbol('s'), far: Infinity, no: Number.NaN, big: 1e21 },
  ]
  for (const object of cases) expect(`{${jsonMembers(object)}}`).toBe(JSON.stringify(object))
})
