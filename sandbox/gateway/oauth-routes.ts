import { randomBytes } from 'node:crypto'
import { Hono } from 'hono'
import { fieldOf } from '../../lib/web/form-fields'
import { readTerms } from './approval'
import { readAsk, returnUrl, type Ask } from './authorize'
import { AppProblem } from './client-apps'
import { askedGroups, commandsOf } from './commands'
import { connect } from './connect'
import { loginOf, signIn, type Env, type GatewayDeps, type PageContext } from './context'
import { Expiring } from './expiring'
import { appLoginUrl, readLogin, type Login } from './login'
import { problemPage } from './page'
import { exchangeToken, issueCode, OAuthRefusal, readTokenForm, revokeToken } from './tokens'
import { appApprovalView } from './views/approval-view'
import { refusedView } from './views/outcome-views'

const MAX_PENDING_REQUESTS = 200

/** The endpoints for apps: login redirect, approval page, tokens and revocation. */
export function oauthRoutes(deps: GatewayDeps): Hono<Env> {
  const { settings, store, nowSeconds } = deps
  const routes = new Hono<Env>()
  /**
   * Requests between the return from the VASP and the decision. They are lost when the process ends; the app must then
   * start again.
   */
  const asks = new Expiring<{ readonly ask: Ask; readonly sub: string }>(MAX_PENDING_REQUESTS)

  function keepAsk(ask: Ask, { sub, expiresAtSeconds }: Login): string {
    const id = randomBytes(16).toString('base64url')
    asks.set(id, { ask, sub }, expiresAtSeconds)
    return id
  }

  routes.get('/oauth/auth', async (context) => {
    const url = new URL(context.req.url)
    try {
      const { searchParams } = url
      const login = searchParams.has('token')
        ? await readLogin(settings, searchParams.get('token') ?? '', searchParams.get('currency') ?? '')
        : undefined
      const ask = await readAsk(searchParams, {
        supported: settings.VASP_SUPPORTED_COMMANDS,
        nowSeconds: nowSeconds(),
        // Anyone can send this request with any relay in it. Without a login, the gateway connects to its own relay only.
        mayAsk: (relay) => login !== undefined || isSameUrl(relay, settings.RELAY),
      })
      if (login === undefined || ask === undefined)
        return context.redirect(appLoginUrl(settings, url.search.slice(1)), 302)
      signIn(deps, context, login)
      return context.redirect(`/apps/new?ask=${keepAsk(ask, login)}`, 303)
    } catch (error) {
      const status = error instanceof AppProblem ? error.status : 400
      const message = error instanceof Error ? error.message : 'The request is not valid. Start again in the app.'
      return context.html(problemPage(loginOf(deps, context), 'Invalid request from the app', message), status)
    }
  })

  routes.get('/apps/new', (context) => {
    const login = loginOf(deps, context)
    const id = context.req.query('ask') ?? ''
    const kept = asks.get(id, nowSeconds())
    if (login === undefined || kept?.sub !== login.sub) return context.html(askGone(login), 400)
    context.set('returnsTo', kept.ask.redirectUri)
    return context.html(appApprovalView(settings, login, kept.ask, id))
  })

  routes.post('/apps/new', async (context) => {
    const form = new URLSearchParams(await context.req.text())
    const id = fieldOf(form, 'ask') ?? ''
    const login = loginOf(deps, context)
    const kept = asks.get(id, nowSeconds())
    if (login === undefined || kept?.sub !== login.sub) return context.html(askGone(login), 400)
    const { ask } = kept
    context.set('returnsTo', ask.redirectUri)
    if (fieldOf(form, 'decision') !== 'connect') {
      asks.delete(id)
      const denied = { error: 'access_denied', error_description: 'Denied by the user.' }
      return context.redirect(returnUrl(ask, denied), 303)
    }
    const terms = readTerms(form, login, nowSeconds(), ask.expiresAtSeconds)
    if ('problem' in terms)
      return context.html(appApprovalView(settings, login, ask, id, { form, problem: terms.problem }), 400)
    const groups = askedGroups(ask.required, ask.optional)
    const permissions = commandsOf(form.getAll('group'), settings.VASP_SUPPORTED_COMMANDS, groups)
    // Removed before the VASP is called, so that a double click creates one connection.
    asks.delete(id)
    const approval = { name: ask.app.name, clientApp: ask.app, permissions, ...terms }
    const result = await connect(settings, login, approval, nowSeconds())
    if ('problem' in result) {
      asks.set(id, kept, login.expiresAtSeconds)
      return context.html(refusedView(login, result.problem, result.exchanges, `/apps/new?ask=${id}`), 502)
    }
    store.add(result.connection)
    const { redirectUri, challenge } = ask
    const code = issueCode(deps, { clientId: ask.app.clientId, redirectUri, challenge }, result.connection.id)
    return context.redirect(returnUrl(ask, { code }), 303)
  })

  routes.post('/oauth/token', (context) => {
    const { searchParams } = new URL(context.req.url)
    return orRefusal(context, async () => {
      const form = readTokenForm(searchParams, await context.req.text())
      return context.json(exchangeToken(deps, form))
    })
  })

  routes.post('/oauth/revoke', (context) => {
    const { searchParams } = new URL(context.req.url)
    return orRefusal(context, async () => {
      revokeToken(deps, readTokenForm(searchParams, await context.req.text()))
      return context.body(null, 200)
    })
  })

  return routes
}

async function orRefusal(context: PageContext, step: () => Promise<Response>): Promise<Response> {
  try {
    return await step()
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    return context.json({ error: error.error, error_description: error.message }, 400)
  }
}

function askGone(login: Login | undefined): ReturnType<typeof problemPage> {
  return problemPage(
    login,
    'Start again in the app',
    'This request was already answered, or the gateway has restarted.',
  )
}

function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).href === new URL(other).href
}
