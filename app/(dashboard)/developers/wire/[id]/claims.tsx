import { LOGIN_TOKEN_SECONDS } from 'uma-auth-vasp'
import { DescriptionItem } from '@/components/ui/description-item'
import { Instant } from '@/components/ui/time'
import { shareOfTime, type EventFacts } from '@/lib/wire/details'

interface Props {
  readonly claims: NonNullable<EventFacts['claims']>
  readonly calledAt: Date
  readonly now: Date
  /** When the connection of the token was created, if it is known. */
  readonly connectedAt: Date | undefined
}

/** The claims of the token of a call. Its signature was valid. */
export function Claims({ claims, calledAt, now, connectedAt }: Props) {
  const { use, id, userId, scope, expiresAtSeconds } = claims
  const expiresAt = expiresAtSeconds === undefined ? undefined : new Date(expiresAtSeconds * 1_000)
  const issuedAt =
    use === 'connection' || expiresAt === undefined
      ? connectedAt
      : new Date(expiresAt.getTime() - LOGIN_TOKEN_SECONDS * 1_000)
  return (
    <section aria-labelledby="claims" className="mt-8">
      <h2 id="claims" className="mb-2">
        Token
      </h2>
      <dl>
        <DescriptionItem term="token_use">
          {use === 'login' ? 'login: the short-lived token of a sign-in' : 'connection: the long-lived token of an app'}
        </DescriptionItem>
        <DescriptionItem term="sub, the user">{userId}</DescriptionItem>
        <DescriptionItem term="jti, the token">
          <code>{id}</code>
        </DescriptionItem>
        {scope.length === 0 ? null : (
          <DescriptionItem term="scope">
            <code>{scope.join(' ')}</code>
          </DescriptionItem>
        )}
        <DescriptionItem term="Issued">
          {issuedAt === undefined ? 'not known' : <Instant at={issuedAt} />}
        </DescriptionItem>
        <DescriptionItem term="exp, expires">
          {expiresAt === undefined ? (
            'never'
          ) : (
            <>
              <Instant at={expiresAt} />
              {expiresAt <= now ? <span className="text-red"> × expired</span> : null}
            </>
          )}
        </DescriptionItem>
      </dl>
      {issuedAt === undefined || expiresAt === undefined ? null : (
        <TimeBar issuedAt={issuedAt} expiresAt={expiresAt} calledAt={calledAt} now={now} />
      )}
    </section>
  )
}

interface TimeBarProps {
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly calledAt: Date
  readonly now: Date
}

/** The life of a token from left to right. The list above has the same in words. */
function TimeBar({ issuedAt, expiresAt, calledAt, now }: TimeBarProps) {
  const at = (moment: Date): number => shareOfTime(moment, issuedAt, expiresAt) * 100
  return (
    <figure className="mt-3">
      <svg
        aria-hidden="true"
        viewBox="0 0 100 10"
        preserveAspectRatio="none"
        className="block h-4 w-full border border-rule"
      >
        <rect width={at(now)} height="10" className="fill-accent" opacity="0.25" />
        <rect x={Math.max(0, at(calledAt) - 0.4)} width="0.4" height="10" className="fill-ink" />
      </svg>
      <figcaption className="label mt-1 flex flex-wrap justify-between gap-x-4">
        <span>issued</span>
        <span>filled: until now; line: this call</span>
        <span>expires</span>
      </figcaption>
    </figure>
  )
}
