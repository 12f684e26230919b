import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Pool } from 'pg'
import { createUmaAuthVasp, type Keys } from 'uma-auth-vasp'
import { sendResponse, toNodeHandler } from 'uma-auth-vasp/node-http'
import { createBank, SAT } from './bank.ts'
import { createPages, newSecret } from './sign-in.ts'

export interface Settings {
  readonly pool: Pool
  /** The public origin, such as `https://bank.example`. Its host is the domain of tokens and addresses. */
  readonly origin: string
  readonly gatewayRootUrl: string
  readonly keys: Keys
  readonly loginSecret: string
  readonly nodeKey: string
}

const MAX_FORM_BYTES = 16_000

/** The bank as a server: the gateway API, the token exchange and the discovery document, and the bank's own pages. */
export function createBankServer({ pool, origin, gatewayRootUrl, keys, loginSecret, nodeKey }: Settings): Server {
  const domain = new URL(origin).host
  const backend = createBank({ pool, domain, nodeKey })
  const vasp = createUmaAuthVasp({
    domain,
    name: 'My Bank',
    gatewayRootUrl,
    keys,
    loginSecret,
    currencies: [SAT],
    backend,
  })
  const isSecure = origin.startsWith('https:')
  const setCookie = (response: Response, session: string): Response => {
    const cookie = `bank_session=${session}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
    response.headers.append('Set-Cookie', cookie)
    return response
  }
  const answerPage = createPages({ vasp, pool, domain, setCookie })
  const answerApi = toNodeHandler(vasp)

  async function answer(request: IncomingMessage): Promise<Response> {
    const { method = 'GET', url = '/' } = request
    const session = /(?:^|; )bank_session=([\w-]{43})(?:;|$)/.exec(request.headers.cookie ?? '')?.[1] ?? newSecret()
    const form = await formOf(request)
    if (form === undefined) return new Response('The form is too large.', { status: 413 })
    return (await answerPage({ method, url, session, form })) ?? new Response('Not found', { status: 404 })
  }

  return createServer((request, response) => {
    // The package answers its own paths, and leaves the others to the last argument.
    answerApi(request, response, () => {
      void answer(request)
        .catch((error: unknown) => {
          console.error(error)
          return new Response('Something went wrong. Try again.', { status: 500 })
        })
        .then((answered) => sendResponse(answered, response))
    })
  })
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) {
    body += String(chunk)
    if (body.length > MAX_FORM_BYTES) return undefined
  }
  return new URLSearchParams(body)
}
