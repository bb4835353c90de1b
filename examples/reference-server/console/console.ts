import { resume, signIn, signOut } from './api.ts'
import { directoryPage } from './directory-page.ts'
import { attempt, byId, field, make, onSubmit } from './elements.ts'
import { flowsPage } from './flows-page.ts'
import { inboxPage } from './inbox-page.ts'
import { keysPage } from './keys-page.ts'
import { mcpPage } from './mcp-page.ts'
import { metricsPage } from './metrics-page.ts'
import { sectionOf, type ConsolePage, type User } from './page.ts'
import { startPage } from './start-page.ts'
import { surfacePage } from './surface-page.ts'
import { tracesPage } from './traces-page.ts'
import { variablesPage } from './variables-page.ts'

/** In the order of the menu. */
const PAGES: readonly ConsolePage[] = [
  startPage,
  flowsPage,
  inboxPage,
  tracesPage,
  mcpPage,
  keysPage,
  variablesPage,
  directoryPage,
  surfacePage,
  metricsPage,
]

const sections = new Map(PAGES.map((page) => [page, sectionOf(page)]))
let user: User | null = null
let shown: ConsolePage | undefined

/** The pages that the user may open. */
const menuOf = (who: User): ConsolePage[] =>
  PAGES.filter(({ forSuperusers = false }) => who.is_superuser || !forSuperusers)

function drawMenu(): void {
  const links = user === null ? [] : menuOf(user)
  byId('menu', HTMLUListElement).replaceChildren(
    ...[...links.map(({ name, title }) => [title, `#${name}`]), ['API', '/docs']].map(
      ([title = '', href = '']) => {
        const item = make('li')
        item.append(make('a', title, { href }))
        return item
      },
    ),
  )
}

/** Shows the page named by the address, after signing in. */
function showPage(): void {
  for (const [page, section] of sections) {
    if (page === shown) page.leave?.(section)
    section.hidden = true
  }
  shown = undefined
  if (user === null) return void (document.title = 'Console')
  const who = user
  const wanted = location.hash.slice(1)
  const page = menuOf(who).find(({ name }) => name === wanted) ?? startPage
  const section = sections.get(page)
  if (section === undefined) return
  shown = page
  section.hidden = false
  document.title = `${page.title} · Console`
  for (const link of document.querySelectorAll('#menu a'))
    if (link.getAttribute('href') === `#${page.name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  attempt(async () => page.open(section, who))
}

function showUser(who: User | null): void {
  user = who
  byId('sign-in', HTMLFormElement).hidden = who !== null
  byId('signed-in', HTMLDivElement).hidden = who === null
  byId('user', HTMLSpanElement).textContent = who?.username ?? ''
  drawMenu()
  showPage()
}

onSubmit('sign-in', async (fields) =>
  showUser(await signIn(field(fields, 'username'), field(fields, 'password'))),
)

byId('sign-out', HTMLButtonElement).addEventListener('click', () =>
  attempt(async () => {
    await signOut()
    // Removes everything the previous user has seen.
    location.reload()
  }),
)

addEventListener('hashchange', () => {
  showPage()
  // Screen readers announce the page.
  document.querySelector<HTMLElement>(`#${shown?.name ?? 'start'}-title`)?.focus()
})
attempt(async () => showUser(await resume()))
