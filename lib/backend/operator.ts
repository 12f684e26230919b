import { isOperatorCredential } from '../audit/operator-request'
import { epochSeconds } from '../platform/clock'
import type { Application } from './application'

/** Whether a request for `/-/ready` has the credential that the operator's commands send with it. */
export function asksAsOperator(
  { settings, clock }: Pick<Application, 'settings' | 'clock'>,
  authorization: string | null | undefined,
): boolean {
  const nowSeconds = epochSeconds(clock.now())
  return isOperatorCredential(authorization ?? null, settings.nextAuthSecret, nowSeconds, '', 'ready')
}
