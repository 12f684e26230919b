import { Hono, type Context } from 'hono'
import { html } from 'hono/html'
import { fieldOf, setText } from '../../lib/web/form-fields'
import type { Html } from '../shared/page'
import { callsView } from './calls-view'
import { ALL_COMMANDS, readForm } from './commands'
import { connectView, placeOf, suggestion, typedIn, type ConnectForm } from './connect-view'
import { afterwards, beginAuthorization, disconnect, finishAuthorization, pairBy } from './connections'
import type { AppDeps } from './deps'
import { notOurs } from './oauth-problem'
import { pageWithCalls, problemPage } from './page'
import { DEFAULT_PERMISSIONS, readPermissionRequest } from './permission-request'
import { ShopError, type Problem } from './problem'
import { redirectView } from './redirect-view'
import type { Sessions } from './sessions'
import { callbackUrl, deskUrl, placesOf, type ShopSettings } from './settings'
import type { Role, Session } from './store'
import { callWallet, refresh } from './wallet-calls'
import { PATH_OF, walletView } from './wallet-view'

const TEXTS: Readonly<Record<Role, { title: string; lead: string; user: string }>> = {
  customer: {
    title: 'Your wallet',
    lead: 'Enter your wallet address. Your wallet’s gateway will ask what this shop may do.',
    user: '$alice',
  },
  merchant: {
    title: 'The shop’s own wallet',
    lead: 'Customers’ payments arrive here. All visitors of this sample share this wallet, and anyone on this machine can change it.',
    user: '$bob',
  },
}

