// A VASP for UMA Auth on Express: API and sign-in. Its wallet and its sessions forget everything at exit.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import express, { type Request as Req, type Response as Res } from 'express'
import { addressOf, createUmaAuthVasp, type PendingLogin } from 'uma-auth-vasp'
import { sendResponse, toNodeHandler } from 'uma-auth-vasp/node-http'
import { keys, publicKeyFile } from './keys.ts'
import { createWallet } from './wallet.ts'

const randomText = (bytes: number): string => randomBytes(bytes).toString('base64url')
const { PORT = '4000', GATEWAY_ROOT_URL = 'http://localhost:8080', VASP_PASSWORD } = process.env
const { VASP_ORIGIN = `http://localhost:${PORT}`, LOGIN_SECRET = randomText(32) } = process.env
const NAME = 'Express example'
const USERS = ['alice', 'bob', 'carol']
/** Replace it with your own sign-in, with a limit on wrong passwords. */
const PASSWORD = VASP_PASSWORD ?? randomText(9)
const COOKIE = 'express_vasp_session'
const PAGE = { 'Cache-Control': 'no-store', 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'" }

const vasp = createUmaAuthVasp({
  domain: new URL(VASP_ORIGIN).host,
  name: NAME,
  gatewayRootUrl: GATEWAY_ROOT_URL,
  keys,
  loginSecret: LOGIN_SECRET,
  currencies: [{ code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 }],
  backend: createWallet(USERS),
})
/** User ids by session id. */
const sessions = new Map<string, string>()

const app = express()
// Errors are answered without a stack trace.
app.set('env', 'production').disable('x-powered-by').use(toNodeHandler(vasp))

app.get('/connect', async (request, response) => {
  const id = sessionId(request) ?? startSession(response)
  const user = sessions.get(id)
  const login = await vasp.login.start({ method: request.method, url: request.originalUrl }, id)
  if (login instanceof Response) return sendResponse(login, response)
  if (user === undefined || (login.asksFor ?? user) !== user) return showSignIn(response, login, user)
  await finish(request, response, login, id, user)
})

// `pending` is signed and bound to the session cookie: the form of another site or browser is answered with 400.
app.post('/sign-in', express.urlencoded({ limit: '16kb' }), async (request, response) => {
  const id = sessionId(request) ?? ''
  const user = sessions.get(id)
  const { pending, continueAs, name, password } = (request.body ?? {}) as Record<string, unknown>
  const login = await vasp.login.read(typeof pending === 'string' ? pending : '', id)
  if (typeof login === 'string') return void response.status(400).type('text').send('Start again in the app.')
  if (user !== undefined && continueAs === user) return finish(request, response, login, id, user)
  const signedIn = USERS.find((each) => each === name)
  if (signedIn === undefined || !isPassword(password)) return showSignIn(response.status(403), login, user, true)
  sessions.delete(id)
  sessions.set(startSession(response), signedIn)
  await finish(request, response, login, id, signedIn)
})

app.listen(Number(PORT), 'localhost', (error) => {
  if (error !== undefined) throw error
  console.log(`${NAME} at ${VASP_ORIGIN}. It forgets everything at exit.`)
  console.log(`Sign in as ${USERS.join(', ')} with the password ${VASP_PASSWORD === undefined ? PASSWORD : 'you set'}.`)
  console.log('To put a gateway in front of it, run this at the root of the repository:')
  console.log(`npm run gateway -- --vasp ${VASP_ORIGIN} --jwt-public-key ${publicKeyFile}`)
})

async function finish({ method }: Req, to: Res, { pending }: PendingLogin, id: string, user: string): Promise<void> {
  const signedIn = { id: user, address: addressOf(user, new URL(VASP_ORIGIN).host), currencyCode: 'SAT' }
  await sendResponse(await vasp.login.finish({ method, pending, sessionBinding: id, user: signedIn }), to)
}

function showSignIn(response: Res, login: PendingLogin, user: string | undefined, isWrong = false): void {
  const { pending, asksFor = '', appHost = 'an app' } = login
  response.set(PAGE).send(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
    <h1>Sign in to ${NAME}</h1><p>To connect ${escape(appHost)} (not verified)${asksFor && ` to ${escape(asksFor)}`}.</p>
    ${isWrong ? '<p role="alert">The name or the password is wrong.</p>' : ''}
    <form action="/sign-in" method="post"><input type="hidden" name="pending" value="${escape(pending)}">
    <label>Name <input name="name" value="${escape(asksFor)}" autocomplete="username" required></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
    <button>Sign in</button>
    ${user === undefined ? '' : `<button name="continueAs" value="${user}" formnovalidate>Continue as ${user}</button>`}
    </form>`)
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

function sessionId({ headers }: Req): string | undefined {
  return new RegExp(`(?:^|; )${COOKIE}=([\\w-]{43})(?:;|$)`).exec(headers.cookie ?? '')?.[1]
}

function startSession(response: Res): string {
  const id = randomText(32)
  response.cookie(COOKIE, id, { httpOnly: true, sameSite: 'lax', secure: VASP_ORIGIN.startsWith('https:') })
  return id
}

function isPassword(given: unknown): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return typeof given === 'string' && timingSafeEqual(digest(given), digest(PASSWORD))
}
