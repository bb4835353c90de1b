import { expect, test } from 'vitest'
import { missingNames } from './missing-names.ts'
import { unindentedStatements } from './python-statements.ts'

const none: ReadonlySet<string> = new Set()

test.each([
  ['import os, json as j\nfrom urllib import parse\nimport langflow.custom', /^nothing$/],
  ['try:\n    import openai\nexcept ImportError:\n    pass', /^nothing$/],
  ['def f():\n    import openai', /^nothing$/],
  ['if TYPE_CHECKING:\n    from openai import x', /^nothing$/],
  ['"""\nimport openai\n"""\n# import openai', /^nothing$/],
  [
    'import openai',
    /needs the Python package "openai", which cannot run in the sandbox\. Replace the node by Language Model\.$/,
  ],
  [
    'from chromadb.chat import (\n  A,\n  B,\n)\nimport a.b as c',
    /package "chromadb", which cannot run in the sandbox/,
  ],
  ['import mine', /"mine".* Put the wheel into SERVICE_PYTHON_WHEELS or replace the node\.$/],
  [
    'import torch\nimport mine',
    /package "torch", which cannot run in the sandbox\. Replace the node\.$/,
  ],
  ['from langchain_openai import ChatOpenAI\nimport langchain.tools', /^nothing$/],
])('PY-30: %j', (code, expected) => {
  const missing = missingNames(code, none)
  expect(missing ?? 'nothing').toMatch(expected)
})

test('FF-60: a package that the method of every use imports is named before the run', () => {
  const store = (body: string): string =>
    `class A(LCVectorStoreComponent):\n    def build_vector_store(self):\n${body}\n\n    def other(self):\n        import torch\n`
  const guarded = (end: string): string =>
    store(
      `        try:\n            from langchain_milvus.stores import Milvus\n        except ImportError as e:\n            text = "absent"\n            ${end}\n        return Milvus()`,
    )
  const expected =
    'needs the Python package "langchain_milvus", which cannot run in the sandbox. Replace the node by Chroma DB.'
  expect(missingNames(guarded('raise ImportError(text) from e'), none)).toBe(expected)
  expect(missingNames(guarded('Milvus = None'), none)).toBeUndefined()
  expect(missingNames(store('        import torch\n        return 1'), none)).toMatch(/"torch"/)
  expect(
    missingNames(store('        if self.fast:\n            import torch\n        return 1'), none),
  ).toBeUndefined()
})

test('PY-32: a base class that needs the models of the host is refused by name', () => {
  expect(missingNames('class A(LCChainComponent):\n    pass', none)).toBe(
    'A derives from LCChainComponent, which is not available to Python components',
  )
  expect(missingNames('class A(\n    base.LCChainComponent,\n):\n    pass', none)).toMatch(
    /LCChainComponent/,
  )
})

test('FF-75: a name that a package does not offer is refused, unless the operator brings the package', () => {
  const code = 'from langchain_core.tools import (\n  tool,\n  Odd as O,\n)'
  const expected = 'ImportError: Odd of langchain_core.tools is not available to Python components'
  expect(missingNames(code, none)).toBe(expected)
  expect(missingNames(code, new Set(['langchain_core']))).toBeUndefined()
  expect(missingNames('from langchain import hub', none)).toMatch(
    /^ImportError: hub of langchain is/,
  )
})

test('FF-60: a name that the packages of the reference have and the sandbox lacks is refused by name', () => {
  expect(missingNames('from lfx.base.odd.thing import Odd', none)).toBe(
    'ImportError: Odd of lfx.base.odd.thing is not available to Python components',
  )
  const known = 'from langflow.io import Output, MessageTextInput\nfrom lfx.schema import message'
  expect(missingNames(known, none)).toBeUndefined()
})

test('FF-61: the wheel is named only for packages that a wheel can bring', () => {
  expect(missingNames('import markdown2', none)).toBe(
    'needs the Python package "markdown2", which this server does not have. Put the wheel into SERVICE_PYTHON_WHEELS or replace the node.',
  )
  const native = `torch transformers weaviate pymilvus psycopg2 redis elasticsearch selenium playwright
    langchain_gigachat chromadb astrapy pymongo boto3 crewai docling llama_index cohere`
  for (const name of native.split(/\s+/)) {
    const text = missingNames(`import ${name}.part as x`, none)
    expect(text).toMatch(`needs the Python package "${name}", which cannot run in the sandbox.`)
    expect(text).not.toContain('WHEELS')
  }
  expect(missingNames('import psycopg2', none)).toMatch(/Replace the node by SQL Database\.$/)
  expect(missingNames('import torch, selenium', none)).toBe(
    'needs the Python packages "selenium", "torch", which cannot run in the sandbox. Replace the node.',
  )
})

test('PY-30: modules that the operator provides are not missing', () => {
  expect(missingNames('import mine', new Set(['mine']))).toBeUndefined()
})

test('PY-30: a long text takes time in proportion to its length', () => {
  /** CPU time in milliseconds, the minimum of three runs. */
  const of = (count: number): number => {
    const code = `${'('.repeat(count)}${'"""'.repeat(count)}${'#'.repeat(count)}${'\\'.repeat(count)}`
    const times = [1, 2, 3].map(() => {
      const begun = process.cpuUsage()
      unindentedStatements(code)
      return process.cpuUsage(begun).user / 1000
    })
    return Math.min(...times)
  }
  // Quadratic time would take over two hundred times as long for sixteen times the length.
  expect(of(160_000)).toBeLessThan(Math.max(300, of(10_000) * 100))
})
