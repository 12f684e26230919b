import { ERROR_CODES } from 'uma-auth-vasp'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { MAX_COUNTED_EVENTS, type CallCount } from '@/lib/events/queries'

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)

/** The failed calls of the last hour and the last day by error code, as `countCallsByCode` counts them. */
export function Errors({ calls, now }: { readonly calls: readonly CallCount[]; readonly now: Date }) {
  const errors = calls.filter(({ code }) => code !== null)
  return (
    <section aria-labelledby="errors" className="mt-10">
      <h2 id="errors">Errors</h2>
      {errors.length === 0 ? (
        <p className="mt-3 text-muted">No call failed in the last 24 hours.</p>
      ) : (
        <>
          <table className="mt-3 w-full">
            <caption className="sr-only">Failed calls by error code</caption>
            <thead className="label text-left">
              <tr>
                <th scope="col" className="font-normal">
                  Code
                </th>
                <th scope="col" className="text-right font-normal">
                  Last hour
                </th>
                <th scope="col" className="text-right font-normal">
                  Last day
                </th>
                <th scope="col" className="pl-6 text-right font-normal">
                  Latest
                </th>
              </tr>
            </thead>
            <tbody>
              {errors.map(({ code, lastHour, lastDay, lastId, lastAt }) => (
                <tr key={code} className="line" data-live={`${code} ${lastId}`}>
                  <th scope="row" className="py-2 text-left font-normal">
                    {code !== null && CODES.has(code) ? (
                      <Link className="row-link" href={`/developers/wire?text=${code}`}>
                        <code>{code}</code>
                      </Link>
                    ) : (
                      code
                    )}
                  </th>
                  <td className="figures text-right">{lastHour.toString()}</td>
                  <td className="figures text-right">{lastDay.toString()}</td>
                  <td className="pl-6 text-right">
                    <Link className="row-link" href={`/developers/wire/${lastId}`}>
                      <Moment at={lastAt} now={now} />
                    </Link>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <div className="double-rule" />
          <p className="label mt-2">Among your newest {MAX_COUNTED_EVENTS.toLocaleString('en-GB')} events.</p>
        </>
      )}
    </section>
  )
}
