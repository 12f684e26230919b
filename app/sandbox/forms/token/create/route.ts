import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { callInProcess, protocol } from '@/lib/backend/protocol'
import { singleton } from '@/lib/platform/process-singletons'
import { makeRateLimiter } from '@/lib/platform/rate-limiter'
import { MINT_KINDS, mintToken } from '@/lib/sandbox/tokens/mint-token'
import { showToken, tokenError } from '../../../../(dashboard)/developers/token/shown-token'

/** The burst and the refill together allow at most 20 in any minute. */
const TOKENS_PER_USER = { perSecond: 10 / 60, burst: 10 }
const READING = ['get_info', 'get_budget', 'get_balance', 'lookup_invoice', 'list_transactions'] as const

const Create = z.object({ kind: z.enum(MINT_KINDS), permissions: z.enum(['read', 'all']) })

export const POST = sandboxForm(Create, async ({ app, username, sessionId, fields }) => {
  const limiter = singleton('minted-tokens', () => makeRateLimiter(TOKENS_PER_USER))
  if (limiter.consume(username) !== undefined) return tokenError('kind.rate')
  const { kind } = fields
  const api = protocol()
  const { commands } = api
  const permissions = fields.permissions === 'all' ? commands : READING.filter((name) => commands.includes(name))
  const minted = await mintToken(app, { kind, username, sessionId, permissions }, (request) =>
    callInProcess(api, request),
  )
  if ('refused' in minted) return tokenError(minted.status === 429 ? 'kind.many' : 'kind.exchange')
  return showToken(app, username, { token: minted.token, created: kind })
})
