import { parseArgs } from 'node:util'
import { createSystemRuntime, isObject } from '@x/wire'
import { ExchangeError } from './client.ts'
import { readCycle, type Cycle } from './cycle.ts'
import { CYCLES } from './cycles.ts'
import { requestToken, type ClientCredentials } from './request-token.ts'
import { junitXml, resultLine, summaryLine } from './report.ts'
import {
  NotVerifiableError,
  verifyScim,
  type CheckResult,
  type VerifyReport,
} from './verify-scim.ts'

/** What the command reads and writes. */
export interface CommandSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly readFile: (path: string) => Promise<string>
  readonly writeFile: (path: string, text: string) => Promise<void>
  readonly fetch?: typeof fetch
  readonly signal?: AbortSignal
}

class UsageError extends Error {}

const HELP = `x-scim verify URL [options]      tries a SCIM server the way directories do

  --token T, --token-env NAME       bearer token, or the variable that holds it
  --header 'N: v'                   a header of each request; can be repeated
  --client-id, --client-secret-env, --token-url
                                    client credentials (OAuth 2.0)
  --client-assertion-env            a JWT of another issuer in place of the secret
  --profile a,b                     ${[...CYCLES.keys(), 'all'].join(', ')} (rfc)
  --only ID,..  --skip ID,..        checks to run, or to leave out
  --list                            prints the checks, without a request
  --cycle FILE                      runs a recording of your own
  --user-domain D                   domain of made users (x-scim.example)
  --junit FILE  --json FILE         results for machines
  --timeout S  --rate N             seconds for each request (30), requests per second (20)
  --keep                            leaves what it made

Exit: 0 all required checks pass, 1 one fails, 2 the server cannot be verified, 3 something made is left.`

/** The command `x-scim`; gives its exit code. */
export async function runCommand(
  parameters: readonly string[],
  around: CommandSurroundings,
): Promise<number> {
  const secrets: string[] = []
  const print = (line: string): void => around.print(withoutSecrets(line, secrets))
  try {
    return await verify(parameters, { ...around, print }, secrets)
  } catch (error) {
    if (!(error instanceof UsageError) && !(error instanceof NotVerifiableError)) throw error
    print(`x-scim: ${error.message}`)
    return 2
  }
}

