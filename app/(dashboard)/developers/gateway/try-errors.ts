import type { ErrorTexts } from '@/lib/web/form-errors'

export const KIT_PAGE = '/developers/gateway'

export const TRY_ERRORS = {
  rate: 'You can try three logins at once, then one every 20 seconds. Nothing was sent to the gateway. Wait 20 seconds, then try again.',
  wallet: 'You have no wallet, so this server issues no login token for you. Nothing was sent to the gateway.',
} as const satisfies ErrorTexts
