import { z } from 'zod'
import { chooseDefaultWallet } from '@/lib/accounts/users'
import { CURRENCY_CODES } from '@/lib/money/currencies'
import { seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'

const DefaultWallet = z.object({ wallet: z.enum(CURRENCY_CODES) })

export const POST = userForm(
  DefaultWallet,
  async ({ app, username, fields: { wallet } }) => {
    if (!(await chooseDefaultWallet(app.db, username, wallet))) return { field: 'wallet', code: 'unknown' }
    app.events.record({ kind: 'wallet', name: 'default wallet chosen', userId: username, summary: wallet })
    return seeOther('/settings?done=wallet')
  },
  '/settings',
)
