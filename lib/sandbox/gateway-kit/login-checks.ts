import { LOGIN_TOKEN_SECONDS } from 'uma-auth-vasp'
import { gatewaySettingsOf } from '../../backend/gateway-config'
import type { UnusedLogin } from '../../events/queries'
import type { Settings } from '../../platform/config'
import { timeAgo } from '../../web/time'
import type { Check, Compared } from './doctor'
import { clockText, MAX_CLOCK_DIFFERENCE_SECONDS } from './gateway-server'
import type { LoginTrial } from './try-login'

const LOGIN_TOKEN_MINUTES = LOGIN_TOKEN_SECONDS / 60

interface LoginFacts {
  readonly settings: Parameters<typeof gatewaySettingsOf>[0] & Pick<Settings, 'gatewayRootUrl'>
  readonly now: Date
  readonly trial: LoginTrial | undefined
  readonly unused: UnusedLogin | undefined
}

/** The doctor's checks for one user: the shared ones, and what the user's logins show. */
export function withLoginChecks(shared: readonly Check[], facts: LoginFacts): readonly Check[] {
  const { trial, unused } = facts
  const isProven = trial?.isProof === true
  const checks = shared.map((check) => (isProven ? provenGateway(check) : check))
  const isUnusedNewest = unused !== undefined && unused.id > (trial?.eventId ?? 0n)
  return [
    ...checks,
    ...(trial === undefined ? [] : [trialCheck(trial, facts)]),
    ...(isUnusedNewest ? [unusedCheck(unused, facts)] : []),
  ]
}

/** A server of unknown kind is a gateway when it has accepted a login token. Its page may still be broken. */
function provenGateway(check: Check): Check {
  const { name, asked, unknownKindStatus: status } = check
  if (status === undefined) return check
  if (status < 500)
    return { name, asked, result: 'pass', answer: 'Its page is not that of a gateway, but it accepted a login token.' }
  return {
    name,
    asked,
    result: 'warn',
    answer: `It accepted a login token, but its page has status ${status}: users see an error after each login.`,
    fix: 'Build the gateway’s web app, set FRONTEND_BUILD_PATH of the gateway to its folder, and restart the gateway.',
  }
}

function unusedCheck({ id, issuedAt }: UnusedLogin, { settings, now }: LoginFacts): Check {
  return {
    name: 'Login token',
    result: 'warn',
    asked: 'Calls with your newest login token',
    answer: `A login token was issued ${timeAgo(issuedAt, now)} and no call has used it: compare these settings.`,
    fix: 'If the gateway showed an error after the login, one of its settings differs: correct it, restart the gateway and log in again. If the gateway still shows its approval page, finish there: nothing is wrong.',
    compare: comparedSettings(settings),
    eventId: id,
  }
}

const REFUSED_FIX =
  'The fault is in the settings of the gateway. The public gateway’s answer does not say which one; the simulator’s page does. Look for one of these words in the gateway’s log, set the value beside it, restart the gateway, and try again. Any other error in its log is a fault of the gateway itself.'

function trialCheck(trial: LoginTrial, { settings, now }: LoginFacts): Check {
  const { outcome, root, status, landedAt = '', problem = 'unknown', eventId } = trial
  const line = (result: Check['result'], answer: string, fix?: string): Check => ({
    name: 'Login',
    asked: `A login at ${root}, ${timeAgo(trial.at, now)}`,
    result,
    answer,
    ...(fix === undefined ? {} : { fix }),
    eventId,
  })
  switch (outcome) {
    case 'accepted':
      return line('pass', 'The gateway accepted a login token.')
    case 'refused':
      return {
        ...line(
          'fail',
          `The gateway refused a login token with status ${status}. ${clockSentence(trial)}`.trim(),
          REFUSED_FIX,
        ),
        compare: comparedSettings(settings, trial.secondsAhead),
      }
    case 'elsewhere':
      return line(
        'fail',
        `The gateway sent the browser to ${landedAt}, which is not below ${root}.`,
        'Set NWC_APP_ROOT_URL of the gateway and GATEWAY_ROOT_URL of this server to the same address, letter by letter, and restart both.',
      )
    case 'no callback':
      return line(
        'fail',
        `The gateway answered a login with status ${status}, not with a redirect.`,
        'Its login callback is at another address. Set GATEWAY_ROOT_URL of this server, and NWC_APP_ROOT_URL and BASE_PATH of the gateway, to the same address and path.',
      )
    case 'not a gateway':
      return line(
        'fail',
        `The server answered a login with status ${status}, and nothing shows that it is a gateway.`,
        'GATEWAY_ROOT_URL may be the address of another program. Set it to the root of the gateway. If it is right, the gateway’s log says why it refused the login.',
      )
    case 'no answer':
      return line(
        'fail',
        `No readable answer to a login: ${problem}.`,
        'Start the gateway, or set GATEWAY_ROOT_URL to the address where it listens.',
      )
    case 'not issued':
      return line(
        'fail',
        'This server issued no login token. The gateway received nothing.',
        'Set JWT_PRIVATE_KEY and restart this server.',
      )
  }
}

/** What a difference of the clocks does to a login token. */
function clockSentence({ secondsAhead = 0 }: Pick<LoginTrial, 'secondsAhead'>): string {
  if (Math.abs(secondsAhead) <= MAX_CLOCK_DIFFERENCE_SECONDS) return ''
  const clock = `The gateway’s clock is ${clockText(secondsAhead)}`
  return secondsAhead >= LOGIN_TOKEN_SECONDS
    ? `${clock}. Login tokens expire after ${LOGIN_TOKEN_MINUTES} minutes, so the gateway refuses each one as expired: correct the clock first.`
    : `${clock}. Login tokens expire after ${LOGIN_TOKEN_MINUTES} minutes.`
}

/** The settings on which a gateway's check of a login token depends, with our values and the words of the gateway's log. */
function comparedSettings(settings: LoginFacts['settings'], secondsAhead?: number): readonly Compared[] {
  const values = gatewaySettingsOf(settings)
  const row = (setting: string, logWord: string): Compared => ({ setting, logWord, value: values[setting] ?? '' })
  return [
    row('UMA_VASP_JWT_PUBKEY', 'InvalidSignatureError'),
    row('UMA_VASP_JWT_AUD', 'InvalidAudienceError'),
    row('UMA_VASP_JWT_ISS', 'InvalidIssuerError'),
    {
      setting: 'The clock of the gateway',
      logWord: 'ExpiredSignatureError',
      value: clockValue(secondsAhead),
    },
  ]
}

function clockValue(secondsAhead: number | undefined): string {
  if (secondsAhead === undefined) return 'The same time as the clock of this server'
  return secondsAhead === 0 ? 'The same time as ours' : `Now ${clockText(secondsAhead)}`
}
