import { defineSurfaceViewer } from 'surface-viewer/browser'
import { make } from './elements.ts'
import { replaceBelowTitle, type ConsolePage } from './page.ts'

/** The surface of the demo, which is watched only while the page is open. */
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
    replaceBelowTitle(section, [viewer])
  },
  leave: (section) => replaceBelowTitle(section, []),
}
