import { addressOf } from 'uma-auth-vasp'
import { z } from 'zod'
import { refusal, sandboxAnswer, sandboxPost, tooMany } from '@/app/sandbox/sandbox-route'
import { CURRENCY_CODES, isCurrencyCode } from '@/lib/money/currencies'
import { CLIENT_ADDRESS_HEADER } from '@/lib/platform/http/networks'
import { consumeUserCreation, createSandboxUser } from '@/lib/sandbox/users/sandbox-users'

const MAX_WALLETS = 5
const KNOWN = CURRENCY_CODES.join(', ')

const NewUser = z.strictObject({
  currencies: z
    .array(z.string().refine(isCurrencyCode, { params: { code: 'unknown_currency' }, message: `Use one of ${KNOWN}.` }))
    .refine((codes) => codes.length >= 1 && codes.length <= MAX_WALLETS && new Set(codes).size === codes.length, {
      params: { code: 'count' },
      message: `Use 1 to ${MAX_WALLETS} different currencies. The first one is the default wallet.`,
    })
    .optional(),
})

/** Creates a user with test money for one test or one person. */
export const POST = sandboxPost(NewUser, async ({ app, request, fields }) => {
  const seconds = consumeUserCreation(app.settings, request.headers.get(CLIENT_ADDRESS_HEADER) ?? '')
  if (seconds !== undefined) return tooMany(seconds, 'Your network has created too many users.')
  const user = await createSandboxUser(app, fields.currencies)
  if (user === 'full') {
    const { maxLiving } = app.settings.sandboxUsers
    return refusal(
      409,
      'too_many_users',
      `This server has ${maxLiving} temporary users. Delete users that you no longer need.`,
    )
  }
  const { publicOrigin, vaspDomain } = app.settings
  return sandboxAnswer(201, {
    username: user.username,
    address: addressOf(user.username, vaspDomain),
    password: user.password,
    loginUrl: `${publicOrigin}/login/link?${new URLSearchParams({ code: user.signInCode })}`,
    manageToken: user.manageToken,
    expiresAt: user.expiresAt.toISOString(),
  })
})
