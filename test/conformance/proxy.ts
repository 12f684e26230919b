import { createServer, request as requestHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import type { Answer, Call, Handler } from './reference-vasp'

/** Listens at a VASP's address and passes requests on to the server's port. `use` changes how it handles them. */
export interface Proxy {
  use(wrap: (next: Handler) => Handler): void
  stop(): Promise<void>
}

export async function startProxy(listenPort: number, targetPort: () => number): Promise<Proxy> {
  const pass: Handler = (call) => forward(call, targetPort())
  let handler = pass
  const server = createServer((request, response) => void answer(request, response, (call) => handler(call)))
  await new Promise<void>((resolve) => server.listen(listenPort, 'localhost', resolve))
  return {
    use: (wrap) => void (handler = wrap(pass)),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, handler: Handler): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const call: Call = { method, url, headers: headersOf(request), body: await readText(request) }
  try {
    const { status, headers, text } = await handler(call)
    for (const [name, value] of headers)
      if (!/^(connection|content-length|keep-alive|transfer-encoding)$/.test(name)) response.appendHeader(name, value)
    response.writeHead(status).end(method === 'HEAD' ? undefined : text)
  } catch (error) {
    response.writeHead(502).end(String(error))
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

function forward({ method, url, headers, body }: Call, port: number): Promise<Answer> {
  const kept = Object.fromEntries([...headers].filter(([name]) => name !== 'connection' && name !== 'content-length'))
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const options = {
      host: 'localhost',
      port,
      path: url,
      method,
      headers: { ...kept, ...length },
      agent: false as const,
    }
    const sent = requestHttp(options, (message) => {
      readText(message).then(
        (text) => resolve({ status: message.statusCode ?? 0, headers: headersOf(message), text }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
