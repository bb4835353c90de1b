import { createRequire } from 'node:module'
import {
  applyPatch,
  compileFilter,
  createSchemas,
  parseFilter,
  resolveFilter,
  type PatchOperation,
  type ScimDocument,
} from '@x/scim-core'
import { interleave, ratio, type Candidate } from '../lib/measure.ts'
import type { Figure } from '../lib/report.ts'

const FILTERS: readonly string[] = [
  'userName eq "bjensen@example.com"',
  'title pr and userType eq "Employee"',
  'userType eq "Employee" and (emails co "example.com" or emails.value co "example.org")',
  'emails[type eq "work" and value co "@example.com"] or ims[type eq "xmpp" and value co "@foo.com"]',
  'meta.lastModified gt "2011-05-13T04:42:34Z"',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department eq "Sales"',
  'not (active eq false) and name.familyName sw "O"',
]
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
const USER: ScimDocument = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', ENTERPRISE],
  id: '2819c223-7f76-453a-919d-413861904646',
  userName: 'bjensen@example.com',
  name: { familyName: "O'Brien", givenName: 'Barbara' },
  title: 'Tour Guide',
  userType: 'Employee',
  active: true,
  emails: [
    { value: 'bjensen@example.org', type: 'work', primary: true },
    { value: 'babs@jensen.example', type: 'home' },
  ],
  ims: [{ value: 'someaimhandle', type: 'aim' }],
  [ENTERPRISE]: { department: 'Sales' },
  meta: { lastModified: '2011-05-13T04:42:34.000Z' },
}
const REPLACES: Readonly<Record<string, PatchOperation>> = {
  'replace of active, without path': { op: 'replace', value: { active: false } },
  'replace of name.familyName': { op: 'replace', path: 'name.familyName', value: 'Jensen' },
  'replace of emails[type eq "work"].value': {
    op: 'replace',
    path: 'emails[type eq "work"].value',
    value: 'b@example.com',
  },
}
const MEMBERS = 10_000
const { User, Group } = createSchemas()

interface Peer {
  parse(text: string): unknown
  filter(filter: unknown): (resource: unknown) => boolean
}

/** The work in memory, beside scim2-parse-filter where `npm install` was run in `peers/`. */
export async function coreFigures(): Promise<Figure[]> {
  return [...(await filterFigures(loadPeer())), ...(await patchFigures())]
}

async function filterFigures(peer: Peer | undefined): Promise<Figure[]> {
  if (peer === undefined) {
    console.log('scim2-parse-filter is not installed: run `npm install` in bench/scim/peers')
    return []
  }
  const parsed = await interleave({
    ours: each(FILTERS, (text) => parseFilter(text)),
    peer: each(FILTERS, (text) => peer.parse(text)),
  })
  const tests = FILTERS.map(compiled)
  const peerTests = FILTERS.map((text) => peer.filter(peer.parse(text)))
  const evaluated = await interleave({
    ours: each(tests, (test) => test(USER)),
    peer: each(peerTests, (test) => test(USER)),
  })
  return [
    times('parsing a filter: times faster than scim2-parse-filter', parsed, 2),
    times('evaluating a filter: times faster than scim2-parse-filter', evaluated, 4),
  ]
}

function times(
  name: string,
  measured: Awaited<ReturnType<typeof interleave>>,
  limit: number,
): Figure {
  const ns = (of: string): string => (measured.get(of)?.median ?? NaN).toFixed(0)
  return {
    name,
    value: ratio(measured, 'peer', 'ours'),
    unit: 'x',
    limit,
    better: 'higher',
    note: `${ns('ours')} against ${ns('peer')} ns`,
  }
}

async function patchFigures(): Promise<Figure[]> {
  const candidates = Object.entries(REPLACES).map(([name, operation]) => {
    const operations = [operation]
    return [name, each([operations], (one) => applyPatch(USER, one, User))] as const
  })
  const replaced = await interleave(Object.fromEntries(candidates))
  const members = Array.from({ length: MEMBERS }, (_, n) => ({ value: `user-${n}`, type: 'User' }))
  const group = { displayName: 'All', members }
  const one: readonly PatchOperation[] = [{ op: 'add', path: 'members', value: [{ value: 'x' }] }]
  const other: readonly PatchOperation[] = [{ op: 'remove', path: 'members[value eq "user-5"]' }]
  const changed = await interleave({
    add: each([one], (operations) => applyPatch(group, operations, Group), 100),
    remove: each([other], (operations) => applyPatch(group, operations, Group), 100),
  })
  return [
    ...Object.keys(REPLACES).map((name) => ({
      name,
      value: (replaced.get(name)?.median ?? NaN) / 1000,
      unit: 'us',
      limit: 5,
    })),
    ...['add', 'remove'].map((name) => ({
      name: `${name} of one member in a group of ${MEMBERS}, for each member`,
      value: (changed.get(name)?.median ?? NaN) / MEMBERS,
      unit: 'ns',
      limit: 50,
    })),
  ]
}

function compiled(text: string): (resource: ScimDocument) => boolean {
  const filter = resolveFilter(parseFilter(text), User)
  if (typeof filter === 'boolean') throw new Error(`${text} is decided`)
  return compileFilter(filter)
}

/** Nanoseconds of one call of `work`, over all of `inputs` in turn. */
function each<Input>(
  inputs: readonly Input[],
  work: (input: Input) => unknown,
  turns = 10_000,
): Candidate {
  return () => {
    const started = process.hrtime.bigint()
    for (let turn = 0; turn < turns; turn += 1) for (const input of inputs) work(input)
    return Number(process.hrtime.bigint() - started) / turns / inputs.length
  }
}

function loadPeer(): Peer | undefined {
  const peers = createRequire(new URL('../scim/peers/package.json', import.meta.url))
  try {
    return peers('scim2-parse-filter') as Peer
  } catch {
    return undefined
  }
}
