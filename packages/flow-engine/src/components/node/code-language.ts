import type { CodeLanguage } from '../define/services.ts'

/** An ES module exports something; a line of Python never begins like that. */
const SCRIPT = /^[ \t]*export[ \t]+(default|const|let|var|function|class|async|\{)/m
const PYTHON =
  /^[ \t]*(async[ \t]+)?def[ \t]+\w+[ \t]*\(|^[ \t]*class[ \t]+\w+[ \t]*(\([^)]*\))?[ \t]*:|^[ \t]*from[ \t]+[\w.]+[ \t]+import[ \t]|^[ \t]*import[ \t]+[\w.]+([ \t]+as[ \t]+\w+)?[ \t]*(,|$)/m

export function isScript(code: string): boolean {
  return SCRIPT.test(code)
}

/** The language of a code text, by its first words; TypeScript unless it looks like Python. */
export function languageOf(code: string): CodeLanguage {
  return !isScript(code) && PYTHON.test(code) ? 'python' : 'typescript'
}
