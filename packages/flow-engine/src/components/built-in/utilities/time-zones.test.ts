import { describe, expect, test } from 'vitest'
import { formatZonedTime, timeZoneNames } from './time-zones.ts'

const WINTER = new Date('2026-01-31T22:05:09Z')
const SUMMER = new Date('2026-07-31T22:05:09Z')

describe('formatZonedTime (CO-76)', () => {
  test.each([
    ['UTC', '2026-01-31 22:05:09 UTC', '2026-07-31 22:05:09 UTC'],
    ['Europe/Berlin', '2026-01-31 23:05:09 CET', '2026-08-01 00:05:09 CEST'],
    ['Europe/Dublin', '2026-01-31 22:05:09 GMT', '2026-07-31 23:05:09 IST'],
    ['America/New_York', '2026-01-31 17:05:09 EST', '2026-07-31 18:05:09 EDT'],
    ['Australia/Sydney', '2026-02-01 09:05:09 AEDT', '2026-08-01 08:05:09 AEST'],
    ['Asia/Kolkata', '2026-02-01 03:35:09 IST', '2026-08-01 03:35:09 IST'],
    ['America/Sao_Paulo', '2026-01-31 19:05:09 -03', '2026-07-31 19:05:09 -03'],
    ['Asia/Kathmandu', '2026-02-01 03:50:09 +0545', '2026-08-01 03:50:09 +0545'],
  ])('formats %s in winter and in summer', (zone, winter, summer) => {
    expect(formatZonedTime(WINTER, zone)).toBe(winter)
    expect(formatZonedTime(SUMMER, zone)).toBe(summer)
  })

  test('an unknown zone is an error', () => {
    expect(() => formatZonedTime(WINTER, 'Mars/Base')).toThrow(RangeError)
  })
})

describe('timeZoneNames', () => {
  test('is sorted and has no duplicates', () => {
    expect(timeZoneNames).toEqual([...new Set(timeZoneNames)].toSorted())
  })

  test('formats the time in every zone that Intl lists, with letters or an offset', () => {
    for (const name of Intl.supportedValuesOf('timeZone')) {
      expect(formatZonedTime(WINTER, name)).toMatch(
        /^\d{4}-\d\d-\d\d [\d:]{8} ([A-Za-z]{2,5}|[+-]\d\d(\d\d)?)$/,
      )
    }
  })
})
