// For the packages of this workspace, of the same version only: no promise of compatibility.
export { createInflateBudget } from './archive/inflate-budget.ts'
export { readZipEntries } from './archive/read-zip.ts'
export { parseCurl } from './built-in/data-source/parse-curl.ts'
export { connectHttpMcp } from './built-in/models-and-agents/mcp-http.ts'
export {
  type CodeProblems,
  OFFERED_MODULES,
  checkCodeText,
  pythonLine,
} from './node/code-syntax.ts'
export { parseHtmlPage } from './web/html-page.ts'
export { isSuccess, sendRequest } from './web/send-request.ts'
export { descendantsOf, parseXml } from './web/xml-tree.ts'
