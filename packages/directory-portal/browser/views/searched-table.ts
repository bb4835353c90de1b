import { button, choice, h, labelled } from '../dom.ts'
import type { ConnectionPage } from '../portal-view.ts'

type Choices = Parameters<typeof choice>[1]

/** A page of rows, and how the next one is asked for. */
export interface RowPage<Row> {
  readonly rows: readonly Row[]
  readonly next: string | null
}

/** A table that is searched, filtered by a choice, and read page by page. */
export function searchedTable<Row>(
  page: ConnectionPage,
  {
    part,
    title,
    columns,
    filter,
    load,
    row,
  }: {
    /** Of the search field: `PART-search`. */
    readonly part: string
    readonly title: string
    readonly columns: readonly string[]
    readonly filter: {
      readonly part: string
      readonly name: string
      readonly label: string
      readonly options: Choices
    }
    readonly load: (query: URLSearchParams) => Promise<RowPage<Row>>
    readonly row: (value: Row) => HTMLElement
  },
): HTMLElement {
  const { say, attempt } = page
  const rows = h('tbody')
  const more = h('p')
  const field = h('input', { type: 'search', 'data-part': `${part}-search` })
  let chosen = filter.options[0]?.[0] ?? ''
  const show = (after: string | null): Promise<void> =>
    attempt(async () => {
      const given = { search: field.value.trim(), [filter.name]: chosen, after: after ?? '' }
      const found = await load(
        new URLSearchParams(Object.entries(given).filter(([, value]) => value !== '')),
      )
      if (after === null) rows.replaceChildren()
      rows.append(...found.rows.map(row))
      more.replaceChildren(...following(page, rows, found.next, show))
    })
  field.addEventListener('change', () => void show(null))
  const select = choice(filter.part, filter.options, {
    value: chosen,
    change(value) {
      chosen = value
      void show(null)
    },
  })
  void show(null)
  const heads = columns.map((label) => h('th', { scope: 'col' }, label))
  return h(
    'section',
    {},
    h('h1', { tabindex: '-1' }, title),
    h('div', { class: 'filters' }, labelled(say('search'), field), labelled(filter.label, select)),
    h(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title },
      h('table', {}, h('thead', {}, h('tr', {}, ...heads)), rows),
    ),
    more,
  )
}

/** What stands below a list: that it is empty, or the way to its next page. */
export function following(
  { say }: ConnectionPage,
  rows: HTMLElement,
  next: string | null,
  load: (next: string) => unknown,
): readonly (string | HTMLElement)[] {
  if (next !== null) return [button('more', say('more'), () => load(next))]
  return rows.childElementCount === 0 ? [say('nothing')] : []
}
