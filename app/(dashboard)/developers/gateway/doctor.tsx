import Link from 'next/link'
import { UserForm } from '@/components/user-form'
import { recentChecks, type Check, type Compared, type DoctorPorts } from '@/lib/sandbox/gateway-kit/doctor'
import { withLoginChecks } from '@/lib/sandbox/gateway-kit/login-checks'

const RESULTS = {
  pass: ['text-green', '✓ Pass'],
  warn: ['text-muted', '! Warning'],
  fail: ['text-red', '× Fail'],
} as const satisfies Record<Check['result'], readonly [string, string]>

interface Props {
  readonly ports: DoctorPorts
  /** What the logins of the signed-in user show. */
  readonly logins: Parameters<typeof withLoginChecks>[1]
}

/** The checks. Those that need attention come first. */
export async function Doctor({ ports, logins }: Props) {
  const checks = withLoginChecks(await recentChecks(ports), logins)
  const failed = checks.filter(({ result }) => result !== 'pass')
  return (
    <>
      <p className="mt-2">
        {failed.length === 0 ? (
          <span className="text-green">✓ All {checks.length} checks pass.</span>
        ) : (
          `${failed.length} of ${checks.length} checks ${failed.length === 1 ? 'needs' : 'need'} attention.`
        )}
        {logins.trial === undefined
          ? ' They do not show whether the gateway accepts a login: press “Try a login”.'
          : null}
      </p>
      <ul className="mt-2">
        {[...failed, ...checks.filter(({ result }) => result === 'pass')].map((check) => (
          <li key={`${check.name} ${check.asked}`} className="line py-2">
            <CheckLine check={check} />
          </li>
        ))}
      </ul>
      <div className="actions line pt-3">
        <form action="/developers/gateway" data-busy="Checking …">
          <button className="button">Run the checks again</button>
        </form>
        <UserForm action="/sandbox/forms/try-login" busy="Asking the gateway …">
          <button className="button button-sandbox">Try a login</button>
        </UserForm>
      </div>
      <p className="label mt-2">
        “Try a login” sends a login token of yours to the gateway, as your browser does after a sign-in, and then closes
        the login. You can try three at once, then one every 20 seconds.
      </p>
    </>
  )
}

function CheckLine({ check: { name, result, asked, answer, fix, compare, eventId } }: { readonly check: Check }) {
  const [colour, words] = RESULTS[result]
  return (
    <>
      <p className="flex justify-between gap-x-4">
        <span className="font-semibold">{name}</span>
        <span className={colour}>{words}</span>
      </p>
      <p className="text-sm text-muted">
        <Term text={asked} />: {answer}
      </p>
      {fix === undefined ? null : <p className="text-sm">{fix}</p>}
      {compare === undefined ? null : <ComparedSettings settings={compare} />}
      {eventId === undefined ? null : (
        <p className="text-sm">
          <Link prefetch={false} href={`/developers/wire/${eventId}`}>
            Show the event
          </Link>
        </p>
      )}
    </>
  )
}

/** A request or the name of a setting as code, and words as words. */
function Term({ text }: { readonly text: string }) {
  return /^(?:GET )?\S+$/.test(text) ? <code>{text}</code> : text
}

function ComparedSettings({ settings }: { readonly settings: readonly Compared[] }) {
  return (
    <dl className="mt-1 text-sm">
      {settings.map(({ setting, value, logWord }) => (
        <div key={setting} className="line py-1">
          <dt>
            <Term text={setting} /> <span className="text-muted">(log: {logWord})</span>
          </dt>
          <dd className="break-all whitespace-pre-line">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
