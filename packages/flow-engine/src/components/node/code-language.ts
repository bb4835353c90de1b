import type { CodeLanguage } from '../define/services.ts'

/** An ES module exports something; no line of Python starts like this. */
const SCRIPT = /^[ \t]*export[ \t]+(default|const|let|var|function|class|async|\{)/m
const PYTHON =
  /^[ \t]*(async[ \t]+)?def[ \t]+\w+[ \t]*\(|^[ \t]*class[ \t]+\w+[ \t]*(\([^)]{0,500}\)[ \t]*)?:|^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]|^[ \t]*import[ \t]+[\w.]+([ \t]+as[ \t]+\w+)?[ \t]*(,|$)/m

export function isScript(code: string): boolean {
  return SCRIPT.test(code)
}

/** Detects the language of source text from its first words. TypeScript unless it looks like Python. */
export function languageOf(code: string): CodeLanguage {
  return !isScript(code) && PYTHON.test(code) ? 'python' : 'typescript'
}
