import { defineSurfaceViewer } from 'surface-viewer/browser'

defineSurfaceViewer()
