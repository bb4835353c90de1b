import type { FinanceSource } from '@x/flow-engine'

/** Maximum bytes of a response. */
const LARGEST = 8 * 1024 * 1024

/**
 * The finance data source at the operator's URL: `GET URL?symbol=&method=&count=` returns JSON. Without a
 * URL, calls fail naming the setting.
 */
export function createFinanceSource(address: string | undefined): FinanceSource {
  return {
    async get(symbol, method, { count, signal }) {
      if (address === undefined) {
        throw new Error(
          'no finance source is set up: the operator of the server names one in SERVICE_FINANCE_URL',
        )
      }
      const url = new URL(address)
      url.searchParams.set('symbol', symbol)
      url.searchParams.set('method', method)
      if (count !== undefined) url.searchParams.set('count', String(count))
      const response = await fetch(url, {
        headers: { accept: 'application/json' },
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
      })
      const text = await readText(response)
      if (!response.ok) throw new Error(`the finance source answered ${response.status}`)
      return JSON.parse(text) as unknown
    },
  }
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > LARGEST) throw new Error('the finance source answered more than 8 MiB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
