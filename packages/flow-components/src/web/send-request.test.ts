import { createTestRuntime } from '@x/wire'
import { describe, expect, test } from 'vitest'
import { answerText, isSuccess, RequestError, sendRequest, statusText } from './send-request.ts'

const withFetch = (fetch: typeof globalThis.fetch, signal = new AbortController().signal) => ({
  runtime: createTestRuntime(),
  services: { fetch },
  signal,
})
const never: typeof globalThis.fetch = (_url, init) =>
  new Promise((_resolve, reject) => {
    init?.signal?.addEventListener('abort', () => reject(new Error('aborted')))
  })

describe('sendRequest', () => {
  test('returns every status as an answer whose body was read', async () => {
    const ctx = withFetch(() => Promise.resolve(new Response('gone', { status: 410 })))
    const answer = await sendRequest('https://host.example/x', {}, ctx)

    expect(answer).toMatchObject({ status: 410, url: 'https://host.example/x' })
    expect(answerText(answer)).toBe('gone')
    expect(isSuccess(answer)).toBe(false)
  })

  test('a lost connection is a RequestError with its cause', async () => {
    const ctx = withFetch(() =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('ECONNRESET') })),
    )
    await expect(sendRequest('https://host.example/', {}, ctx)).rejects.toThrow('ECONNRESET')
  })

  test('the time limit ends the exchange and is named in the error', async () => {
    const ctx = withFetch(never)
    const sent = sendRequest('https://host.example/', { timeoutMs: 90_000 }, ctx)
    const outcome = sent.catch((error: unknown) => error)
    await ctx.runtime.advance(90_000)

    expect(await outcome).toBeInstanceOf(RequestError)
    expect(await outcome).toMatchObject({ timedOut: true })
  })

  test('a cancelled run rejects with the reason of its signal', async () => {
    const run = new AbortController()
    const sent = sendRequest('https://host.example/', {}, withFetch(never, run.signal))
    run.abort(new Error('cancelled'))
    await expect(sent).rejects.toThrow('cancelled')
  })
})

describe('answerText', () => {
  test('decodes with the character set of the answer, or UTF-8 if it is missing or unknown', () => {
    const bytes = Uint8Array.of(0xe4)
    const latin = new Headers({ 'content-type': 'text/plain; charset="iso-8859-1"' })
    const unknown = new Headers({ 'content-type': 'text/plain; charset=nonsense' })
    expect(answerText({ bytes, headers: latin })).toBe('ä')
    expect(answerText({ bytes: new TextEncoder().encode('ä'), headers: unknown })).toBe('ä')
  })

  test('CO-52: Windows-1252 has letters at 0x80 to 0x9F, under each of its names', () => {
    const bytes = Uint8Array.of(0xe4, 0x80, 0x93, 0x9f, 0x81)
    for (const charset of ['windows-1252', 'CP1252', 'iso-8859-1']) {
      const headers = new Headers({ 'content-type': `text/html; charset=${charset}` })
      expect(answerText({ bytes, headers })).toBe('ä€“Ÿ\u0081')
    }
  })
})

describe('statusText', () => {
  test('contains status, reason phrase and address', () => {
    const answer = { url: 'https://host.example/', headers: new Headers(), bytes: new Uint8Array() }
    expect(statusText({ ...answer, status: 404, statusText: 'Not Found' })).toBe(
      '404 Client Error: Not Found for url: https://host.example/',
    )
    expect(statusText({ ...answer, status: 599, statusText: '' })).toBe(
      '599 Server Error:  for url: https://host.example/',
    )
  })
})
