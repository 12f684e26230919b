import { LOGIN_TOKEN_SECONDS } from 'uma-auth-vasp'
import { CopyField } from '@/components/ui/copy-field'
import { DescriptionItem } from '@/components/ui/description-item'
import type { EndpointVerdict, TokenVerdict } from '@/lib/sandbox/tokens/inspect-token'
import type { MintKind } from '@/lib/sandbox/tokens/mint-token'
import { RECORD_TEXTS, stepOf, tokenSteps, type StepState } from '@/lib/sandbox/tokens/token-steps'
import { bearerFaultText } from '@/lib/sandbox/wire/reference'
import { Bar, TimeBar } from '../time-bar'
import { CHECK_MARKS } from '../wire/[id]/checks'
import type { ShownToken } from './shown-token'

/** A gateway keeps a connection's token in a column of 1,024 characters; the specification recommends less. */
const TOKEN_COLUMN = 1_024

const CREATED: Readonly<Record<MintKind, string>> = {
  working: 'A working token, from the token exchange. Copy it now: it is shown once.',
  expired: 'Signed with the key of this server. It expired before it was shown.',
  revoked: 'Signed with the key of this server. Its connection was revoked before the token was shown.',
  'wrong-audience': 'Signed with a throwaway key, for another VASP.',
  'wrong-key': 'Signed with a throwaway key. Every claim is correct.',
  'wrong-algorithm': 'Signed with HS256 and a throwaway secret. Every claim is correct.',
}

const MARKS = { ...CHECK_MARKS, 'would also fail': ['text-red', '× would also fail'] } as const satisfies Record<
  StepState,
  readonly [string, string]
>

interface Props {
  readonly shown: ShownToken
  readonly verdict: TokenVerdict
  readonly now: Date
}

export function Result({ shown: { token, created }, verdict, now }: Props) {
  return (
    <section id="result" tabIndex={-1} aria-labelledby="verdict" className="mt-8 scroll-mt-4 outline-none">
      <h2 id="verdict">Verdict</h2>
      {created === undefined ? null : <p className="mt-2 text-ochre">{CREATED[created]}</p>}
      <Verdict verdict={verdict} />
      <div className="mt-4 grid gap-x-16 gap-y-8 lg:grid-cols-2">
        <div className="min-w-0">
          <Checks verdict={verdict} />
          <Life verdict={verdict} now={now} />
        </div>
        <div className="min-w-0">
          <h3>Endpoints</h3>
          <Endpoints verdict={verdict} />
          <Size length={token.length} />
          <div className="mt-6">
            <CopyField label="Token" text={token} isLong />
          </div>
        </div>
      </div>
      <div className="double-rule mt-8" />
    </section>
  )
}

function Verdict({ verdict: { fault, laterFault, text, record, canVerify } }: Pick<Props, 'verdict'>) {
  if (!canVerify)
    return <p className="mt-2 text-red">× JWT_PUBLIC_KEY is not set: every API call is answered with 500.</p>
  if (fault !== undefined)
    return (
      <p className="mt-2 max-w-2xl">
        <strong className="font-semibold text-red">× Fails at: {stepOf(fault)}.</strong> {bearerFaultText(fault)}
        {fault === 'signature' || fault === 'malformed'
          ? laterFault === undefined
            ? text.payload === undefined
              ? ' The later checks need a payload, and none could be read.'
              : ' No later check of the token would fail.'
            : ` A later check would fail too: ${stepOf(laterFault)}.`
          : null}
      </p>
    )
  const isLive = record === 'live' || record === 'of another user'
  return (
    <p className="mt-2 max-w-2xl">
      {isLive ? (
        <strong className="font-semibold text-green">✓ The token is valid.</strong>
      ) : (
        <strong className="font-semibold text-red">× Refused with 401.</strong>
      )}{' '}
      {record === undefined ? null : RECORD_TEXTS[record]}
    </p>
  )
}

function Checks({ verdict }: Pick<Props, 'verdict'>) {
  return (
    <>
      <h3>Checks, in order</h3>
      <ol className="mt-2">
        {tokenSteps(verdict).map(({ name, rule, state, values }) => {
          const [colour, words] = MARKS[state]
          return (
            <li key={name} className="line grid grid-cols-[1fr_auto] items-baseline gap-x-4 py-2">
              <span className={state === 'failed' ? 'font-semibold text-red' : ''}>{name}</span>
              <span className={`${colour} text-sm`}>{words}</span>
              <span className="label col-span-full">{rule}</span>
              {values.map(([claim, value]) => (
                <code key={claim} className="col-span-full min-w-0 break-words">
                  {claim}: {value}
                </code>
              ))}
            </li>
          )
        })}
      </ol>
    </>
  )
}

function Life({ verdict: { claims, connectedAt }, now }: Pick<Props, 'verdict' | 'now'>) {
  if (claims?.expiresAtSeconds === undefined) return null
  const expiresAt = new Date(claims.expiresAtSeconds * 1_000)
  const issuedAt = claims.use === 'login' ? new Date(expiresAt.getTime() - LOGIN_TOKEN_SECONDS * 1_000) : connectedAt
  return issuedAt === undefined ? null : <TimeBar issuedAt={issuedAt} expiresAt={expiresAt} now={now} />
}

/** One entry for each different answer. */
function Endpoints({ verdict: { endpoints, record } }: Pick<Props, 'verdict'>) {
  const answers = endpoints.map((each) => ({
    endpoint: each.endpoint,
    term: each.isAccepted ? '✓ accepted' : `× ${each.status}`,
    reason: reasonOf(each, record),
  }))
  return (
    <dl className="mt-2">
      {[...new Set(answers.map(({ term, reason }) => `${term} ${reason}`))].map((key) => {
        const same = answers.filter(({ term, reason }) => `${term} ${reason}` === key)
        return (
          <DescriptionItem key={key} term={same[0]?.term ?? ''}>
            {same[0]?.reason}
            <ul className="mt-1 text-sm">
              {same.map(({ endpoint }) => (
                <li key={endpoint}>
                  <code>{endpoint}</code>
                </li>
              ))}
            </ul>
          </DescriptionItem>
        )
      })}
    </dl>
  )
}

function reasonOf(
  { isAccepted, failedCheck, bearerFault }: EndpointVerdict,
  record: TokenVerdict['record'],
): string | undefined {
  if (isAccepted) return record === 'of another user' ? 'By its claims only.' : undefined
  if (failedCheck === 'scope') return 'The user did not grant this command.'
  if (failedCheck === 'account') return record === undefined ? undefined : RECORD_TEXTS[record]
  return bearerFault === undefined ? 'JWT_PUBLIC_KEY is not set.' : bearerFaultText(bearerFault)
}

function Size({ length }: { readonly length: number }) {
  return (
    <>
      <h3 className="mt-6">Length</h3>
      <p className="mt-2">
        <span className="figures">{length.toLocaleString('en-GB')}</span> characters.{' '}
        {length < TOKEN_COLUMN ? (
          'A gateway can store it: the limit is 1,023 characters.'
        ) : (
          <span className="text-red">× A gateway cannot store it: the limit is 1,023 characters.</span>
        )}
      </p>
      <div className="mt-2">
        <Bar filled={(length / TOKEN_COLUMN) * 100} />
      </div>
    </>
  )
}
