import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Pool } from 'pg'
import { createUmaAuthVasp, WalletError, type Slot, type UmaAuthVaspOptions } from 'uma-auth-vasp'
import { sendResponse, toNodeHandler } from 'uma-auth-vasp/node-http'
import { createBank, SAT } from './bank.ts'
import type { User } from './logins.ts'
import { createPages, newSecret, page } from './sign-in.ts'

type Options = Pick<UmaAuthVaspOptions<User, 'SAT', Slot>, 'gatewayRootUrl' | 'keys' | 'loginSecret'>
const MAX_FORM_LENGTH = 16_000

/**
 * The bank as a server: the gateway API, the token exchange and the discovery document, and the bank's own pages.
 * @param origin the public origin, such as `https://bank.example`. Its host is the domain of tokens and addresses.
 */
export function createBankServer(pool: Pool, origin: string, nodeKey: string, options: Options): Server {
  const domain = new URL(origin).host
  const bank = { domain, name: 'My Bank', currencies: [SAT], backend: createBank(pool, domain, nodeKey) }
  const vasp = createUmaAuthVasp({ ...options, ...bank })
  const attributes = `Path=/; HttpOnly; SameSite=Lax${origin.startsWith('https:') ? '; Secure' : ''}`
  const answerPage = createPages(vasp, pool, domain)
  const answerApi = toNodeHandler(vasp)

  async function answer(request: IncomingMessage): Promise<Response> {
    const { method = 'GET', url = '/', headers } = request
    const [, session = newSecret()] = /(?:^|; )bank_session=([\w-]{43})(?:;|$)/.exec(headers.cookie ?? '') ?? []
    let body = ''
    for await (const chunk of request.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
      body += String(chunk)
      if (body.length > MAX_FORM_LENGTH) return page('<p>The form is too large.</p>', 413, { Connection: 'close' })
    }
    const asked = { method, url, session, form: new URLSearchParams(body) }
    const answered = await answerPage(asked)
    answered.headers.append('Set-Cookie', `bank_session=${asked.session}; ${attributes}`)
    return answered
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answered = answer(request).catch((error: unknown) => {
      console.error(error)
      return page('<p>Something went wrong. Try again.</p>', error instanceof WalletError ? 503 : 500)
    })
    await sendResponse(await answered, response)
  }

  // The package answers its own paths, and leaves the others to the last argument.
  return createServer((request, response) => answerApi(request, response, () => void respond(request, response)))
}
