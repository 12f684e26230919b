import type { Metadata } from 'next'
import { pageZone } from '@/components/page-zone'
import { Amount } from '@/components/ui/amount'
import { Field } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { currencyOf } from '@/lib/money/currencies'
import { PRINTED, readPeriod, type WalletPeriod } from '@/lib/wallets/activity'
import { readActivityQuery } from '@/lib/wallets/activity-filter'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { dayIn, fullDay, readTimeZone, startOfDay, zoneInWords } from '@/lib/web/time'
import { requireUser } from '../../require-user'
import { StatementTable } from '../../wallets/statement-table'

export const metadata: Metadata = { title: 'Printable statement' }

const DAY_MS = 86_400_000
/** The period when the address has none. */
const DAYS = 30

export default async function StatementPage({ searchParams }: { readonly searchParams: SearchParams }) {
  const user = await requireUser()
  const values = await searchParams
  const current = application()
  const now = current.clock.now()
  const zone = readTimeZone(singleParam(values.zone) ?? '') ?? pageZone()
  const typed = {
    from: singleParam(values.from) ?? dayIn(new Date(now.getTime() - DAYS * DAY_MS), zone),
    to: singleParam(values.to) ?? dayIn(now, zone),
  }
  const { filter, errors } = readActivityQuery(typed, (day) => startOfDay(day, zone))
  const { from, until } = filter
  const hasErrors = Object.keys(errors).length > 0
  const statement =
    hasErrors || from === undefined || until === undefined
      ? undefined
      : await readPeriod(current.db, user.username, { from, until })
  return (
    <div className="py-4 md:py-8 print:py-0">
      <Link className="tap" href="/activity">
        Activity
      </Link>
      <h1 className="mt-2">Statement</h1>
      <form
        action="/activity/statement"
        aria-label="Period"
        className="mt-4 flex flex-wrap items-start gap-x-4 gap-y-3"
      >
        <input type="hidden" name="zone" value={zone} />
        <Field label="From day" name="from" value={typed.from} type="date" error={errors.from} />
        <Field label="To day" name="to" value={typed.to} type="date" error={errors.to} />
        <p className="self-end">
          <button className="button">Show</button>
        </p>
      </form>
      {statement === undefined ? (
        <p className="line mt-6 py-4 text-muted">Nothing is listed: correct the period above.</p>
      ) : (
        <>
          <p className="mt-4">
            {current.settings.vaspName}, {user.displayName} <code>{user.address}</code>
            <br />
            {nameOf(typed.from)} to {nameOf(typed.to)}, {zoneInWords(zone)}. Balances include amounts held for pending
            payments.
          </p>
          {statement.isCut ? (
            <p className="mt-4 border-l-2 border-ochre pl-3">
              This period has more than {PRINTED.toLocaleString('en')} movements, so none are listed. Choose a shorter
              period, or export all movements on the page of the activity.
            </p>
          ) : (
            <p className="label mt-2 print:hidden">
              To print it or save it as PDF, use the print command of your browser.
            </p>
          )}
          {statement.wallets.map((wallet) => (
            <Period key={wallet.code} wallet={wallet} isCut={statement.isCut} zone={zone} />
          ))}
        </>
      )}
    </div>
  )
}

interface PeriodProps {
  readonly wallet: WalletPeriod
  readonly isCut: boolean
  readonly zone: string
}

function Period({ wallet, isCut, zone }: PeriodProps) {
  const { code, opening, closing, lines } = wallet
  const heading = `period-${code}`
  return (
    <section aria-labelledby={heading} className="mt-8">
      <h2 id={heading}>
        {currencyOf(code).name} <span className="label font-sans">{code}</span>
      </h2>
      <Balance label="Opening balance" units={opening} code={code} />
      {lines.length > 0 ? (
        <StatementTable
          caption={`Movements of the ${code} wallet in the period`}
          code={code}
          lines={lines}
          zone={zone}
        />
      ) : isCut ? null : (
        <p className="line py-2 text-muted">No movements in this period.</p>
      )}
      <Balance label="Closing balance" units={closing} code={code} />
      <div className="double-rule" />
    </section>
  )
}

function Balance({
  label,
  units,
  code,
}: {
  readonly label: string
  readonly units: bigint
  readonly code: WalletPeriod['code']
}) {
  return (
    <p className="line flex justify-between gap-x-4 py-2 font-semibold">
      <span>{label}</span>
      <Amount units={units} code={code} />
    </p>
  )
}

/** "2026-11-21" in words. */
function nameOf(day: string): string {
  return fullDay(new Date(`${day.trim()}T00:00:00Z`))
}
