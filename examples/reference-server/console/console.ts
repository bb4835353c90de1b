import { defineSurfaceViewer } from 'surface-viewer/browser'
import { resume, signIn, signOut } from './api.ts'
import { setUpDirectory } from './directory-view.ts'
import { attempt, byId, field, make, onSubmit } from './elements.ts'
import { setUpRuns, showFlows } from './flows-view.ts'

const SECTIONS = ['flows', 'directory', 'surface']

onSubmit('sign-in', async (fields) => {
  const username = field(fields, 'username')
  await signIn(username, field(fields, 'password'))
  await showUser(username)
})

async function showUser(username: string | null): Promise<void> {
  byId('sign-in', HTMLFormElement).hidden = username !== null
  byId('signed-in', HTMLDivElement).hidden = username === null
  byId('welcome', HTMLParagraphElement).hidden = username !== null
  byId('flows', HTMLElement).dataset['open'] = String(username !== null)
  byId('user', HTMLSpanElement).textContent = username ?? ''
  if (username !== null) await showFlows()
}

byId('sign-out', HTMLButtonElement).addEventListener('click', () =>
  attempt(async () => {
    await signOut()
    await showUser(null)
  }),
)

/** Shows the section that the address names; the surface is watched only while it is shown. */
function showSection(): void {
  const name = location.hash.slice(1)
  const chosen = SECTIONS.includes(name) ? name : 'flows'
  for (const section of SECTIONS) byId(section, HTMLElement).hidden = section !== chosen
  byId('surface', HTMLElement).replaceChildren(
    ...(chosen === 'surface'
      ? [
          make('surface-viewer', '', {
            surface: 'demo',
            stream: '/surfaces/demo/stream',
            events: '/surfaces/demo/events',
          }),
        ]
      : []),
  )
}

defineSurfaceViewer()
setUpRuns()
setUpDirectory()
addEventListener('hashchange', showSection)
showSection()
attempt(async () => showUser(await resume()))
