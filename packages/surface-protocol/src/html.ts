export { renderSurfaceHtml, type RenderSurfaceHtmlOptions } from './convert/render-html.ts'
