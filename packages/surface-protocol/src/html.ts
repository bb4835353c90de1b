export { renderSurfaceHtml, type RenderSurfaceHtmlOptions } from './html/render-html.ts'
