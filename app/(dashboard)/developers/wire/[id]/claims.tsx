import { LOGIN_TOKEN_SECONDS } from 'uma-auth-vasp'
import { DescriptionItem } from '@/components/ui/description-item'
import { Instant } from '@/components/ui/time'
import type { EventFacts } from '@/lib/sandbox/wire/details'
import { TimeBar } from '../../time-bar'

interface Props {
  readonly claims: NonNullable<EventFacts['claims']>
  readonly calledAt: Date
  readonly now: Date
  /** When the connection of the token was created, if it is known. */
  readonly connectedAt: Date | undefined
}

/** The claims of a call's token, whose signature was valid. */
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
