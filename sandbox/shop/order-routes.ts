import { Hono, type Context } from 'hono'
import { html } from 'hono/html'
import { fieldOf } from '../../lib/web/form-fields'
import { callsView } from './calls-view'
import type { AppDeps } from './deps'
import { linksView } from './links-view'
import { orderView } from './order-view'
import { lookOrderUp, payOrder, placeOrder } from './orders'
import { pageWithCalls, problemPage } from './page'
import { ShopError, type Problem } from './problem'
import { productOf } from './products'
import type { Sessions } from './sessions'
import { placesOf, type ShopSettings } from './settings'
import type { Order, Session } from './store'

/** Buying an item: the shop's wallet creates the invoice, the visitor's wallet pays it. */
export function orderRoutes(settings: ShopSettings, deps: AppDeps, sessions: Sessions): Hono {
  const app = new Hono()
  const places = placesOf(settings)

  const find = (context: Context): { session: Session; order: Order } | undefined => {
    const session = sessions.session(context)
    const order = session?.orders.find(({ id }) => id === context.req.param('id'))
    return session === undefined || order === undefined ? undefined : { session, order }
  }
  /** The problem of the last step, shown on the order's page until the next one. */
  const problems = new Map<string, Problem>()
  const after = (context: Context, order: Order, problem: Problem | undefined): Response => {
    if (problems.size > 500) problems.clear()
    if (problem === undefined) problems.delete(order.id)
    else problems.set(order.id, problem)
    return context.redirect(`/orders/${order.id}`, 303)
  }

  app.post('/orders', async (context) => {
    const product = productOf(fieldOf(new URLSearchParams(await context.req.text()), 'good') ?? '')
    if (product === undefined) return context.notFound()
    const session = sessions.open(context)
    if (deps.store.connection(session, 'merchant') === null) {
      const back = html`<a class="button main" href="/merchant">Connect a wallet for the shop</a>
        <a class="button" href="/">Back</a>`
      return context.html(
        problemPage(sessions.frame(context), 'The shop needs a wallet before it can sell', noMerchant, back),
        409,
      )
    }
    try {
      const order = await placeOrder(deps, session, product)
      return context.redirect(`/orders/${order.id}`, 303)
    } catch (error) {
      if (!(error instanceof ShopError)) throw error
      const calls = callsView(deps.callLog.of(session.id))
      const back = html`<a class="button" href="/">Back</a>
        <a class="button" href="/merchant">The shop’s own wallet</a>`
      return context.html(
        problemPage(sessions.frame(context), 'No invoice was created', error.problem, back, calls),
        409,
      )
    }
  })

  app.get('/orders/:id', (context) => {
    const found = find(context)
    if (found === undefined) return context.notFound()
    const { session, order } = found
    const frame = sessions.frame(context)
    const links = linksView(deps.store.connection(session, 'customer'), places)
    const title = `Order: ${productOf(order.good)?.name ?? 'a product'}`
    const content = orderView(order, frame.customer, problems.get(order.id), links)
    return context.html(pageWithCalls(frame, title, content, callsView(deps.callLog.of(session.id))))
  })

  app.post('/orders/:id/pay', async (context) => {
    const found = find(context)
    if (found === undefined) return context.notFound()
    return after(context, found.order, await payOrder(deps, found.session, found.order))
  })

  app.post('/orders/:id/look', async (context) => {
    const found = find(context)
    if (found === undefined) return context.notFound()
    const problem = await lookOrderUp(deps, found.session, found.order)
    if (problem === undefined && found.order.state !== 'paid')
      sessions.tell(found.session, 'Not paid: the shop’s wallet has received nothing for this invoice.')
    return after(context, found.order, problem)
  })
  return app
}

const noMerchant: Problem = {
  code: 'NO_SHOP_WALLET',
  message: 'The shop has no wallet to receive payments.',
  meaning: 'To sell, the shop needs a wallet that creates invoices.',
  side: 'shop',
  todo: 'Connect a wallet, for example as $bob. The steps are the same as for a customer.',
}
