import { recentChecks, type Check, type DoctorPorts } from '@/lib/gateway/doctor'

const RESULTS = {
  pass: ['text-green', '✓ Pass'],
  warn: ['text-muted', '! Warning'],
  fail: ['text-red', '× Fail'],
} as const satisfies Record<Check['result'], readonly [string, string]>

/** The checks. Those that need attention come first. */
export async function Doctor({ ports }: { readonly ports: DoctorPorts }) {
  const checks = await recentChecks(ports)
  const failed = checks.filter(({ result }) => result !== 'pass')
  return (
    <>
      <p className="mt-2">
        {failed.length === 0 ? (
          <span className="text-green">✓ All {checks.length} checks pass.</span>
        ) : (
          `${failed.length} of ${checks.length} checks need attention.`
        )}
      </p>
      <ul className="mt-2">
        {[...failed, ...checks.filter(({ result }) => result === 'pass')].map((check) => (
          <li key={`${check.name} ${check.asked}`} className="line py-2">
            <CheckLine check={check} />
          </li>
        ))}
      </ul>
      <form action="/developers/gateway" className="line pt-3">
        <button className="button">Run the checks again</button>
      </form>
    </>
  )
}

function CheckLine({ check: { name, result, asked, answer, fix } }: { readonly check: Check }) {
  const [colour, words] = RESULTS[result]
  return (
    <>
      <p className="flex justify-between gap-x-4">
        <span className="font-semibold">{name}</span>
        <span className={colour}>{words}</span>
      </p>
      <p className="text-sm text-muted">
        <code>{asked}</code>: {answer}
      </p>
      {fix === undefined ? null : <p className="text-sm">{fix}</p>}
    </>
  )
}
