import type { CycleStep } from './cycle.ts'
import { answer, contains, LIST, name, step, USER } from './steps.ts'

const found = (total: number, ...userNames: string[]): object => ({
  totalResults: total,
  ...(userNames.length > 0 && { Resources: userNames.map((userName) => ({ userName })) }),
})

const MINE = 'userName sw "x-scim-{{run}}-"'

/** Filters over the three users, the number of results and some of them. */
const FILTERS: readonly (readonly [
  id: string,
  filter: string,
  total: number | null,
  ...names: string[],
])[] = [
  ['EQ', `userName eq "${name(1)}"`, 1, name(1)],
  ['NE', `${MINE} and title ne "Alpha"`, null, name(2)],
  ['CO', `${MINE} and title co "lph"`, 1, name(1)],
  ['SW', `${MINE} and title sw "Be"`, 1, name(2)],
  ['EW', 'userName ew "{{run}}-2@{{domain}}"', 1, name(2)],
  ['PR', `${MINE} and title pr`, 2, name(1), name(2)],
  ['GT', `${MINE} and meta.created gt "2000-01-01T00:00:00Z"`, 3],
  ['GE', `${MINE} and meta.lastModified ge "2000-01-01T00:00:00Z"`, 3],
  ['LT', `${MINE} and meta.created lt "2000-01-01T00:00:00Z"`, 0],
  ['LE', `${MINE} and meta.created le "2000-01-01T00:00:00Z"`, 0],
  ['OR', `userName eq "${name(1)}" or userName eq "${name(2)}"`, 2, name(1), name(2)],
  ['NOT', `${MINE} and not (title eq "Alpha")`, null, name(2)],
  [
    'BINDS',
    `userName eq "${name(1)}" or userName eq "${name(2)}" and title eq "Alpha"`,
    1,
    name(1),
  ],
  [
    'GROUPED',
    `(userName eq "${name(1)}" or userName eq "${name(2)}") and title eq "Beta"`,
    1,
    name(2),
  ],
  ['VALUES', `${MINE} and emails[type eq "work" and value co "{{run}}-1@"]`, 1, name(1)],
  ['SUB', `emails.value eq "${name(2)}"`, 1, name(2)],
  ['COMPLEX', `${MINE} and name.familyName eq "Alpha"`, 1, name(1)],
  ['URN', `${USER}:userName eq "${name(1)}"`, 1, name(1)],
  ['NAMES', `USERNAME EQ "${name(1)}"`, 1, name(1)],
  ['BOOLEAN', `${MINE} and active eq true`, 3],
  ['EXTERNAL', 'externalId eq "x-scim-{{run}}-e1"', 1, name(1)],
]

/** Checks of filters, pages and sorting, over three users. */
export const lists: readonly CycleStep[] = [
  ...FILTERS.map(([id, filter, total, ...names]) =>
    step(`RFC-FILTER-${id}`, `the filter ${id.toLowerCase()}`, `GET /Users?filter=${filter}`, {
      needs: 'filter',
      ...(['GE', 'LE', 'COMPLEX', 'NAMES', 'URN'].includes(id) && {
        level: 'recommended' as const,
      }),
      expect: answer(
        200,
        contains(
          total === null
            ? { Resources: names.map((userName) => ({ userName })) }
            : found(total, ...names),
        ),
      ),
    }),
  ),
  step(
    'RFC-FIND-CASE',
    'userName is found in any case',
    'GET /Users?filter=userName eq "X-SCIM-{{run}}-2@{{domain}}"',
    {
      needs: 'filter',
      expect: answer(200, contains(found(1, name(2)))),
    },
  ),
  step(
    'RFC-FIND-NONE',
    'a filter that matches nobody is 200 with totalResults 0',
    'GET /Users?filter=userName eq "{{uuid}}@{{domain}}"',
    {
      needs: 'filter',
      expect: answer(200, contains({ schemas: [LIST], totalResults: 0 })),
    },
  ),
  step(
    'RFC-FIND-EMPTY',
    'an empty list has Resources',
    'GET /Users?filter=userName eq "{{uuid}}@{{domain}}"',
    {
      needs: 'filter',
      level: 'recommended',
      expect: answer(200, contains({ Resources: [] })),
    },
  ),
  step(
    'RFC-FILTER-WRONG',
    'a filter that cannot be read is 400 invalidFilter',
    'GET /Users?filter=userName eq',
    {
      needs: 'filter',
      expect: answer(400, contains({ scimType: 'invalidFilter' })),
    },
  ),
  step(
    'RFC-PAGE-TOTAL',
    'totalResults counts all results, not the page',
    `GET /Users?filter=${MINE} and active eq true and title pr&count=1`,
    {
      needs: 'filter',
      expect: answer(200, contains({ totalResults: 2 })),
    },
  ),
  step(
    'RFC-PAGE-FIRST',
    'startIndex begins at 1',
    `GET /Users?filter=${MINE} and title pr&sortBy=userName&startIndex=1&count=1`,
    {
      needs: 'sort',
      expect: answer(200, contains({ Resources: [{ userName: name(1) }] })),
    },
  ),
  step(
    'RFC-PAGE-SECOND',
    'startIndex 2 is the second result',
    `GET /Users?filter=${MINE} and title pr&sortBy=userName&startIndex=2&count=1`,
    {
      needs: 'sort',
      expect: answer(200, contains({ Resources: [{ userName: name(2) }] })),
    },
  ),
  step(
    'RFC-PAGE-NONE',
    'count 0 gives the total alone',
    `GET /Users?filter=${MINE} and title pr&count=0`,
    {
      needs: 'filter',
      expect: answer(200, { contains: { totalResults: 2 }, lacks: { Resources: [{}] } }),
    },
  ),
  step(
    'RFC-PAGE-END',
    'a page behind the end is empty, not an error',
    `GET /Users?filter=${MINE} and title pr&startIndex=1000&count=2`,
    {
      needs: 'filter',
      expect: answer(200, { contains: { totalResults: 2 }, lacks: { Resources: [{}] } }),
    },
  ),
  step(
    'RFC-SORT',
    'sortOrder descending',
    `GET /Users?filter=${MINE} and title pr&sortBy=title&sortOrder=descending&count=1`,
    {
      needs: 'sort',
      expect: answer(200, contains({ Resources: [{ userName: name(2) }] })),
    },
  ),
  step('RFC-SEARCH', 'POST .search answers as a list', 'POST /Users/.search', {
    needs: 'filter',
    level: 'recommended',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'],
      filter: `userName eq "${name(1)}"`,
    },
    expect: answer(200, contains(found(1, name(1)))),
  }),
  step(
    'RFC-CURSOR',
    'an empty cursor is the first page (RFC 9865)',
    `GET /Users?filter=${MINE} and title pr&cursor=&count=1`,
    {
      needs: 'cursor',
      expect: answer(200, contains({ totalResults: 2 })),
    },
  ),
]
