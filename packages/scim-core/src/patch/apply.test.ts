import { describe, expect, test } from 'vitest'
import { createSchemas } from '../schema/registry.ts'
import { applyPatch } from './apply.ts'

const { User, Group } = createSchemas()
const user = Object.freeze({
  userName: 'ada@corp.example',
  emails: Object.freeze([Object.freeze({ value: 'a', type: 'work', primary: true })]),
})

describe('applyPatch', () => {
  test('gives a new resource and the names that changed; the input is untouched', () => {
    const before = structuredClone(user)
    const { resource, changed } = applyPatch(
      user,
      [
        { op: 'add', path: 'emails', value: [{ value: 'b', primary: true }] },
        { op: 'replace', path: 'title', value: 'x' },
        { op: 'replace', path: 'userName', value: 'ada@corp.example' },
      ],
      User,
    )
    expect(user).toEqual(before)
    expect(changed).toEqual(['emails', 'title'])
    expect(resource).toEqual({
      userName: 'ada@corp.example',
      emails: [
        { value: 'a', type: 'work', primary: false },
        { value: 'b', primary: true },
      ],
      title: 'x',
    })
  })

  test('members of a group in memory', () => {
    const members = ['a', 'b'].map((value) => ({ value }))
    const { resource } = applyPatch(
      { displayName: 'g', members },
      [
        { op: 'add', path: 'members', value: [{ value: 'c' }, { value: 'a' }] },
        { op: 'remove', path: 'members[value eq "b"]' },
      ],
      Group,
    )
    expect(resource['members']).toEqual([{ value: 'a' }, { value: 'c' }])
  })

  test('throws the error of the first failing operation', () => {
    expect(() => applyPatch(user, [{ op: 'remove', path: 'userName' }], User)).toThrow(
      expect.objectContaining({ code: 'mutability' }),
    )
    expect(() =>
      applyPatch(user, [{ op: 'Add', path: 'title', value: 'x' }], User, { quirks: 'none' }),
    ).toThrow(expect.objectContaining({ code: 'invalid_syntax' }))
    expect(() => applyPatch({}, [], User)).toThrow(
      expect.objectContaining({ code: 'invalid_value' }),
    )
  })
})
