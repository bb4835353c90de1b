import { defineSurfaceViewer } from 'surface-viewer/browser'
import { make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'

const ABOUT = 'The server streams this surface. Its button changes it for everyone who has it open.'

/** The demo surface; its stream is open only while the page is. */
export const surfacePage: ConsolePage = {
  name: 'surface',
  title: 'Surface',
  open(section) {
    if (customElements.get('surface-viewer') === undefined) defineSurfaceViewer()
    const viewer = make('surface-viewer', '', {
      surface: 'demo',
      stream: '/surfaces/demo/stream',
      events: '/surfaces/demo/events',
    })
    replaceBelowTitle(section, [make('p', ABOUT, { class: 'lead' }), viewer])
  },
  leave: (section) => replaceBelowTitle(section, []),
}
