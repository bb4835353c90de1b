import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../../examples/reference-server/src/settings/read-settings.ts'
import { scimVariables } from '../../examples/reference-server/src/settings/scim-variables.ts'
import { variables } from '../../examples/reference-server/src/settings/variables.ts'

const read = (name: string): string =>
  readFileSync(new URL(`../../examples/deploy/${name}`, import.meta.url), 'utf8')

const FILES = ['Dockerfile', 'compose.yaml', 'flows.service', 'kubernetes.yaml']

/** What running requests and jobs get after the drain, in seconds. */
const PATIENCE = 8

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1])

describe('OP-15 deploy files', () => {
  test.each(FILES)('%s uses known variables only and contains no secret', (name) => {
    const text = read(name)
    const known = [...Object.keys(variables), ...Object.keys(scimVariables)]
    const named = [...text.matchAll(/\b(?:SERVICE|SCIM|OIDC)_[A-Z_]+\b/g)].map(([found]) => found)
    expect(named.length).toBeGreaterThan(0)
    expect(named.filter((variable) => !known.includes(variable))).toEqual([])
    expect(text).not.toMatch(/(?:PASSWORD|SECRET_KEY|TOKEN)[=:] ?['"]?[A-Za-z0-9]/)
  })

  test.each([
    ['compose.yaml', /stop_grace_period: (\d+)s/, /SERVICE_DRAIN_SECONDS: '(\d+)'/],
    ['flows.service', /TimeoutStopSec=(\d+)/, /SERVICE_DRAIN_SECONDS=(\d+)/],
    ['kubernetes.yaml', /terminationGracePeriodSeconds: (\d+)/, /DRAIN_SECONDS, value: '(\d+)'/],
  ])('%s leaves enough time to drain and stop', (name, grace, drain) => {
    const text = read(name)
    expect(numberIn(text, drain)).toBe(5)
    expect(numberIn(text, grace)).toBeGreaterThanOrEqual(Math.max(20, 5 + PATIENCE))
  })

  test('FL-84 alerts are about metrics that the server has', () => {
    const source = readFileSync(
      new URL('../../packages/flow-service/src/services/runs/run-metrics.ts', import.meta.url),
      'utf8',
    )
    const rules = read('alerts.yaml')
    const used = [...rules.matchAll(/\b(?:flow|database)_[a-z_]+\b/g)].map(([name]) => name)
    expect(used).toHaveLength(5)
    for (const name of used) expect(source).toContain(`'${name}'`)
    expect(rules.match(/- alert: /g)).toHaveLength(5)
  })

  test('the image runs as an unprivileged user and has a readiness health check', () => {
    const text = read('Dockerfile')
    const last = text.slice(text.lastIndexOf('\nFROM '))
    expect(text.match(/^FROM /gm)).toHaveLength(2)
    expect(last.indexOf('USER node')).toBeGreaterThan(0)
    expect(last.indexOf('USER node')).toBeLessThan(last.indexOf('CMD ['))
    expect(last).toContain('/health/ready')
    expect(text).not.toMatch(/^ADD |--unsafe-perm|chmod 777|curl .*\| ?sh/m)
    const missing = [...text.matchAll(/^COPY (?!--from)([^\n]+) \S+$/gm)]
      .flatMap(([, from = '']) => from.split(' '))
      .filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))
    expect(missing).toEqual([])
  })

  test('the PostgreSQL driver is a production dependency', () => {
    const text = readFileSync(
      new URL('../../examples/reference-server/package.json', import.meta.url),
      'utf8',
    )
    expect(JSON.parse(text)).toHaveProperty('dependencies.pg')
  })

  test('containers write to their volumes only and cannot gain privileges', () => {
    const compose = read('compose.yaml')
    expect(compose).toMatch(/read_only: true[^]*cap_drop: \[ALL\][^]*no-new-privileges:true/)
    expect(compose).toMatch(/ports: \['127\.0\.0\.1:/)
    const cluster = read('kubernetes.yaml')
    for (const line of [
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'allowPrivilegeEscalation: false',
      'capabilities: { drop: [ALL] }',
      'automountServiceAccountToken: false',
    ])
      expect(cluster).toContain(line)
    expect(read('flows.service')).toMatch(/NoNewPrivileges=yes\nProtectSystem=strict/)
  })

  test('a rolling update never reduces the number of replicas; probes use the health paths', () => {
    const text = read('kubernetes.yaml')
    expect(text).toMatch(/replicas: 2/)
    expect(text).toMatch(/maxUnavailable: 0, maxSurge: 1/)
    expect(text).toMatch(/readinessProbe:\n\s+httpGet: \{ path: \/health\/ready,/)
    expect(text).toMatch(/livenessProbe:\n\s+httpGet: \{ path: \/health,/)
  })

  test('the settings of the image are valid', () => {
    const [, block = ''] = /^ENV ([^]*?)\nWORKDIR/m.exec(read('Dockerfile')) ?? []
    const env = Object.fromEntries(
      [...block.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]),
    )
    const { settings, warnings } = readSettings(env)
    expect(warnings).toEqual([])
    expect(settings).toMatchObject({ HOST: '0.0.0.0', PORT: 7860, SERVICE_DRAIN_SECONDS: 5 })
  })
})
