import type { Metadata } from 'next'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { requireUser } from '@/app/(dashboard)/require-user'
import { LivePage } from '@/components/live-page'
import { Alert, Success } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { isCurrencyCode, type CurrencyCode } from '@/lib/money/currencies'
import { formatAmount } from '@/lib/money/format'
import { listOpenPayments } from '@/lib/payments/queries'
import { readStatement, type StatementLine } from '@/lib/wallets/queries'
import { findConversion } from '@/lib/wallets/service'
import { commaErrors } from '@/lib/web/amount-errors'
import { readFormError } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { conversionInWords } from '@/lib/web/words'
import { PriceFields } from '../convert/preview-address'
import { FaucetForm } from '../faucet-form'
import { Held } from '../held'
import { PendingPayments } from '../pending-payments'
import { StatementTable } from '../statement-table'
import { ConvertForm } from './convert-form'
import { walletErrors } from './errors'

interface Props {
  readonly params: Promise<{ readonly code: string }>
  readonly searchParams: SearchParams
}

/** Read once for the title and the page. */
const readWallet = cache(async (username: string, code: string, before: bigint | undefined) =>
  readStatement(application().db, username, code, before),
)

export async function generateMetadata({ params, searchParams }: Props): Promise<Metadata> {
  const { code } = await params
  const { username } = await requireUser()
  // The page sends another spelling of a currency to its own address.
  const upper = code.toUpperCase()
  if ((await readWallet(username, upper, readId((await searchParams).before))) === null) notFound()
  return { title: `${upper} wallet` }
}

export default async function WalletPage({ params, searchParams }: Props) {
  const user = await requireUser()
  const { code } = await params
  if (!isCurrencyCode(code)) {
    const upper = code.toUpperCase()
    if (isCurrencyCode(upper)) redirect(`/wallets/${upper}`)
    notFound()
  }
  const query = await searchParams
  const before = readId(query.before)
  const current = application()
  const [statement, pending] = await Promise.all([
    readWallet(user.username, code, before),
    listOpenPayments(current.db, user.username),
  ])
  if (statement === null) notFound()
  const { currency, lines, olderThan, others } = statement
  const done =
    (await convertedText(singleParam(query.converted), user.username)) ?? faucetText(query.done, code, lines[0])
  const errors = readFormError(
    { ...walletErrors(currency), ...commaErrors('amount', singleParam(query.amount), 'Nothing was moved.') },
    singleParam(query.error),
  )
  return (
    <div className="py-8">
      <LivePage kinds={['payment', 'invoice', 'wallet']} />
      <Link className="tap" href="/wallets">
        All wallets
      </Link>
      <div className="mt-2 flex flex-wrap items-start justify-between gap-x-8 gap-y-4">
        <div className="flex items-center gap-4">
          <Identicon text={`${user.address} ${code}`} size={56} />
          <h1>
            {currency.name} <span className="label font-sans tracking-normal">{code}</span>
          </h1>
        </div>
        <div className="md:text-right">
          <p
            className="font-serif text-2xl leading-tight max-sm:text-[32px]"
            data-live={`${code} ${statement.available}`}
          >
            <Amount units={statement.available} code={code} />
          </p>
          <Held units={statement.held} code={code} />
        </div>
      </div>
      <p className="mt-2 flex gap-x-6 lg:hidden print:hidden">
        <a className="tap" href="#convert">
          Convert
        </a>
        {current.settings.sandboxTools ? (
          <a className="tap" href="#faucet">
            Faucet
          </a>
        ) : null}
      </p>
      {done === undefined ? null : <Success>{done}</Success>}
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}

      <div className="mt-8">
        <PendingPayments payments={pending} code={code} now={current.clock.now()} />
      </div>
      <div className="mt-8 grid gap-x-16 gap-y-10 lg:grid-cols-[1fr_16rem] print:block">
        <section aria-labelledby="statement" className="min-w-0">
          <h2 id="statement">Statement</h2>
          {before === undefined ? null : (
            <Link className="tap" href={`/wallets/${code}`}>
              Newest entries
            </Link>
          )}
          {lines.length === 0 ? (
            <p className="line mt-4 py-4 text-muted">
              {before === undefined ? 'No entries yet.' : 'No older entries.'}
            </p>
          ) : (
            <div className="mt-3 max-md:-mt-2">
              <StatementTable caption={`Statement of the ${code} wallet`} code={code} lines={lines} months />
            </div>
          )}
          <div className="double-rule" />
          {olderThan === null ? null : (
            <Link className="tap mt-2" href={`/wallets/${code}?before=${olderThan}`}>
              Older entries
            </Link>
          )}
        </section>
        <div className="grid content-start gap-10 print:hidden">
          <section aria-labelledby="convert">
            <h2 id="convert" className="scroll-mt-4">
              Convert
            </h2>
            <ConvertForm
              from={currency}
              others={others}
              amount={singleParam(query.amount) ?? ''}
              to={singleParam(query.to)}
              errors={errors}
            />
          </section>
          {current.settings.sandboxTools ? (
            <section aria-labelledby="faucet">
              <h2 id="faucet" className="scroll-mt-4">
                Faucet
              </h2>
              <p className="mt-2 mb-3 text-muted">Adds about 100 US dollars of test money each time.</p>
              <FaucetForm code={code} />
            </section>
          ) : null}
        </div>
      </div>
    </div>
  )
}

/** The entry id in the URL; any other value starts at the newest entry. */
function readId(param: string | string[] | undefined): bigint | undefined {
  const text = singleParam(param)
  return text !== undefined && /^\d{1,18}$/.test(text) ? BigInt(text) : undefined
}

/** The conversion that a form has just booked. The figures come from the ledger, never from the URL. */
async function convertedText(id: string | undefined, username: string): Promise<string | undefined> {
  const { db, rates } = application()
  const { data } = PriceFields.shape.id.safeParse(id)
  const found = data === undefined ? undefined : await findConversion(db, username, data)
  return found === undefined ? undefined : conversionInWords(found.from, found.to, rates.current().rateOf)
}

/** The result of the faucet. The amount comes from the statement, never from the URL. */
function faucetText(
  done: string | string[] | undefined,
  code: CurrencyCode,
  newest: StatementLine | undefined,
): string | undefined {
  if (done !== 'faucet') return undefined
  return newest?.kind === 'faucet'
    ? `${formatAmount(newest.amount, code)} ${code} of test money added.`
    : `Test money added to your ${code} wallet.`
}