/** Connects the visitor's wallet or the shop's own, and sends commands to it. */
export function connectionRoutes(settings: ShopSettings, deps: AppDeps, sessions: Sessions): Hono {
  const app = new Hono()

  /** `session` may have been opened by this request; its cookie is then not in the request yet. */
  const fail = (
    context: Context,
    session: Session | undefined,
    title: string,
    problem: Problem,
    backTo: string,
  ): Response | Promise<Response> => {
    const calls = callsView(deps.callLog.of(session?.id))
    const back = html`<a class="button" href="${backTo}">Back</a>`
    return context.html(problemPage(sessions.frame(context), title, problem, back, calls), 409)
  }

  /** The page of a wallet: `content` below its title, with the session's calls next to it. */
  const walletPage = (
    context: Context,
    session: Session | undefined,
    role: Role,
    lead: boolean,
    content: Html,
  ): Html => {
    const { title, lead: words } = TEXTS[role]
    return pageWithCalls(
      sessions.frame(context, role === 'customer' ? 'wallet' : 'merchant'),
      title,
      html`<h1>${title}</h1>
        ${lead ? html`<p class="lead">${words}</p>` : ''} ${content}`,
      callsView(deps.callLog.of(session?.id)),
    )
  }

  /** The same form with the typed values, and the problem at its field. */
  const formAgain = (
    context: Context,
    session: Session,
    role: Role,
    typed: ConnectForm,
    problem: Problem,
  ): Response | Promise<Response> =>
    context.html(walletPage(context, session, role, true, connectView(role, typed, { problem })), 409)

  app.get('/callback', async (context) => {
    const session = sessions.session(context)
    const pending = session?.asking
    if (session === undefined || pending == null)
      return fail(context, session, 'Not connected', notOurs(), PATH_OF.customer)
    // The address that the browser uses: the listener may see 127.0.0.1 or [::1].
    const url = new URL(callbackUrl(settings) + new URL(context.req.url).search)
    try {
      const { role, notRevoked } = await finishAuthorization(deps, session, pending, url)
      const connected = `Connected: ${deps.store.connection(session, role)?.address ?? 'a wallet'}.`
      sessions.tell(session, notRevoked === undefined ? connected : `${connected} ${stillConnected(notRevoked)}`)
      const places = { desk: deskUrl(settings), catalogue: '/' }
      return context.redirect((pending.returnsTo && places[pending.returnsTo]) ?? PATH_OF[role], 303)
    } catch (error) {
      const back = `${PATH_OF[pending.role]}?${new URLSearchParams({ address: pending.address })}`
      return fail(context, session, 'Not connected', problemOf(error), back)
    }
  })

  for (const role of ['customer', 'merchant'] as const) {
    const path = PATH_OF[role]
    const suggested = suggestion(role, `${TEXTS[role].user}@${settings.APP_EXAMPLE_DOMAIN}`)

    app.get(path, (context) => {
      const session = sessions.session(context)
      const connection = deps.store.connection(session, role)
      // A link with an address opens the connection form, so that the current wallet can be replaced.
      const address = setText(context.req.query('address'))
      const form = {
        ...suggested,
        address: address ?? suggested.address,
        back: setText(context.req.query('back')) ?? '',
      }
      const content: Html =
        connection === null || address !== undefined
          ? connectView(role, form, { current: connection })
          : walletView(role, connection, deps.callLog.of(session?.id), placesOf(settings))
      const lead = connection === null || role === 'merchant'
      return context.html(walletPage(context, session, role, lead, content))
    })

    app.post(`${path}/connect`, async (context) => {
      const session = sessions.open(context)
      const form = new URLSearchParams(await context.req.text())
      try {
        await beginAuthorization(
          deps,
          session,
          role,
          fieldOf(form, 'address') ?? '',
          readPermissionRequest(withDefaults(role, form), deps.nowSeconds()),
        )
        const returnsTo = placeOf(fieldOf(form, 'back'))
        afterwards(deps, session, {
          ...(returnsTo === undefined ? {} : { returnsTo }),
          ...(fieldOf(form, 'visitors') === 'forget' ? { forgetsVisitors: true } : {}),
        })
        return context.redirect(`${path}/leave`, 303)
      } catch (error) {
        return formAgain(context, session, role, typedIn(form), problemOf(error))
      }
    })

    app.get(`${path}/leave`, (context) => {
      const session = sessions.session(context)
      if (session?.asking == null || session.asking.role !== role) return context.redirect(path, 303)
      const calls = callsView(deps.callLog.of(session.id))
      const content = redirectView(session.asking)
      return context.html(pageWithCalls(sessions.frame(context), 'Continue to the gateway', content, calls))
    })

    app.post(`${path}/paste`, async (context) => {
      const session = sessions.open(context)
      const form = new URLSearchParams(await context.req.text())
      try {
        pairBy(deps, session, role, fieldOf(form, 'uri') ?? '')
        sessions.tell(session, 'Connected. Make a call to see whether the wallet answers.')
        return context.redirect(path, 303)
      } catch (error) {
        return formAgain(context, session, role, suggested, problemOf(error))
      }
    })

    app.post(`${path}/refresh`, async (context) => {
      const session = sessions.open(context)
      const connection = deps.store.connection(session, role)
      if (connection === null) return context.redirect(path, 303)
      try {
        await refresh(deps, session, role, connection)
        sessions.tell(session, 'Access renewed; the old token no longer works.')
        return context.redirect(path, 303)
      } catch (error) {
        return fail(context, session, 'Not refreshed', problemOf(error), path)
      }
    })

    app.post(`${path}/disconnect`, async (context) => {
      const session = sessions.open(context)
      const problem = await disconnect(deps, session, role)
      if (problem !== undefined)
        return fail(context, session, 'Removed here, but the gateway was not notified', problem, path)
      sessions.tell(session, 'Disconnected.')
      return context.redirect(path, 303)
    })

    app.post(`${path}/call`, async (context) => {
      const session = sessions.open(context)
      const form = new URLSearchParams(await context.req.text())
      const command = ALL_COMMANDS.find(({ name }) => name === fieldOf(form, 'command'))
      if (command === undefined) return context.redirect(path, 303)
      const read = readForm(command, form)
      if ('refusal' in read) {
        sessions.tell(session, read.refusal)
      } else {
        await callWallet(deps, session, role, { method: command.name, params: read.params }, command.words)
      }
      return context.redirect(`${path}#${command.name}`, 303)
    })
  }
  return app
}

/** A program that connects the shop's own wallet leaves the permissions to the shop. */
function withDefaults(role: Role, form: URLSearchParams): URLSearchParams {
  if (form.has('required') || form.has('optional')) return form
  const { required, optional } = DEFAULT_PERMISSIONS[role]
  return new URLSearchParams([...form, ['required', required], ['optional', optional]])
}

function problemOf(error: unknown): Problem {
  if (error instanceof ShopError) return error.problem
  throw error
}

const stillConnected = ({ message, todo }: Problem): string =>
  `The former wallet is still connected, because the gateway did not revoke it: ${message} ${todo} You can also revoke it at its VASP.`
