export { renderSurfaceHtml, type RenderSurfaceHtmlOptions } from './html/render-html.ts'
export { renderSurfaceText, type RenderSurfaceTextOptions } from './html/render-text.ts'
