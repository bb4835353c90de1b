import { describe, expect, test } from 'vitest'
import { parseCurl } from './parse-curl.ts'

describe('parseCurl (CO-52)', () => {
  test('a bare address becomes a GET', () => {
    expect(parseCurl('curl https://host.example/get?x=1')).toEqual({
      url: 'https://host.example/get?x=1',
      method: 'GET',
      headers: [],
      body: undefined,
    })
  })

  test('reads quotes, line continuations and headers', () => {
    const command = `curl -X put 'https://host.example/v1' \\
      -H "X-A: it\\"s" \\
      -H 'Content-Type: application/json' \\
      --data-raw $'{"a": "it\\'s\\u0021"}' --compressed -sSL`
    expect(parseCurl(command)).toEqual({
      url: 'https://host.example/v1',
      method: 'PUT',
      headers: [
        ['X-A', 'it"s'],
        ['Content-Type', 'application/json'],
      ],
      body: `{"a": "it's!"}`,
    })
  })

  test('a body makes the request a POST; several parts are joined', () => {
    expect(parseCurl('curl host.example -d a=1 --data-urlencode "b=x y"')).toMatchObject({
      method: 'POST',
      body: 'a=1&b=x%20y',
    })
  })

  test('reads joined short options, user, cookie and user agent', () => {
    const { method, headers } = parseCurl(
      'curl -skXDELETE -u ann:secret -b "a=1" -A me https://host.example',
    )
    expect(method).toBe('DELETE')
    expect(headers).toEqual([
      ['User-Agent', 'me'],
      ['Cookie', 'a=1'],
      ['Authorization', 'Basic YW5uOnNlY3JldA=='],
    ])
  })

  test('-G appends the data to the address', () => {
    expect(parseCurl('curl -G https://host.example/s?a=1 -d q=x')).toMatchObject({
      method: 'GET',
      url: 'https://host.example/s?a=1&q=x',
      body: undefined,
    })
  })

  test('values of ignored options are not mistaken for the address', () => {
    expect(parseCurl('curl -o out.json --max-time 5 --url https://host.example').url).toBe(
      'https://host.example',
    )
  })

  test.each([
    ['wget https://host.example', 'starts with "curl"'],
    ['curl', 'has no URL'],
    ["curl 'https://host.example", 'unclosed quote'],
    ['curl https://host.example -d @/etc/passwd', 'cannot be read from the file'],
    ['curl https://host.example -F a=@b', 'not supported'],
  ])('%s is refused', (command, why) => {
    expect(() => parseCurl(command)).toThrow(why)
  })
})
