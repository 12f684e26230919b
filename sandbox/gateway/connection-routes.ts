import { Hono } from 'hono'
import { fieldOf } from '../../lib/web/form-fields'
import type { Html } from '../shared/page'
import { amountHint, readTerms } from './approval'
import { commandsOf } from './commands'
import { connect } from './connect'
import { loginOf, type Env, type GatewayDeps } from './context'
import { Expiring } from './expiring'
import { loginUrl, type Login } from './login'
import { parseMoney } from './money-text'
import { problemPage } from './page'
import { estimateCall } from './payments'
import type { Connection } from './store'
import { endConnection, pairManually } from './tokens'
import { callVasp } from './vasp-client'
import { manualApprovalView } from './views/approval-view'
import { connectionView } from './views/connection-view'
import { deniedView, refusedView } from './views/outcome-views'

/** The limit in a `get_budget` call on a connection without one. */
const SAMPLE_LIMIT = 5_000
const MAX_PAIRINGS = 100
const PAIRING_SECONDS = 600

/** A user's own connections: create, view, test, disconnect. */
export function connectionRoutes(deps: GatewayDeps): Hono<Env> {
  const { settings, store, nowSeconds } = deps
  const routes = new Hono<Env>()
  /**
   * Pairing URIs that were not shown yet. One that is not fetched in time is forgotten; the user then ends its
   * connection and creates another.
   */
  const pairings = new Expiring<string>(MAX_PAIRINGS)

  routes.get('/connection/new', (context) => {
    const login = loginOf(deps, context)
    // The public gateway signs in at each full page load; the VASP answers silently while its session is open.
    if (login === undefined) return context.redirect(loginUrl(settings, '/connection/new'), 302)
    const name = `App of ${new Date(nowSeconds() * 1000).toISOString().slice(0, 10)}`
    return context.html(manualApprovalView(settings, login, name))
  })

  routes.post('/connection/new', async (context) => {
    const login = loginOf(deps, context)
    if (login === undefined) return context.redirect(loginUrl(settings, '/connection/new'), 302)
    const form = new URLSearchParams(await context.req.text())
    if (fieldOf(form, 'decision') !== 'connect') return context.html(deniedView(settings, login))
    const name = (fieldOf(form, 'name') ?? '').trim().slice(0, 80)
    const terms = name === '' ? { problem: NAME_PROBLEM } : readTerms(form, login, nowSeconds())
    if ('problem' in terms)
      return context.html(manualApprovalView(settings, login, name, { form, problem: terms.problem }), 400)
    const permissions = commandsOf(form.getAll('group'), settings.VASP_SUPPORTED_COMMANDS)
    const result = await connect(settings, login, { name, clientApp: null, permissions, ...terms }, nowSeconds())
    if ('problem' in result)
      return context.html(refusedView(login, result.problem, result.exchanges, '/connection/new'), 502)
    const { connection } = result
    store.add(connection)
    const text = pairManually(deps, connection)
    pairings.set(connection.id, text, nowSeconds() + PAIRING_SECONDS)
    return context.redirect(`/connection/${connection.id}`, 303)
  })

  routes.get('/connection/:id', (context) => {
    const login = loginOf(deps, context)
    if (login === undefined) return context.redirect(loginUrl(settings, new URL(context.req.url).pathname), 302)
    // The UMA Auth widget opens `connection_management_endpoint` exactly as the discovery document spells it.
    if (context.req.param('id') === '<connection_id>') return context.redirect('/', 302)
    const connection = store.connection(context.req.param('id'), login.sub)
    if (connection === undefined) return context.html(notThere(login, 'It may belong to another user.'), 404)
    const pairing = pairings.get(connection.id, nowSeconds())
    pairings.delete(connection.id)
    return context.html(connectionView(settings, login, connection, nowSeconds(), { pairing }))
  })

  /** A form on the page of a connection, which it shows again afterwards. */
  function onConnection(
    name: string,
    act: (
      connection: Connection,
      fields: URLSearchParams,
      login: Login,
    ) => Html | undefined | Promise<Html | undefined>,
  ): void {
    routes.post(`/connection/:id/${name}`, async (context) => {
      const login = loginOf(deps, context)
      const connection = login === undefined ? undefined : store.connection(context.req.param('id') ?? '', login.sub)
      if (login === undefined || connection === undefined)
        return context.html(notThere(login, 'You may be signed out. Sign in and try again.'), 404)
      const refusal = await act(connection, new URLSearchParams(await context.req.text()), login)
      return refusal === undefined ? context.redirect(`/connection/${connection.id}`, 303) : context.html(refusal, 400)
    })
  }

  onConnection('call', async (connection, fields) => {
    const url = `${settings.VASP_UMA_API_BASE_URL}${pathOf(fieldOf(fields, 'command'), connection)}`
    store.record(connection.id, await callVasp('GET', url, connection.longToken))
    return undefined
  })

  onConnection('budget', (connection, fields, login) => {
    const typed = fieldOf(fields, 'amount') ?? ''
    const amount = parseMoney(typed, connection.currency.decimals)
    if (amount === undefined) {
      const refusedBudget = { typed, message: amountHint(connection.currency, typed) }
      return connectionView(settings, login, connection, nowSeconds(), { refusedBudget })
    }
    // As the public gateway does: the running cycle continues, with its spent and held amounts.
    store.change(connection.id, ({ limit }) => (limit === null ? {} : { limit: { ...limit, amount } }))
    return undefined
  })

  onConnection('disconnect', (connection) => {
    endConnection(deps, connection.id)
    return undefined
  })

  return routes
}

function notThere(login: Login | undefined, reason: string): Html {
  return problemPage(login, 'Connection not found', reason)
}

const NAME_PROBLEM = { field: 'name', message: 'Enter a name.' } as const

/** The path of a button's call. For get_budget the public gateway requests the value of a whole fiat limit in SAT. */
function pathOf(command: string | undefined, { currency, limit }: Connection): string {
  if (command === 'get_balance') return '/balance'
  if (command !== 'get_budget') return '/info'
  return estimateCall(currency.code, limit?.amount ?? SAMPLE_LIMIT, 'SAT').path
}
