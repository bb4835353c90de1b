// What a function URL is to a function: an event of version 2.0 for each request.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { handler } from './lambda.mjs'

createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, 'http://localhost')
  const body = await buffer(request)
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  )
  const event = {
    version: '2.0',
    routeKey: '$default',
    rawPath: pathname,
    rawQueryString: search.slice(1),
    headers,
    isBase64Encoded: true,
    ...(body.length > 0 && { body: body.toString('base64') }),
    requestContext: {
      domainName: request.headers.host,
      http: { method: request.method, path: pathname, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1' },
    },
  }
  const answer = await handler(event, {})
  response.writeHead(answer.statusCode, answer.headers)
  response.end(Buffer.from(answer.body, answer.isBase64Encoded ? 'base64' : 'utf8'))
}).listen(Number(process.env.PORT), '127.0.0.1')
