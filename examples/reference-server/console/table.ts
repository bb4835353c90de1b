import { make } from './elements.ts'

/** A cell: text or an element. */
export type Cell = string | HTMLElement

/** A table that scrolls on narrow pages; without rows, `empty` is shown instead. */
export function tableOf(
  label: string,
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  empty: string,
): HTMLElement {
  if (rows.length === 0) return make('p', empty, { class: 'empty' })
  const table = make('table', '', { 'aria-label': label })
  const [thead, tbody] = [make('thead'), make('tbody')]
  thead.append(rowOf(head.map((text) => make('th', text, { scope: 'col' }))))
  for (const cells of rows)
    tbody.append(
      rowOf(
        cells.map((cell) => {
          const made = make('td', typeof cell === 'string' ? cell : '')
          if (typeof cell !== 'string') made.append(cell)
          return made
        }),
      ),
    )
  table.append(thead, tbody)
  const scroller = make('div', '', {
    class: 'scroller',
    tabindex: '0',
    role: 'group',
    'aria-label': label,
  })
  scroller.append(table)
  return scroller
}

function rowOf(cells: readonly HTMLElement[]): HTMLTableRowElement {
  const row = make('tr')
  row.append(...cells)
  return row
}

/** A time in the reader's locale. */
export function moment(time: string | null | undefined): string {
  if (typeof time !== 'string') return 'never'
  const date = new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`)
  return Number.isNaN(date.getTime()) ? time : date.toLocaleString()
}
