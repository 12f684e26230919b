import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { protocol } from '@/lib/backend/protocol'
import { readWallets } from '@/lib/ledger/accounts'
import { seeOther } from '@/lib/platform/http/responses'
import { singleton } from '@/lib/platform/process-singletons'
import { makeRateLimiter } from '@/lib/platform/rate-limiter'
import { tryLogin } from '@/lib/sandbox/gateway-kit/try-login'
import { KIT_PAGE } from '../../../(dashboard)/developers/gateway/try-errors'

/** The burst and the refill together allow at most six in any minute. */
const TRIES_PER_USER = { perSecond: 3 / 60, burst: 3 }

/** Tries a login of the signed-in user at the configured gateway. */
export const POST = sandboxForm(z.object({}), async ({ app, username, sessionId }) => {
  const [wallet] = await readWallets(app.db, username)
  if (wallet === undefined) return seeOther(`${KIT_PAGE}?error=wallet#doctor`)
  const limiter = singleton('tried-logins', () => makeRateLimiter(TRIES_PER_USER))
  if (limiter.consume(username) !== undefined) return seeOther(`${KIT_PAGE}?error=rate#doctor`)
  await tryLogin(app, protocol(), { username, sessionId, currencyCode: wallet.code })
  // The page then has its checks without JavaScript too.
  return seeOther(`${KIT_PAGE}?checks=wait#doctor`)
})
