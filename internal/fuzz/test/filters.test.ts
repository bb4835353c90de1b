import { createSchemas, InvalidFilterError, matchFilter, parseFilter } from '@x/scim-core'
import { expect, test } from 'vitest'
import { hostileString, type Dice, type FuzzCase } from '../src/index.ts'
import { findFaults, NO_FAULTS } from './find-faults.ts'

const ATTRIBUTES = [
  'userName',
  'USERNAME',
  'name.givenName',
  'emails',
  'emails.value',
  'emails.type',
  'active',
  'meta.created',
  'id',
  'groups.value',
  'urn:ietf:params:scim:schemas:core:2.0:User:title',
  'x509Certificates.value',
  'nope',
  'a.b.c',
]
const OPERATORS = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le', 'EQ', 'like']
const LITERALS = [
  '"a"',
  '"work"',
  'true',
  'null',
  '1',
  '-1e9',
  '"2031-01-01T00:00:00Z"',
  '"\\u00e9"',
]

const schema = createSchemas().User
const USER = {
  id: '1',
  userName: 'ada@example.com',
  name: { givenName: 'Ada' },
  emails: [
    { value: 'ada@example.com', type: 'work', primary: true },
    { value: 'a@home.example', type: 'home' },
  ],
  active: true,
}

/** A filter by the grammar of RFC 7644 section 3.4.2.2, now and then broken. */
function filter(dice: Dice, depth = 4): string {
  if (dice.chance(0.04)) return hostileString(dice)
  const inner = (): string => filter(dice, depth - 1)
  switch (depth > 0 ? dice.integer(7) : 0) {
    case 1:
      return `${inner()} and ${inner()}`
    case 2:
      return `${inner()} or ${inner()}`
    case 3:
      return `not (${inner()})`
    case 4:
      return `(${inner()})`
    case 5:
      return `emails[${inner()}]`
    case 6:
      return `${dice.pick(ATTRIBUTES)} pr`
    default:
      return `${dice.pick(ATTRIBUTES)} ${dice.pick(OPERATORS)} ${literal(dice)}`
  }
}

function literal(dice: Dice): string {
  return dice.chance(0.2) ? JSON.stringify(hostileString(dice)) : dice.pick(LITERALS)
}

function make(dice: Dice): FuzzCase {
  const text = dice.chance(0.05)
    ? Array.from({ length: dice.pick([50, 400]) }, () => filter(dice, 0)).join(
        dice.pick([' and ', ' or ']),
      )
    : filter(dice)
  return { label: text, input: text }
}

test(
  'SC-40 every filter is parsed and matched, or refused as an invalid filter',
  { timeout: 900_000 },
  async () => {
    const faults = await findFaults({
      title: 'Filters',
      make,
      run(input) {
        try {
          matchFilter(parseFilter(String(input)), USER, schema)
        } catch (error) {
          if (!(error instanceof InvalidFilterError)) throw error
        }
      },
    })

    expect(faults).toEqual(NO_FAULTS)
  },
)