async function verify(
  parameters: readonly string[],
  around: CommandSurroundings,
  secrets: string[],
): Promise<number> {
  const { values, positionals } = readParameters(parameters)
  const { print } = around
  const [command, url, ...rest] = positionals
  if (values.help === true || command === undefined) {
    print(HELP)
    return values.help === true ? 0 : 2
  }
  if (command !== 'verify' || rest.length > 0)
    throw new UsageError('the command is: x-scim verify URL')
  const cycles = await chosenCycles(values, around)
  if (values.list === true) {
    for (const { name, source, steps } of cycles) {
      print(`${name}: ${source}`)
      for (const { id, level, title } of steps)
        print(`  ${level.padEnd(11)} ${id.padEnd(26)} ${title}`)
    }
    return 0
  }
  if (url === undefined || !/^https?:\/\//i.test(url) || !URL.canParse(url))
    throw new UsageError('give the base URL of the SCIM server, with http or https')
  const client = clientOf(values, around, secrets)
  const headers = await credentials(values, { around, client, secrets })
  const only = words(values.only)
  const skip = words(values.skip)
  const report = await verifyScim({
    url,
    cycles,
    headers,
    ...(client !== undefined && { client }),
    isChosen: ({ id }) => (only.length === 0 || only.includes(id)) && !skip.includes(id),
    userDomain: values['user-domain'],
    timeoutMs: positive('timeout', values.timeout) * 1000,
    perSecond: positive('rate', values.rate),
    keep: values.keep === true,
    onResult: (result) => print(resultLine(result)),
    ...(around.fetch !== undefined && { fetch: around.fetch }),
    ...(around.signal !== undefined && { signal: around.signal }),
  })
  return conclude(report, { values, around, secrets })
}

async function conclude(
  report: VerifyReport,
  {
    values,
    around,
    secrets,
  }: {
    readonly values: ReturnType<typeof readParameters>['values']
    readonly around: CommandSurroundings
    readonly secrets: readonly string[]
  },
): Promise<number> {
  const { print, writeFile } = around
  const save = (path: string, text: string) => writeFile(path, withoutSecrets(text, secrets))
  if (values.junit !== undefined) await save(values.junit, junitXml(report))
  if (values.json !== undefined) {
    const checks = report.checks.map(shortResult)
    await save(values.json, `${JSON.stringify({ url: report.url, checks }, null, 2)}\n`)
  }
  for (const note of report.notes) print(note)
  for (const path of report.left) print(`x-scim: left behind: ${path}`)
  print(summaryLine(report))
  if (report.left.length > 0) return 3
  if (around.signal?.aborted === true) throw new UsageError('the run was interrupted')
  return report.checks.some(({ result }) => result === 'failed') ? 1 : 0
}

const shortResult = ({ id, profile, level, title, result, message }: CheckResult): object => ({
  id,
  profile,
  level,
  title,
  result,
  ...(message !== undefined && { message }),
})

function readParameters(parameters: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  try {
    return parseArgs({
      args: [...parameters],
      allowPositionals: true,
      options: {
        token: text,
        'token-env': text,
        header: { type: 'string', multiple: true },
        'client-id': text,
        'client-secret-env': text,
        'client-assertion-env': text,
        'token-url': text,
        profile: { type: 'string', default: 'rfc' },
        only: text,
        skip: text,
        list: flag,
        cycle: text,
        'user-domain': { type: 'string', default: 'x-scim.example' },
        junit: text,
        json: text,
        timeout: { type: 'string', default: '30' },
        rate: { type: 'string', default: '20' },
        keep: flag,
        help: flag,
      },
    })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

type Values = ReturnType<typeof readParameters>['values']

async function chosenCycles(
  { profile, cycle: file }: Values,
  { readFile }: CommandSurroundings,
): Promise<readonly Cycle[]> {
  if (file !== undefined) {
    try {
      return [readCycle(JSON.parse(await readFile(file)))]
    } catch (error) {
      throw new UsageError(`the cycle ${file} cannot be read: ${(error as Error).message}`)
    }
  }
  const names = words(profile)
  if (names.includes('all')) return [...CYCLES.values()]
  return names.map((name) => {
    const cycle = CYCLES.get(name)
    if (cycle !== undefined) return cycle
    throw new UsageError(
      `there is no profile ${name}; there are ${[...CYCLES.keys(), 'all'].join(', ')}`,
    )
  })
}

/** The headers of each request. Credentials are added to `secrets`, which nothing printed may hold. */
async function credentials(
  values: Values,
  {
    around,
    client,
    secrets,
  }: {
    readonly around: CommandSurroundings
    readonly client: ClientCredentials | undefined
    readonly secrets: string[]
  },
): Promise<Readonly<Record<string, string>>> {
  const headers: Record<string, string> = {}
  for (const header of values.header ?? []) {
    const [, name, value] = /^([\w-]+):\s*(.+)$/.exec(header) ?? []
    if (name === undefined || value === undefined) throw new UsageError("a header is 'Name: value'")
    headers[name.toLowerCase()] = value
    // What follows the scheme, as a server may repeat it alone.
    secrets.push(value, value.split(' ').at(-1) ?? value)
  }
  const variable = values['token-env']
  const token =
    client === undefined
      ? (values.token ?? (variable === undefined ? undefined : secretOf(around.env, variable)))
      : await tokenOf(client, values, around)
  if (token !== undefined) {
    secrets.push(token)
    headers['authorization'] = `Bearer ${token}`
  }
  return headers
}

/** The OAuth client of the parameters; undefined without one. */
function clientOf(
  values: Values,
  { env }: CommandSurroundings,
  secrets: string[],
): ClientCredentials | undefined {
  const clientId = values['client-id']
  if (clientId === undefined) return undefined
  const tokenUrl = values['token-url']
  const [secret, assertion] = (['client-secret-env', 'client-assertion-env'] as const).map(
    (option) => {
      const variable = values[option]
      return variable === undefined ? undefined : secretOf(env, variable)
    },
  )
  if (tokenUrl === undefined || (secret === undefined && assertion === undefined))
    throw new UsageError(
      '--client-id needs --token-url, and --client-secret-env or --client-assertion-env',
    )
  for (const one of [secret, assertion]) if (one !== undefined) secrets.push(one)
  return {
    tokenUrl,
    clientId,
    ...(secret !== undefined && { secret }),
    ...(assertion !== undefined && { assertion }),
  }
}

async function tokenOf(
  client: ClientCredentials,
  values: Values,
  { fetch: send = fetch }: CommandSurroundings,
): Promise<string> {
  try {
    const credential = client.secret === undefined ? 'assertion' : 'secret'
    const { status, body } = await requestToken(client, credential, {
      fetch: send,
      timeoutMs: positive('timeout', values.timeout) * 1000,
      perSecond: Infinity,
      runtime: createSystemRuntime(),
    })
    const token = isObject(body) ? body['access_token'] : undefined
    if (typeof token === 'string') return token
    throw new NotVerifiableError(`The token URL refuses the client with ${status}.`)
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error
    throw new NotVerifiableError(`The token URL cannot be reached: ${error.message}.`)
  }
}

function secretOf(env: CommandSurroundings['env'], name: string): string {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  throw new UsageError(`the variable ${name} is not set`)
}

function words(list: string | undefined): readonly string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function positive(option: string, text: string): number {
  const value = Number(text)
  if (value > 0 && value < 1e6) return value
  throw new UsageError(`--${option} must be a positive number`)
}

/** A server may repeat credentials, also in JSON or encoded. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  const forms = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ])
  return forms
    .filter((form) => form.length >= 4)
    .reduce((shown, form) => shown.replaceAll(form, '***'), text)
}
