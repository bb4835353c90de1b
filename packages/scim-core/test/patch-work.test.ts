import { applyPatch, createSchemas, type PatchOperation } from '@x/scim-core'
import { describe, expect, test } from 'vitest'

const { User, Group } = createSchemas()

function emails(count: number, more: object = {}): object[] {
  return Array.from({ length: count }, (_, at) => ({ value: `u${at}@example.com`, ...more }))
}

/** What the work returns or throws; work that is not bounded takes longer than a test may. */
function outcomeOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const patch = (list: object[], operation: PatchOperation, times = 1_000): unknown =>
  outcomeOf(() =>
    applyPatch(
      { userName: 'ada', emails: list },
      Array.from({ length: times }, () => operation),
      User,
    ),
  )

describe('work of one PATCH', () => {
  test('a thousand operations on single elements of a long list are fast', () => {
    const result = outcomeOf(() =>
      applyPatch(
        { userName: 'ada', emails: emails(900) },
        Array.from({ length: 200 }, (_, at) => ({
          op: 'replace',
          path: `emails[value eq "u${at}@example.com"].display`,
          value: `Mail ${at}`,
        })),
        User,
      ),
    )
    expect(result).toMatchObject({ changed: ['emails'] })
  })

  const terms = Array.from({ length: 40 }, () => 'value co "zz"').join(' or ')
  test.each<[string, object[], PatchOperation]>([
    ['filters of many terms', emails(999), { op: 'remove', path: `emails[${terms}]` }],
    [
      'elements that are created again',
      emails(999),
      { op: 'replace', path: 'emails[value pr].display', value: 'x' },
    ],
    [
      'long texts',
      emails(999, { display: 'x'.repeat(1_000) }),
      { op: 'remove', path: 'emails[display co "xy"]' },
    ],
    [
      'lists of values to remove',
      emails(999),
      { op: 'remove', path: 'emails', value: emails(999, { type: 'x' }) },
    ],
    ['values that exist already', emails(999), { op: 'add', path: 'emails', value: emails(999) }],
  ])('%s are refused before they hold up others', (_, list, operation) => {
    expect(patch(list, operation)).toMatchObject({ status: 400, scimType: 'tooMany' })
  })

  test('filters on members count too; operations that a later replacement undoes are skipped', () => {
    const members = Array.from({ length: 20_000 }, (_, at) => ({ value: `id-${at}` }))
    const group = { displayName: 'all', members }
    const remove = { op: 'remove', path: 'members[display co "x"]' }
    const often = Array.from({ length: 1_000 }, () => remove)
    expect(outcomeOf(() => applyPatch(group, often, Group))).toMatchObject({ scimType: 'tooMany' })
    const replaced = [
      ...often.slice(1),
      { op: 'replace', path: 'members', value: [{ value: 'a' }] },
    ]
    expect(outcomeOf(() => applyPatch(group, replaced, Group))).toMatchObject({
      resource: { members: [{ value: 'a' }] },
    })
  })

  test('a resource does not grow beyond a request', () => {
    const add = { op: 'add', path: 'emails', value: emails(20, { display: 'x'.repeat(60_000) }) }
    expect(patch([], add, 1)).toMatchObject({
      status: 400,
      scimType: 'invalidValue',
      detail: 'The resource is longer than 1048576 characters.',
    })
  })
})
