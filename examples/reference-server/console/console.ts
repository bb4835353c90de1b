import { defineSurfaceViewer } from 'surface-viewer/browser'
import { signIn } from './api.ts'
import { setUpDirectory } from './directory-view.ts'
import { byId, field, make, onSubmit } from './elements.ts'
import { setUpRuns, showFlows } from './flows-view.ts'

const SECTIONS = ['flows', 'directory', 'surface']

onSubmit('sign-in', async (fields) => {
  const username = field(fields, 'username')
  await signIn(username, field(fields, 'password'))
  byId('sign-in', HTMLFormElement).hidden = true
  const user = byId('user', HTMLParagraphElement)
  user.hidden = false
  user.textContent = username
  await showFlows()
})

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
